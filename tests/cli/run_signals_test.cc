// Signals and stops of `ahead run`, without a terminal.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

// In a process group of its own, with its parent in another one: not orphaned, so that the terminal's stops work.
void LeadGroup() { setpgid(0, 0); }

class RunSignalsTest : public testing::Test {
 protected:
  std::vector<std::string> Subject(std::vector<std::string> words) const {
    words.insert(words.begin(), {installed_.ahead(), "run", "--", SUBJECT});
    return words;
  }

  Installation installed_;
};

TEST_F(RunSignalsTest, TermAndUserSignalsArePassedOn) {
  Process run(Subject({"signals"}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  for (const int number : {SIGUSR1, SIGUSR2, SIGTERM}) {
    kill(run.pid(), number);
    EXPECT_EQ(run.ReadLine(), std::to_string(number));
  }
  EXPECT_TRUE(run.Finish().exited_with(0));
}

TEST_F(RunSignalsTest, HangupIsPassedOn) {
  Process run(Subject({"signals"}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  kill(run.pid(), SIGHUP);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGHUP));
  EXPECT_TRUE(run.Finish().exited_with(0));
}

TEST_F(RunSignalsTest, StopRequestIsPassedOnAndLeftToTheCommand) {
  Process run(Subject({"signals"}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  kill(run.pid(), SIGTSTP);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGTSTP));
  // The command did not stop, so neither did ahead.
  kill(run.pid(), SIGTERM);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGTERM));
  EXPECT_TRUE(run.Finish().exited_with(0));
}

TEST_F(RunSignalsTest, InterruptAndQuitAreLeftToTheCommand) {
  Process run(Subject({"signals"}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  kill(run.pid(), SIGINT);
  kill(run.pid(), SIGQUIT);
  kill(run.pid(), SIGUSR1);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGUSR1)) << "neither of the two came, and ahead lives";
  // To the whole group, as a terminal sends them: the command has its own.
  kill(-run.pid(), SIGINT);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGINT));
  kill(-run.pid(), SIGQUIT);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGQUIT));
  kill(run.pid(), SIGTERM);
  EXPECT_TRUE(run.Finish().exited_with(0));
}

TEST_F(RunSignalsTest, SignalToTheGroupIsNeverLost) {
  Process run(Subject({"signals"}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  kill(-run.pid(), SIGUSR1);
  EXPECT_EQ(run.ReadLine(), std::to_string(SIGUSR1));
  kill(-run.pid(), SIGTERM);
  // The first may come a second time, passed on: it cannot be told from one for ahead alone.
  std::string line = run.ReadLine();
  if (line == std::to_string(SIGUSR1)) line = run.ReadLine();
  EXPECT_EQ(line, std::to_string(SIGTERM));
  EXPECT_TRUE(run.Finish().exited_with(0));
}

TEST_F(RunSignalsTest, CommandKilledByAPassedOnSignalGivesItsStatus) {
  Process run({installed_.ahead(), "run", "--", "/bin/sh", "-c", "echo ready; exec cat <&4"}, [] {
    int never[2];
    if (pipe(never) == 0) dup2(never[0], 4);
  });
  ASSERT_EQ(run.ReadLine(), "ready");
  kill(run.pid(), SIGTERM);
  EXPECT_TRUE(run.Finish().exited_with(128 + SIGTERM));
}

TEST_F(RunSignalsTest, CommandKeepsTheProcessGroupOfItsCaller) {
  Process run({installed_.ahead(), "run", "--", "/usr/bin/cut", "-d ", "-f5", "/proc/self/stat"}, LeadGroup);
  EXPECT_EQ(run.ReadLine(), std::to_string(run.pid()));
  EXPECT_TRUE(run.Finish().exited_with(0));
}

class RunStopsTest : public RunSignalsTest, public testing::WithParamInterface<int> {};

TEST_P(RunStopsTest, StopAndContinueAreMirrored) {
  Process run(Subject({"stopped", std::to_string(GetParam())}), LeadGroup);
  ASSERT_EQ(run.ReadLine(), "ready");
  const int status = run.Wait(WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status)) << status;
  EXPECT_EQ(WSTOPSIG(status), GetParam());
  // To ahead alone.
  kill(run.pid(), SIGCONT);
  EXPECT_EQ(run.ReadLine(), "continued");
  EXPECT_TRUE(run.Finish().exited_with(7));
}

INSTANTIATE_TEST_SUITE_P(EachStop, RunStopsTest, testing::Values(SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP));

}  // namespace
}  // namespace ahead::test
