#include "tests/shim/fuse_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ahead::shim_test {

FuseFolder::FuseFolder() {
  std::filesystem::create_directory(folder_.Path("source"));
  std::filesystem::create_directory(folder_.Path("disk"));
  const std::string disk = AHEAD_DISK;
  if (disk.empty()) return;
  const Outcome mount = RunBare({disk, folder_.Path("source"), folder_.Path("disk"), "--model", "net", "--latency",
                                 "100us", "--metadata-latency", "0"});
  is_mounted_ = mount.status == 0;
}

FuseFolder::~FuseFolder() {
  if (!is_mounted_) return;
  const Outcome unmount = RunBare({"umount", folder_.Path("disk")});
  EXPECT_EQ(unmount.status, 0) << unmount.err;
  if (unmount.status != 0) RunBare({"umount", "-l", folder_.Path("disk")});
}

std::string FuseFolder::Copy(const std::string& path, const std::string& name) const {
  std::filesystem::copy_file(path, folder_.Path("source/" + name));
  return Path(name);
}

std::string FuseFolder::Path(const std::string& name) const { return folder_.Path("disk/" + name); }

}  // namespace ahead::shim_test
