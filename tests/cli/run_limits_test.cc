// `ahead run` where things are missing that are usually there: descriptors, /proc, memfd.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What a preparation that is not possible here ends the child with.
constexpr int kNotPossible = 98;

// From now on the call number `number` fails with ENOSYS, as on a kernel that does not have it.
void TakeAway(uint32_t number) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {4, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(kNotPossible);
}

// A sanitizer's runtime looks into /proc at the start.
constexpr bool kNeedsProc =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

// Hides /proc from this process and its children.
void HideProc() {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("ahead-test", "/proc", "tmpfs", 0, "size=64k") != 0)
    _exit(kNotPossible);
}

void LimitDescriptors(rlim_t most) {
  const rlimit limit = {most, most};
  close_range(3, ~0U, 0);  // what the test was started with
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(kNotPossible);
}

class RunLimitsTest : public testing::Test {
 protected:
  template <typename Prepare>
  Ended Ahead(std::vector<std::string> words, Prepare prepare) const {
    words.insert(words.begin(), {installed_.ahead(), "run"});
    return Process(words,
                   [&] {
                     setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);
                     prepare();
                   })
        .Finish();
  }

  Installation installed_;
  Folder folder_;
};

TEST_F(RunLimitsTest, ClosedStandardDescriptorsStayClosedForTheCommand) {
  // Closed ones show by the numbers that new files get.
  const std::string script = "exec 9>" + folder_ / "out" + "; ls /proc/$$/fd >&9";
  const auto close_all = [] {
    for (int fd = 0; fd < 3; ++fd) close(fd);
  };
  ASSERT_TRUE(Process({"/bin/sh", "-c", script}, close_all).Finish().exited_with(0));
  const std::string bare = ReadFile(folder_ / "out");
  EXPECT_TRUE(Ahead({"--", "/bin/sh", "-c", script}, close_all).exited_with(0));
  EXPECT_EQ(ReadFile(folder_ / "out"), bare);
  for (int fd = 0; fd < 3; ++fd) {
    const Ended ended = Ahead({"--tables", "--", "/bin/sh", "-c", "exit 6"}, [fd] { close(fd); });
    EXPECT_TRUE(ended.exited_with(6)) << fd;
  }
}

TEST_F(RunLimitsTest, RunsWithAsFewDescriptorsAsTheLoaderNeeds) {
  for (const rlim_t most : {4U, 5U, 6U, 8U}) {
    const Ended ended = Ahead({"--", "/bin/echo", "ran"}, [most] { LimitDescriptors(most); });
    if (ended.exited_with(kNotPossible)) GTEST_SKIP() << "descriptors cannot be limited";
    EXPECT_TRUE(ended.exited_with(0)) << most << ": " << ended.errors;
    EXPECT_EQ(ended.output, "ran\n") << most;
  }
}

TEST_F(RunLimitsTest, CommandThatIsRefusedIsSaidAlsoWithoutDescriptors) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer makes a fork of a vfork";
#endif
  const std::string script = folder_.Write("script", "#!/nonexistent/interpreter\n", 0755);
  const Ended ended = Ahead({"--", script}, [] { LimitDescriptors(4); });
  EXPECT_TRUE(ended.exited_with(127)) << ended.wait_status;
  EXPECT_THAT(ended.errors, HasSubstr("cannot execute '" + script + "'"));
}

TEST_F(RunLimitsTest, WithoutProcTheCommandRunsAndTheLackOfStatisticsIsSaid) {
  if (kNeedsProc) GTEST_SKIP() << "a sanitized program does not start without /proc";
  if (geteuid() != 0) GTEST_SKIP() << "only root can hide /proc";
  const Ended ended =
      Ahead({"--", "/bin/sh", "-c", "echo session=$AHEAD_SESSION; echo loaded=$STAND_IN_LOADED; exit 5"}, HideProc);
  if (ended.exited_with(kNotPossible)) GTEST_SKIP() << "cannot mount here";
  EXPECT_TRUE(ended.exited_with(5)) << ended.wait_status;
  EXPECT_EQ(ended.output, "session=\nloaded=1\n");
  EXPECT_THAT(ended.errors, StartsWith("ahead run: no statistics of this run: its programs cannot reach /proc/"));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

TEST_F(RunLimitsTest, WithoutProcAStatisticsFileStillCounts) {
  if (kNeedsProc) GTEST_SKIP() << "a sanitized program does not start without /proc";
  if (geteuid() != 0) GTEST_SKIP() << "only root can hide /proc";
  const Ended ended = Ahead({"--stats", folder_ / "counts", "--", "/bin/echo", "ran"}, HideProc);
  if (ended.exited_with(kNotPossible)) GTEST_SKIP() << "cannot mount here";
  EXPECT_EQ(ended.output, "ran\n");
  EXPECT_EQ(ended.errors, "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "counts"));
}

TEST_F(RunLimitsTest, WithoutMemfdTheCommandRunsAndTheLackOfStatisticsIsSaid) {
  const Ended ended =
      Ahead({"--", "/bin/sh", "-c", "echo session=$AHEAD_SESSION; exit 5"}, [] { TakeAway(SYS_memfd_create); });
  if (ended.exited_with(kNotPossible)) GTEST_SKIP() << "no seccomp here";
  EXPECT_TRUE(ended.exited_with(5)) << ended.wait_status;
  EXPECT_EQ(ended.output, "session=\n");
  EXPECT_EQ(
      ended.errors,
      "ahead run: no statistics of this run: cannot make the memory that a run shares: Function not implemented\n");
}

TEST_F(RunLimitsTest, DaemonOfTheCommandIsNotWaitedForAndLivesOn) {
  int gate[2];
  ASSERT_EQ(pipe2(gate, O_CLOEXEC), 0);
  const std::string fifo = folder_ / "fifo";
  const int child_end = gate[0];
  // setsid: no longer of our group or session. It waits for the gate, and is not waited for.
  const Ended ended = Ahead({"--", "/bin/sh", "-c",
                             "setsid sh -c 'read go; echo \"lived $go\" >" + folder_ / "new" + "; mv " +
                                 folder_ / "new" + " " + folder_ / "told" + "' <&5 >/dev/null 2>&1 & exit 4"},
                            [child_end] { dup2(child_end, 5); });
  EXPECT_TRUE(ended.exited_with(4)) << ended.wait_status;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "told"));
  ASSERT_EQ(write(gate[1], "on\n", 3), 3);
  close(gate[0]);
  close(gate[1]);
  for (int tries = 0; tries < 3000 && !std::filesystem::exists(folder_ / "told"); ++tries) poll(nullptr, 0, 10);
  EXPECT_EQ(ReadFile(folder_ / "told"), "lived on\n");
}

TEST_F(RunLimitsTest, StatusAndCoreLimitComeThrough) {
  const Ended all = RunProgram({"/bin/bash", "-c",
                                "for i in 0 1 2 {3..255..9} 124 125 126 127 128 129 130 137 143 254 255; do \"$0\" run "
                                "-- /bin/sh -c \"exit $i\"; s=$?; "
                                "((s == i)) || echo $i became $s; done",
                                installed_.ahead()});
  EXPECT_EQ(all.output, "");
  const auto in_folder = [&] {
    const rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || chdir(folder_.path().c_str()) != 0) _exit(kNotPossible);
  };
  const Ended aborted = Ahead({"--", "/bin/sh", "-c", "ulimit -c; kill -ABRT $$"}, in_folder);
  EXPECT_TRUE(aborted.exited_with(128 + SIGABRT)) << aborted.wait_status;
  EXPECT_EQ(aborted.output, "0\n") << "the limit is the caller's";
}

}  // namespace
}  // namespace ahead::test
