// `ahead run` as a job of an interactive bash on a terminal of its own.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <termios.h>
#include <utmp.h>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

constexpr char kInterrupt[] = "\x03";
constexpr char kEndOfInput[] = "\x04";
constexpr char kSuspend[] = "\x1a";

// A terminal without echo, so that only what programs print is seen.
class Terminal {
 public:
  Terminal() {
    int slave = -1;
    if (openpty(&master_, &slave, nullptr, nullptr, nullptr) != 0) return;
    termios settings;
    tcgetattr(slave, &settings);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOCTL);
    tcsetattr(slave, TCSANOW, &settings);
    pid_ = fork();
    if (pid_ != 0) {
      close(slave);
      return;
    }
    close(master_);
    login_tty(slave);
    setenv("PS1", "% ", 1);
    setenv("HISTFILE", "", 1);
    unsetenv("PROMPT_COMMAND");
    signal(SIGHUP, SIG_DFL);
    execl("/bin/bash", "bash", "--norc", "--noprofile", "--noediting", "-i", nullptr);
    _exit(99);
  }
  ~Terminal() {
    // The kernel hangs the terminal's foreground job up; bash hangs up the others.
    close(master_);
    kill(pid_, SIGHUP);
    kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
  }

  void Type(const std::string& text) { ASSERT_EQ(write(master_, text.data(), text.size()), ssize_t(text.size())); }

  // Reads until `text` was printed after what was waited for before. The limit only ends a test that fails.
  bool Prints(const std::string& text) {
    constexpr int kGiveUpMilliseconds = 30000;
    for (;;) {
      if (const size_t at = seen_.find(text, from_); at != std::string::npos) return from_ = at + text.size(), true;
      pollfd ready = {master_, POLLIN, 0};
      char buffer[1024];
      if (poll(&ready, 1, kGiveUpMilliseconds) <= 0) return false;
      const ssize_t count = read(master_, buffer, sizeof buffer);
      if (count <= 0) return false;
      seen_.append(buffer, static_cast<size_t>(count));
    }
  }
  const std::string& seen() const { return seen_; }

 private:
  pid_t pid_ = -1;
  int master_ = -1;
  std::string seen_;
  size_t from_ = 0;
};

class JobControlTest : public testing::Test {
 protected:
  void SetUp() override {
    terminal_.Type("set -b; PATH=" + installed_.ahead().substr(0, installed_.ahead().rfind('/')) +
                   ":$PATH; echo begin\n");
    ASSERT_TRUE(terminal_.Prints("begin")) << terminal_.seen();
  }

  Installation installed_;
  Terminal terminal_;
};

TEST_F(JobControlTest, SuspendedJobContinuesInTheForeground) {
  terminal_.Type("ahead run -- cat\n");
  terminal_.Type("one\n");
  ASSERT_TRUE(terminal_.Prints("one")) << terminal_.seen();
  terminal_.Type(kSuspend);
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("fg\n");
  ASSERT_TRUE(terminal_.Prints("ahead run -- cat")) << terminal_.seen();
  terminal_.Type("two\n");
  ASSERT_TRUE(terminal_.Prints("two")) << terminal_.seen();
  terminal_.Type(kEndOfInput);
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=0")) << terminal_.seen();
}

TEST_F(JobControlTest, StoppedJobContinuesInTheBackground) {
  terminal_.Type("ahead run -- sh -c 'kill -STOP $$; echo resumed; exit 3'\n");
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("bg\n");
  ASSERT_TRUE(terminal_.Prints("resumed")) << terminal_.seen();
  EXPECT_TRUE(terminal_.Prints("Exit 3")) << terminal_.seen();
}

TEST_F(JobControlTest, BackgroundJobThatReadsTheTerminalIsStopped) {
  terminal_.Type("ahead run -- cat &\n");
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("fg\n");
  ASSERT_TRUE(terminal_.Prints("ahead run -- cat")) << terminal_.seen();
  terminal_.Type("now\n");
  ASSERT_TRUE(terminal_.Prints("now")) << terminal_.seen();
  terminal_.Type(kEndOfInput);
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=0")) << terminal_.seen();
}

TEST_F(JobControlTest, PipelineIsOneJob) {
  terminal_.Type("ahead run -- cat | ahead run -- cat\n");
  terminal_.Type("one\n");
  ASSERT_TRUE(terminal_.Prints("one")) << terminal_.seen();
  terminal_.Type(kSuspend);
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("fg\n");
  ASSERT_TRUE(terminal_.Prints("ahead run -- cat")) << terminal_.seen();
  terminal_.Type("two\n");
  ASSERT_TRUE(terminal_.Prints("two")) << terminal_.seen();
  terminal_.Type(kEndOfInput);
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=0")) << terminal_.seen();
}

TEST_F(JobControlTest, InterruptEndsTheCommandAndTheLoopAroundIt) {
  terminal_.Type("for i in 1 2 3; do ahead run -- cat; done; echo after the loop\n");
  terminal_.Type("one\n");
  ASSERT_TRUE(terminal_.Prints("one")) << terminal_.seen();
  terminal_.Type(kInterrupt);
  ASSERT_TRUE(terminal_.Prints("% ")) << terminal_.seen();
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=130")) << terminal_.seen();
  EXPECT_EQ(terminal_.seen().find("after the loop"), std::string::npos);
}

TEST_F(JobControlTest, InterruptThatTheCommandHandlesEndsNothing) {
  terminal_.Type(
      "ahead run -- sh -c 'trap \"echo caught\" INT; echo ready; until read x; do :; done; echo read $x; exit 6'\n");
  ASSERT_TRUE(terminal_.Prints("ready")) << terminal_.seen();
  terminal_.Type(kInterrupt);
  ASSERT_TRUE(terminal_.Prints("caught")) << terminal_.seen();
  terminal_.Type("line\n");
  ASSERT_TRUE(terminal_.Prints("read line")) << terminal_.seen();
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=6")) << terminal_.seen();
}

TEST_F(JobControlTest, KilledJobIsKilled) {
  terminal_.Type("ahead run -- sh -c 'echo ready; exec tail -f /dev/null' &\n");
  ASSERT_TRUE(terminal_.Prints("ready")) << terminal_.seen();
  terminal_.Type("kill %1\n");
  EXPECT_TRUE(terminal_.Prints("Exit 143")) << terminal_.seen();
}

TEST_F(JobControlTest, ShellUnderTheRunHasJobControlOfItsOwn) {
  terminal_.Type("ahead run -- bash --norc --noprofile --noediting -i\n");
  terminal_.Type("set -b; cat\n");
  terminal_.Type("one\n");
  ASSERT_TRUE(terminal_.Prints("one")) << terminal_.seen();
  terminal_.Type(kSuspend);
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("fg\n");
  ASSERT_TRUE(terminal_.Prints("cat")) << terminal_.seen();
  terminal_.Type("two\n");
  ASSERT_TRUE(terminal_.Prints("two")) << terminal_.seen();
  terminal_.Type(kEndOfInput);
  terminal_.Type("suspend -f\n");
  ASSERT_TRUE(terminal_.Prints("Stopped")) << terminal_.seen();
  terminal_.Type("fg\n");
  ASSERT_TRUE(terminal_.Prints("ahead run -- bash")) << terminal_.seen();
  terminal_.Type("echo still $((40 + 2))\n");
  ASSERT_TRUE(terminal_.Prints("still 42")) << terminal_.seen();
  terminal_.Type("exit 9\n");
  terminal_.Type("echo status=$?\n");
  EXPECT_TRUE(terminal_.Prints("status=9")) << terminal_.seen();
}

}  // namespace
}  // namespace ahead::test
