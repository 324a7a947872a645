#include "cli/program.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override { saved_path_ = getenv("PATH"); }
  void TearDown() override { setenv("PATH", saved_path_.c_str(), 1); }

  test::Folder folder_;
  std::string saved_path_;
};

TEST_F(ProgramTest, FirstExecutableInPathIsFound) {
  folder_.Write("one/tool", "", 0644);
  const std::string second = folder_.Write("two/tool", "", 0755);
  folder_.Write("three/tool", "", 0755);
  setenv("PATH", (folder_ / "none" + ":" + folder_ / "one" + ":" + folder_ / "two" + ":" + folder_ / "three").c_str(),
         1);
  EXPECT_EQ(FindProgram("tool").path, second);
}

TEST_F(ProgramTest, FolderInPathIsNoCommand) {
  std::filesystem::create_directories(folder_ / "one/tool");
  setenv("PATH", (folder_ / "one").c_str(), 1);
  EXPECT_EQ(FindProgram("tool").error, ENOENT);
}

TEST_F(ProgramTest, FileThatMayNotBeExecutedIsSaidToBeThere) {
  folder_.Write("one/tool", "", 0644);
  setenv("PATH", (folder_ / "one").c_str(), 1);
  EXPECT_EQ(FindProgram("tool").error, EACCES);
  EXPECT_EQ(FindProgram(folder_ / "one/tool").error, EACCES);
  EXPECT_EQ(FindProgram(folder_ / "one").error, EISDIR);
  EXPECT_EQ(FindProgram("").error, ENOENT);
}

}  // namespace
}  // namespace ahead::cli
