// Runs small programs bare and under the preload, and reads what the library counted.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/ledger.h"
#include "stats/segment.h"

namespace ahead::shim_test {

// How a program ended. `status`: as a shell says it, 128+N for a signal.
struct Outcome {
  int status = 0;
  std::string out;
  std::string err;

  bool operator==(const Outcome&) const = default;
};

using Words = std::vector<std::string>;

// Runs argv with `variables` ("NAME=VALUE") added to an environment without LD_PRELOAD and AHEAD_*. One that does not
// end is killed after a minute or two.
Outcome RunBare(const Words& argv, const Words& variables = {});
Outcome RunPreloaded(const Words& argv, Words variables = {});

// Path of the host program `name`.
std::string Host(const std::string& name);

// A folder for one test, on a disk, and gone after it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string Path(const std::string& name) const { return path_ / name; }
  // Says whether files there have pages that can be dropped from the cache: not so on tmpfs.
  bool IsOnDisk() const;
  // Writes lines of many lengths, the same each time.
  std::string WriteText(const std::string& name, size_t bytes) const;

 private:
  std::filesystem::path path_;
};

// What all processes that used the statistics file counted. Null where there is no such file.
std::unique_ptr<Block> ReadStatistics(const std::string& path);

// Pages of an event, all classes together.
uint64_t Pages(const Block& block, Event event);

}  // namespace ahead::shim_test
