#include "cli/preloadable.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

constexpr uid_t kOther = 65534;

class PreloadableTest : public testing::Test {
 protected:
  // A copy of an ordinary dynamic program, changed by `change`.
  template <typename Change>
  std::string Changed(const std::string& name, Change change) const {
    std::string program = test::ReadFile("/bin/true");
    change(*reinterpret_cast<Elf64_Ehdr*>(program.data()), program);
    return folder_.Write(name, program, 0755);
  }
  // One with another loader; its path may not be longer than the one of this machine.
  std::string LinkedTo(const std::string& loader) const {
    return Changed("linked", [&](const Elf64_Ehdr& header, std::string& program) {
      const auto* segments = reinterpret_cast<const Elf64_Phdr*>(program.data() + header.e_phoff);
      for (int i = 0; i < header.e_phnum; ++i)
        if (segments[i].p_type == PT_INTERP) memcpy(&program[segments[i].p_offset], loader.c_str(), loader.size() + 1);
    });
  }
  std::string Script(const std::string& name, const std::string& first_line) const {
    return folder_.Write(name, first_line + "\n", 0755);
  }
  std::string Privileged(mode_t mode) const {
    const std::string program = folder_ / "privileged";
    std::filesystem::copy_file("/bin/true", program, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(chown(program.c_str(), kOther, kOther), 0);
    EXPECT_EQ(chmod(program.c_str(), mode), 0);
    return program;
  }
  static std::string Reason(const std::string& path) { return WhyInactive(path).reason; }
  // The reason as another user sees it, whom `prepare` may prepare further.
  template <typename Prepare>
  std::string ReasonOfOther(const std::string& path, Prepare prepare) const {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
      if (setgid(kOther - 1) != 0 || setuid(kOther - 1) != 0) _exit(1);
      prepare();
      const std::string reason = Reason(path);
      _exit(write(ends[1], reason.data(), reason.size()) < 0);
    }
    close(ends[1]);
    std::string reason(200, 0);
    reason.resize(static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], reason.data(), reason.size()))));
    close(ends[0]);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return reason;
  }
  std::string ReasonOfOther(const std::string& path) const {
    return ReasonOfOther(path, [] {});
  }

  const std::string static_ = std::string("of its interpreter ") + STATIC_SUBJECT + ": it is statically linked";
  test::Folder folder_;
};

TEST_F(PreloadableTest, DynamicProgramsAndTheirScriptsAreActive) {
  EXPECT_EQ(Reason("/bin/sh"), "");
  EXPECT_EQ(Reason(Script("script", "#! /bin/sh -e")), "");
  EXPECT_EQ(Reason(Script("text", "echo")), "");
  EXPECT_EQ(Reason("/nonexistent"), "");
  EXPECT_EQ(Reason(folder_.path()), "");
  EXPECT_EQ(Reason(folder_.Write("empty", "", 0755)), "");
}

TEST_F(PreloadableTest, StaticProgramIsTold) {
  const Inactivity found = WhyInactive(STATIC_SUBJECT);
  EXPECT_EQ(found.reason, "it is statically linked");
  EXPECT_FALSE(found.refuses_library) << "programs that it starts may load it";
}

TEST_F(PreloadableTest, ScriptsOfScriptsAreFollowedAsFarAsTheKernelGoes) {
  std::string interpreter = STATIC_SUBJECT;
  for (int depth = 1; depth <= 5; ++depth) {
    interpreter = Script("script" + std::to_string(depth), "#!" + interpreter);
    EXPECT_EQ(Reason(interpreter), static_) << depth;
  }
  EXPECT_EQ(Reason(Script("script6", "#!" + interpreter)), "") << "it cannot be started";
  EXPECT_EQ(Reason(Script("itself", "#!" + folder_ / "itself")), "");
}

TEST_F(PreloadableTest, ProgramThatEnvStartsForAScriptIsTheOneThatCounts) {
  const std::string path = getenv("PATH");
  std::filesystem::create_symlink(STATIC_SUBJECT, folder_ / "subject");
  setenv("PATH", folder_.path().c_str(), 1);
  const std::string reason = "of its interpreter " + folder_ / "subject" + ": it is statically linked";
  EXPECT_EQ(Reason(Script("plain", "#!/usr/bin/env subject")), reason);
  EXPECT_EQ(Reason(Script("split", "#! /usr/bin/env -S -i A=b subject -x")), reason);
  EXPECT_EQ(Reason(Script("missing", "#!/usr/bin/env no-such-program")), "");
  EXPECT_EQ(Reason(Script("two", "#!/usr/bin/env subject -x")), "") << "env looks for 'subject -x'";
  setenv("PATH", path.c_str(), 1);
}

TEST_F(PreloadableTest, ProgramOfAnotherKindOfMachineIsToldAndSparedTheLibrary) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "needs a 64-bit machine";
  const Inactivity foreign = WhyInactive(Changed("foreign", [](Elf64_Ehdr& header, const std::string&) {
    header.e_machine = header.e_machine == EM_S390 ? EM_PPC64 : EM_S390;
  }));
  EXPECT_EQ(foreign.reason, "it is built for another architecture");
  EXPECT_TRUE(foreign.refuses_library);
  const Inactivity narrow = WhyInactive(
      Changed("narrow", [](Elf64_Ehdr& header, const std::string&) { header.e_ident[EI_CLASS] = ELFCLASS32; }));
  EXPECT_EQ(narrow.reason, "it is a 32-bit program");
  EXPECT_TRUE(narrow.refuses_library);
}

TEST_F(PreloadableTest, ProgramWithAnotherLoaderIsToldAndSparedTheLibrary) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "needs a 64-bit machine";
  const Inactivity musl = WhyInactive(LinkedTo("/lib/ld-musl-x.so.1"));
  EXPECT_EQ(musl.reason, "it is linked to musl, not to glibc");
  EXPECT_TRUE(musl.refuses_library) << "musl's loader ends a program that it cannot link a preloaded library to";
  const Inactivity other = WhyInactive(LinkedTo("/x/linker64"));
  EXPECT_TRUE(other.reason.starts_with("its loader is /x/linker64, not glibc's ld")) << other.reason;
  EXPECT_TRUE(other.refuses_library);
}

TEST_F(PreloadableTest, GoProgramWithAGlibcIsTold) {
  EXPECT_EQ(Reason(GO_NOTE), "its reads are made by Go's own runtime, which no preloaded library sees");
}

TEST_F(PreloadableTest, BrokenProgramIsLeftToTheKernel) {
  EXPECT_EQ(Reason(Changed("segments", [](Elf64_Ehdr& header, const std::string&) { header.e_phoff = ~0U; })), "");
  EXPECT_EQ(Reason(Changed("cut", [](const Elf64_Ehdr&, std::string& program) { program.resize(sizeof(Elf64_Ehdr)); })),
            "");
}

TEST_F(PreloadableTest, ProgramThatChangesTheUserIsTold) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  EXPECT_EQ(Reason(Privileged(04755)), "it is set-user-ID");
  EXPECT_EQ(Reason(Privileged(04711)), "it is set-user-ID");
  EXPECT_EQ(Reason(Privileged(02755)), "it is set-group-ID");
  EXPECT_EQ(Reason(Privileged(02745)), "") << "without the right to execute, the bit means record locks";
  const std::string program = Privileged(0755);
  ASSERT_EQ(chown(program.c_str(), getuid(), getgid()), 0);
  ASSERT_EQ(chmod(program.c_str(), 06755), 0);
  EXPECT_EQ(Reason(program), "") << "it changes nothing for its owner";
  EXPECT_EQ(ReasonOfOther(program), "it is set-user-ID");
  ASSERT_EQ(chmod(program.c_str(), 04711), 0);
  EXPECT_EQ(ReasonOfOther(program), "it is set-user-ID") << "also where it cannot be read";
  EXPECT_EQ(ReasonOfOther(program, [] { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }), "");
}

TEST_F(PreloadableTest, SetUserIdOnAMountThatForbidsItCountsForNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount";
  if (mount("ahead-test", folder_.path().c_str(), "tmpfs", MS_NOSUID, "size=4m") != 0)
    GTEST_SKIP() << "cannot mount a tmpfs: " << strerror(errno);
  EXPECT_EQ(Reason(Privileged(04755)), "");
  EXPECT_EQ(umount(folder_.path().c_str()), 0);
}

TEST_F(PreloadableTest, FileCapabilitiesAreToldUnlessTheCallerIsRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give capabilities to a file";
  const std::string program = Privileged(0755);
  vfs_cap_data given = {};
  const auto give = [&] { return setxattr(program.c_str(), "security.capability", &given, XATTR_CAPS_SZ_2, 0); };
  given.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  given.data[0].permitted = 1U << CAP_NET_RAW;
  if (give() != 0) GTEST_SKIP() << "no file capabilities here: " << strerror(errno);
  EXPECT_EQ(Reason(program), "");
  EXPECT_EQ(ReasonOfOther(program), "it has file capabilities");
  given.magic_etc = VFS_CAP_REVISION_2;
  ASSERT_EQ(give(), 0);
  EXPECT_EQ(ReasonOfOther(program), "it has file capabilities");
  given.data[0].permitted = 0;
  given.data[0].inheritable = 1U << CAP_NET_RAW;
  ASSERT_EQ(give(), 0);
  EXPECT_EQ(ReasonOfOther(program), "");
}

}  // namespace
}  // namespace ahead::cli
