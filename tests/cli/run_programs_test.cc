// `ahead run` of programs into which no library can be preloaded: they run as without it, and one line says so.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::EndsWith;
using testing::StartsWith;

// The smallest 32-bit program of Linux on x86: it ends with status 7.
std::string NarrowProgram() {
  constexpr unsigned char kCode[] = {0xbb, 7, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0xcd, 0x80};
  constexpr Elf32_Addr kBase = 0x08048000;
  Elf32_Ehdr header = {};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_386;
  header.e_version = EV_CURRENT;
  header.e_entry = kBase + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 1;
  Elf32_Phdr segment = {};
  segment.p_type = PT_LOAD;
  segment.p_vaddr = segment.p_paddr = kBase;
  segment.p_filesz = segment.p_memsz = sizeof header + sizeof segment + sizeof kCode;
  segment.p_flags = PF_R | PF_X;
  segment.p_align = 4096;
  std::string program(reinterpret_cast<const char*>(&header), sizeof header);
  program.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  return program.append(reinterpret_cast<const char*>(kCode), sizeof kCode);
}

class RunProgramsTest : public testing::Test {
 protected:
  Ended Ahead(std::vector<std::string> words) const {
    words.insert(words.begin(), {installed_.ahead(), "run", "--"});
    return RunProgram(words);
  }
  static std::string NotActive(const std::string& program, const std::string& reason) {
    return "ahead run: ahead is not active in '" + program + "': " + reason + "\n";
  }
  // A copy of the shell that belongs to another user.
  std::string ShellOf(uid_t owner, mode_t mode) const {
    const std::string shell = folder_ / "shell";
    std::filesystem::copy_file("/bin/sh", shell, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    EXPECT_EQ(chown(shell.c_str(), owner, owner), 0);
    EXPECT_EQ(chmod(shell.c_str(), mode), 0);
    return shell;
  }

  Installation installed_;
  Folder folder_;
};

TEST_F(RunProgramsTest, StaticProgramRunsAndTheLackIsSaid) {
  const Ended ended = Ahead({STATIC_SUBJECT, "stopped", "0"});
  EXPECT_TRUE(ended.exited_with(7));
  EXPECT_EQ(ended.errors, NotActive(STATIC_SUBJECT, "it is statically linked"));
}

TEST_F(RunProgramsTest, ScriptOfAStaticInterpreterRunsAndTheLackIsSaid) {
  const std::string script = folder_.Write("0", std::string("#!") + STATIC_SUBJECT + " stopped\n", 0755);
  // The subject gets three arguments: "stopped", the script and none more.
  const Ended ended = Ahead({script});
  EXPECT_TRUE(ended.exited_with(7));
  EXPECT_EQ(ended.errors,
            NotActive(script, std::string("of its interpreter ") + STATIC_SUBJECT + ": it is statically linked"));
}

TEST_F(RunProgramsTest, NothingIsSaidAboutAnOrdinaryProgram) {
  const Ended ended = Ahead({"/bin/echo", "ran"});
  EXPECT_EQ(ended.output, "ran\n");
  EXPECT_EQ(ended.errors, "");
}

TEST_F(RunProgramsTest, SetUserIdProgramRunsWithItsRightsAndWithoutTheLibrary) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const std::string shell = ShellOf(65534, 04755);
  const Ended ended = Ahead({shell, "-p", "-c", "id -u; echo loaded=$STAND_IN_LOADED"});
  if (ended.output.starts_with("0\n")) GTEST_SKIP() << "set-user-ID counts for nothing in the temporary folder";
  EXPECT_EQ(ended.output, "65534\nloaded=\n");
  EXPECT_THAT(ended.errors, StartsWith(NotActive(shell, "it is set-user-ID")));
}

TEST_F(RunProgramsTest, ProgramWithCapabilitiesRunsWithoutTheLibraryForAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give capabilities to a file";
  const std::string shell = ShellOf(0, 0755);
  constexpr uint32_t kChownEffective[] = {0x02000001, 1, 0, 0, 0};
  if (setxattr(shell.c_str(), "security.capability", kChownEffective, sizeof kChownEffective, 0) != 0)
    GTEST_SKIP() << "no file capabilities here: " << strerror(errno);
  std::filesystem::permissions(installed_.prefix(), std::filesystem::perms(0755));
  const Ended ended = Process({installed_.ahead(), "run", "--", shell, "-c", "echo loaded=$STAND_IN_LOADED"}, [] {
                        if (setgid(65534) != 0 || setuid(65534) != 0 || access(AHEAD, X_OK) < 0) _exit(98);
                      }).Finish();
  if (ended.exited_with(98) || ended.exited_with(99)) GTEST_SKIP() << "another user cannot reach the build folder";
  EXPECT_EQ(ended.output, "loaded=\n");
  EXPECT_EQ(ended.errors, NotActive(shell, "it has file capabilities"));
}

TEST_F(RunProgramsTest, NarrowProgramRunsOrFailsAsInAShellWithOneLine) {
#ifdef __x86_64__
  const std::string program = folder_.Write("narrow", NarrowProgram(), 0755);
  const Ended bare = RunProgram({"/bin/bash", "-c", "\"$0\"", program});
  const Ended ended = Ahead({program});
  EXPECT_EQ(WEXITSTATUS(ended.wait_status), WEXITSTATUS(bare.wait_status));
  if (bare.exited_with(7))
    EXPECT_EQ(ended.errors, NotActive(program, "it is a 32-bit program"));
  else
    EXPECT_EQ(ended.errors, "ahead run: cannot execute '" + program + "': Exec format error\n");
#else
  GTEST_SKIP() << "the program is one of x86";
#endif
}

TEST_F(RunProgramsTest, ProgramWhoseLoaderIsMissingFailsAsInAShellWithOneLine) {
  const std::string program = folder_ / "program";
  std::string bytes = ReadFile("/bin/true");
  const size_t at = bytes.find("/ld-linux");
  if (at == std::string::npos) GTEST_SKIP() << "/bin/true has another loader";
  bytes.replace(at, 9, "/no-linux");
  folder_.Write("program", bytes, 0755);
  const Ended bare = RunProgram({"/bin/bash", "-c", "\"$0\"", program});
  const Ended ended = Ahead({program});
  EXPECT_EQ(WEXITSTATUS(ended.wait_status), WEXITSTATUS(bare.wait_status)) << bare.errors;
  EXPECT_THAT(ended.errors, EndsWith("the interpreter or loader it names is missing\n"));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

TEST_F(RunProgramsTest, LibraryIsKeptFromAProgramWhoseLoaderIsNotOursAndTheOthersAreNot) {
#ifdef __x86_64__
  const std::string program = folder_.Write("narrow", NarrowProgram(), 0755);
  if (!RunProgram({program}).exited_with(7)) GTEST_SKIP() << "no 32-bit programs on this machine";
  // A 32-bit program cannot say what it was given; the kernel can.
  const Ended ended = Process({"/usr/bin/strace", "-f", "-v", "-s", "4096", "-e", "trace=execve", installed_.ahead(),
                               "run", "--", program},
                              [] {
                                setenv("LD_PRELOAD", "/nonexistent/other.so", 1);
                                setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
                              })
                          .Finish();
  if (ended.exited_with(99)) GTEST_SKIP() << "no strace here";
  const size_t at = ended.errors.find("execve(\"" + program);
  ASSERT_NE(at, std::string::npos) << ended.errors;
  const std::string call = ended.errors.substr(at, ended.errors.find('\n', at) - at);
  EXPECT_THAT(call, testing::HasSubstr("\"LD_PRELOAD=/nonexistent/other.so\"")) << call;
#else
  GTEST_SKIP() << "the program is one of x86";
#endif
}

}  // namespace
}  // namespace ahead::test
