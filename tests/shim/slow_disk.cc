#include "tests/shim/slow_disk.h"

#include <filesystem>

namespace ahead::shim_test {

SlowDisk::SlowDisk(const TemporaryFolder& folder) : source_(folder.Path("source")), disk_(folder.Path("disk")) {
  std::filesystem::create_directory(source_);
  std::filesystem::create_directory(disk_);
}

SlowDisk::~SlowDisk() {
  if (is_mounted_) RunBare({"fusermount3", "-u", "-z", disk_});
}

std::string SlowDisk::Mount(const Words& options) {
  Words words = {AHEAD_DISK, source_,          disk_, "--latency",     "300us", "--metadata-latency",
                 "0",        "--attr-timeout", "0",   "--max-request", "128KiB"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = RunBare(words);
  is_mounted_ = outcome.status == 0;
  return is_mounted_ ? "" : "no slow disk here: " + outcome.err;
}

std::string SlowDisk::Unmount() {
  const Outcome outcome = RunBare({"fusermount3", "-u", disk_});
  if (outcome.status == 0) is_mounted_ = false;
  return outcome.err;
}

void SlowDisk::Reset() { RunBare({AHEAD_DISK, "--reset", disk_}); }

int64_t SlowDisk::Ask(const std::string& name) {
  const std::string report = RunBare({AHEAD_DISK, "--query", disk_}).out;
  const size_t at = report.find("\"" + name + "\": ");
  return at == std::string::npos ? -1 : std::stoll(report.substr(at + name.size() + 4));
}

}  // namespace ahead::shim_test
