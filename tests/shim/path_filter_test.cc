// What the name of a file behind a descriptor says.
#include "shim/path_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "shim/guard.h"
#include "tests/shim/host.h"

namespace ahead {
namespace {

class FolderOfTest : public testing::Test {
 protected:
  uint32_t Folder(const std::string& name) {
    const std::string path = folder_.Path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path).put('x');
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const uint32_t folder = FolderOf(fd);
    close(fd);
    return folder;
  }

  const Section section_;
  shim_test::TemporaryFolder folder_;
};

TEST_F(FolderOfTest, FilesOfOneFolderAreInTheSame) {
  const uint32_t first = Folder("a/one");
  EXPECT_NE(first, 0u);
  EXPECT_EQ(Folder("a/two"), first);
}

TEST_F(FolderOfTest, OtherFoldersAndThoseWithinAreOthers) {
  const uint32_t first = Folder("a/one");
  EXPECT_NE(Folder("b/one"), first);
  EXPECT_NE(Folder("a/c/one"), first);
}

TEST_F(FolderOfTest, WhatHasNoNameIsSomewhere) {
  EXPECT_EQ(FolderOf(-1), 1u);
  EXPECT_EQ(FolderOf(123456789), 1u);
}

}  // namespace
}  // namespace ahead
