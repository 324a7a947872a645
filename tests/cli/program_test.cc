#include "cli/program.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override { saved_path_ = getenv("PATH"); }
  void TearDown() override { setenv("PATH", saved_path_.c_str(), 1); }

  // A copy of an ordinary dynamic program.
  std::string CopyOf(const std::string& program, const std::string& name) {
    std::filesystem::copy_file(program, folder_ / name);
    return folder_ / name;
  }

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

TEST_F(ProgramTest, DynamicProgramsAndTheirScriptsArePreloaded) {
  EXPECT_EQ(WhyNotPreloaded("/bin/sh"), "");
  EXPECT_EQ(WhyNotPreloaded(folder_.Write("script", "#! /bin/sh -e\n", 0755)), "");
  EXPECT_EQ(WhyNotPreloaded(folder_.Write("text", "echo\n", 0755)), "");
}

TEST_F(ProgramTest, StaticProgramIsTold) {
  EXPECT_EQ(WhyNotPreloaded(STATIC_SUBJECT), "it is statically linked");
  const std::string script = folder_.Write("script", std::string("#!") + STATIC_SUBJECT + "\n", 0755);
  EXPECT_EQ(WhyNotPreloaded(script), std::string("of its interpreter ") + STATIC_SUBJECT + ": it is statically linked");
}

TEST_F(ProgramTest, ProgramOfAnotherArchitectureIsTold) {
  std::string program = test::ReadFile("/bin/true");
  auto* header = reinterpret_cast<Elf64_Ehdr*>(program.data());
  header->e_machine = header->e_machine == EM_S390 ? EM_PPC64 : EM_S390;
  EXPECT_EQ(WhyNotPreloaded(folder_.Write("foreign", program, 0755)), "it is built for another architecture");
}

TEST_F(ProgramTest, SetUserIdOfAnotherUserIsTold) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const std::string program = CopyOf("/bin/true", "suid");
  ASSERT_EQ(chown(program.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  EXPECT_EQ(WhyNotPreloaded(program), "it is set-user-ID");
  ASSERT_EQ(chmod(program.c_str(), 02755), 0);
  EXPECT_EQ(WhyNotPreloaded(program), "it is set-group-ID");
  ASSERT_EQ(chown(program.c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  EXPECT_EQ(WhyNotPreloaded(program), "") << "it changes nothing for its owner";
}

}  // namespace
}  // namespace ahead::cli
