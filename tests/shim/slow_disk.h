// A slow disk for one test: the folder `source` of a temporary folder, shown at `disk`. The real ahead-disk, whose own
// report is the truth that reads and counters are held against.
#pragma once

#include <cstdint>
#include <string>

#include "tests/shim/host.h"

namespace ahead::shim_test {

class SlowDisk {
 public:
  // Makes both folders in `folder`; mounts nothing yet.
  explicit SlowDisk(const TemporaryFolder& folder);
  // Unmounts, also a disk that died.
  ~SlowDisk();
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;

  // Mounts with some latency, attributes asked for anew each time, and `options`. Returns what is wrong, or "".
  std::string Mount(const Words& options = {});
  // Unmounts. Returns what is wrong, or "".
  std::string Unmount();
  // Sets the counters to zero.
  void Reset();
  // Returns a number of the report.
  int64_t Ask(const std::string& name);

  // Paths of file `name` as read by the program, and as changed behind it.
  std::string Shown(const std::string& name) const { return disk_ + "/" + name; }
  std::string Source(const std::string& name) const { return source_ + "/" + name; }

 private:
  std::string source_;
  std::string disk_;
  bool is_mounted_ = false;
};

// Mounts `disk` with options, or skips the test with the reason.
#define AHEAD_MOUNT_OR_SKIP(disk, ...) \
  if (const std::string why = (disk).Mount(__VA_ARGS__); !why.empty()) GTEST_SKIP() << why

}  // namespace ahead::shim_test
