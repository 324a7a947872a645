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

  // Types `line`; fails unless `answer` is printed then.
  void Type(const std::string& line, const std::string& answer) {
    terminal_.Type(line);
    ASSERT_TRUE(terminal_.Prints(answer)) << "no '" << answer << "' after '" << line << "' in:\n" << terminal_.seen();
  }
  void ExpectStatus(int status) { Type("echo status=$?\n", "status=" + std::to_string(status)); }
  // Of a job whose last command is `cat`: stopped now, it goes on in the foreground and ends well.
  void ContinueCat(const std::string& shown) {
    Type("fg\n", shown);
    Type("two\n", "two");
    terminal_.Type(kEndOfInput);
  }

  Installation installed_;
  Terminal terminal_;
};

TEST_F(JobControlTest, SuspendedJobContinuesInTheForeground) {
  Type("ahead run -- cat\none\n", "one");
  Type(kSuspend, "Stopped");
  ContinueCat("ahead run -- cat");
  ExpectStatus(0);
}

TEST_F(JobControlTest, StoppedJobContinuesInTheBackground) {
  Type("ahead run -- sh -c 'kill -STOP $$; echo resumed; exit 3'\n", "Stopped");
  Type("bg\n", "resumed");
  EXPECT_TRUE(terminal_.Prints("Exit 3")) << terminal_.seen();
}

TEST_F(JobControlTest, BackgroundJobThatReadsTheTerminalIsStopped) {
  Type("ahead run -- cat &\n", "Stopped");
  ContinueCat("ahead run -- cat");
  ExpectStatus(0);
}

TEST_F(JobControlTest, PipelineIsOneJob) {
  Type("ahead run -- cat | ahead run -- cat\none\n", "one");
  Type(kSuspend, "Stopped");
  ContinueCat("ahead run -- cat");
  ExpectStatus(0);
}

TEST_F(JobControlTest, InterruptEndsTheCommandAndTheLoopAroundIt) {
  Type("for i in 1 2 3; do ahead run -- cat; done; echo after the loop\none\n", "one");
  Type(kInterrupt, "% ");
  ExpectStatus(130);
  EXPECT_EQ(terminal_.seen().find("after the loop"), std::string::npos);
}

TEST_F(JobControlTest, InterruptThatTheCommandHandlesEndsNothing) {
  Type("ahead run -- sh -c 'trap \"echo caught\" INT; echo ready; until read x; do :; done; echo read $x; exit 6'\n",
       "ready");
  Type(kInterrupt, "caught");
  Type("line\n", "read line");
  ExpectStatus(6);
}

TEST_F(JobControlTest, KilledJobIsKilled) {
  Type("ahead run -- sh -c 'echo ready; exec tail -f /dev/null' &\n", "ready");
  Type("kill %1\n", "Exit 143");
}

TEST_F(JobControlTest, ShellUnderTheRunHasJobControlOfItsOwn) {
  terminal_.Type("ahead run -- bash --norc --noprofile --noediting -i\n");
  Type(
      "set -b; cat\n"
      "one\n",
      "one");
  Type(kSuspend, "Stopped");
  ContinueCat("cat");
  Type("suspend -f\n", "Stopped");
  Type("fg\n", "ahead run -- bash");
  Type("echo still $((40 + 2))\n", "still 42");
  terminal_.Type("exit 9\n");
  ExpectStatus(9);
}

}  // namespace
}  // namespace ahead::test
