#include "cli/job.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "cli/environment.h"

namespace ahead::cli {
namespace {

TEST(JobTest, StatusOfADeathIsTheSameWithAndWithoutCore) {
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(0, SIGSEGV)), 128 + SIGSEGV);
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(0, SIGSEGV) | WCOREFLAG), 128 + SIGSEGV);
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(200, 0)), 200);
}

class TestChore : public Chore {
 public:
  explicit TestChore(std::function<int64_t(int)> act, int alarm = -1) : act_(std::move(act)), alarm_(alarm) {}
  int64_t Do() override { return act_(++times_); }
  int alarm_fd() override { return alarm_; }
  int times() const { return times_; }

 private:
  const std::function<int64_t(int)> act_;
  const int alarm_;
  int times_ = 0;
};

// Follows a command that ends once `chore` has ended its input.
JobEnd FollowReader(int input, Chore* chore) {
  const SignalScope signals(kJobSignals);
  Environment environment(std::vector<std::string>{});
  const Launched cat = Launch("/bin/cat", {"cat"}, environment, signals, {.input = input});
  close(input);
  EXPECT_GT(cat.pid, 0);
  return FollowJob(cat.pid, signals, chore);
}

constexpr int64_t kAnHour = 3'600'000;

TEST(JobTest, ChoreIsDoneWhileTheCommandRuns) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  TestChore chore([&](int) { return close(ends[1]), kAnHour; });
  EXPECT_EQ(FollowReader(ends[0], &chore).wait_status, 0);
  EXPECT_EQ(chore.times(), 1);
}

TEST(JobTest, ChoreThatNeedNotBeDoneAgainIsNot) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  TestChore chore([&](int) { return close(ends[1]), Chore::kNever; });
  EXPECT_EQ(FollowReader(ends[0], &chore).wait_status, 0);
  EXPECT_EQ(chore.times(), 1);
}

TEST(JobTest, AlarmBringsTheChoreForward) {
  int alarm[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, alarm), 0);
  if (send(alarm[1], "!", 1, MSG_OOB) != 1) GTEST_SKIP() << "the kernel has no urgent data on local sockets";
  pollfd urgent{alarm[0], POLLPRI, 0};
  ASSERT_EQ(poll(&urgent, 1, 0), 1);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  TestChore chore(
      [&](int times) {
        if (times == 2) close(ends[1]);
        return kAnHour;
      },
      alarm[0]);
  EXPECT_EQ(FollowReader(ends[0], &chore).wait_status, 0);
  EXPECT_EQ(chore.times(), 2);
  close(alarm[0]);
  close(alarm[1]);
}

}  // namespace
}  // namespace ahead::cli
