// A folder seen through a FUSE disk: what lies there is read ahead by the library, where it leaves files of the
// machine's own disks to the kernel.
#pragma once

#include <string>

#include "tests/shim/host.h"

namespace ahead::shim_test {

// Mounts for as long as it lives. Unmounting fails the test when a program left something open there.
class FuseFolder {
 public:
  FuseFolder();
  ~FuseFolder();
  FuseFolder(const FuseFolder&) = delete;
  FuseFolder& operator=(const FuseFolder&) = delete;

  // Says whether this machine can mount it.
  bool is_mounted() const { return is_mounted_; }
  // Copies a file there, and returns its path on the disk.
  std::string Copy(const std::string& path, const std::string& name) const;
  std::string Path(const std::string& name) const;

 private:
  TemporaryFolder folder_;
  bool is_mounted_ = false;
};

}  // namespace ahead::shim_test
