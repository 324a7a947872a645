#include "cli/timed_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

TimedRun RunWords(const std::vector<std::string>& words) {
  const SignalScope signals(kTimedRunSignals);
  Environment environment = Environment::Inherited();
  return RunTimed([&](const Streams& streams) { return Launch(words[0], words, environment, signals, streams); },
                  signals);
}

TimedRun RunShell(const std::string& command) { return RunWords({"/bin/sh", "-c", command}); }

TEST(TimedRunTest, StatusOutputAndErrorsAreTheCommands) {
  const TimedRun run = RunShell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(run.launch_error, 0);
  EXPECT_EQ(WEXITSTATUS(run.wait_status), 3);
  EXPECT_EQ(run.output.start, "out\n");
  EXPECT_EQ(run.output.bytes, 4);
  EXPECT_EQ(run.errors, "err\n");
  EXPECT_GT(run.real_s, 0);
}

TEST(TimedRunTest, InputIsEmpty) { EXPECT_EQ(RunShell("cat; echo end").output.start, "end\n"); }

TEST(TimedRunTest, OutputIsTheSameHoweverItIsWritten) {
  const Output whole = RunShell("printf abcdef").output;
  EXPECT_EQ(RunShell("printf ab; printf cd; printf ef").output, whole);
  EXPECT_FALSE(RunShell("printf abcdeg").output == whole);
  EXPECT_FALSE(RunShell("printf abcde").output == whole);
}

TEST(TimedRunTest, LongOutputIsReadToItsEndAndItsLastByteCounts) {
  const Output whole = RunShell("head -c 5000000 /dev/zero").output;
  EXPECT_EQ(whole.bytes, 5000000);
  EXPECT_EQ(RunShell("head -c 2500000 /dev/zero; head -c 2500000 /dev/zero").output, whole);
  EXPECT_FALSE(RunShell("head -c 4999999 /dev/zero; printf x").output == whole);
}

TEST(TimedRunTest, ChildrenThatRunOnAreNotWaitedFor) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  // It keeps the output open until the gate is closed, which happens after the run.
  const TimedRun run = RunShell("cat <&" + std::to_string(gate[0]) + " " + std::to_string(gate[1]) + ">&- & echo done");
  EXPECT_EQ(run.output.start, "done\n");
  close(gate[0]);
  close(gate[1]);
}

TEST(TimedRunTest, ProgramThatCannotBeStartedGivesItsErrno) {
  EXPECT_EQ(RunWords({"/nonexistent/program"}).launch_error, ENOENT);
}

TEST(TimedRunTest, DeathBySignalIsKept) {
  const TimedRun run = RunShell("kill -9 $$");
  ASSERT_TRUE(WIFSIGNALED(run.wait_status));
  EXPECT_EQ(WTERMSIG(run.wait_status), 9);
}

TEST(TimedRunTest, RequestToEndIsPassedOnAndNoted) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string name = std::to_string(number);
    const TimedRun run = RunShell("trap 'echo got " + name + "; exit 4' " + name + "; kill -" + name +
                                  " $PPID; while :; do read x </dev/null; done");
    EXPECT_EQ(run.interrupted_by, number);
    EXPECT_EQ(run.output.start, "got " + name + "\n");
    EXPECT_EQ(WEXITSTATUS(run.wait_status), 4);
  }
}

TEST(TimedRunTest, DifferenceNamesTheLine) {
  const Output a = RunShell("printf 'one\\ntwo\\nthree\\n'").output;
  const Output b = RunShell("printf 'one\\ntwx\\nthree\\n'").output;
  const Output shorter = RunShell("printf 'one\\n'").output;
  EXPECT_EQ(DescribeDifference(a, "A", b, "B"), "line 2 is 'two' from A and 'twx' from B");
  EXPECT_EQ(DescribeDifference(a, "A", shorter, "B"), "line 2 is 'two' from A and '' from B");
}

TEST(TimedRunTest, DifferenceFarBehindNamesTheLengths) {
  const Output a = RunShell("head -c 100000 /dev/zero").output;
  const Output b = RunShell("head -c 100001 /dev/zero").output;
  EXPECT_EQ(DescribeDifference(a, "A", b, "B"), "A printed 100000 bytes, B 100001, different after the first 65536");
}

}  // namespace
}  // namespace ahead::cli
