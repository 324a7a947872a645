// `ahead ab` as a user sees it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class AbCommandTest : public testing::Test {
 protected:
  Ended Ab(std::vector<std::string> words) const {
    words.insert(words.begin(), {installed_.ahead(), "ab"});
    return RunProgram(words);
  }
  // Two arms whose settings a shell can see, and a shell command.
  Ended AbShell(const std::string& shell_command, std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--arm", "low:ratio=10", "--arm", "high:ratio=20", "--cold", "none", "--runs", "2",
                                   "--", "/bin/sh", "-c", shell_command});
    return Ab(options);
  }
  void ExpectBadUsage(const std::vector<std::string>& words, const std::string& said) const {
    const Ended ended = Ab(words);
    EXPECT_TRUE(ended.exited_with(2)) << ended.wait_status;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.errors, "ahead ab: " + said + "\n");
  }

  Installation installed_;
  Folder folder_;
};

TEST_F(AbCommandTest, EveryArmRunsOnceInEachRoundAndAllTimesAreKept) {
  const std::string json = folder_ / "result.json";
  const Ended ended = Ab({"--arm", "bare", "--arm", "one:ratio=10", "--arm", "two:ratio=20,hit_rate=2", "--cold",
                          "none", "--runs", "6", "--seed", "5", "--json", json, "--", "/bin/echo", "secret"});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("7 bytes, exit status 0, the same in all runs"));
  EXPECT_THAT(ended.output, HasSubstr("(seed 5)"));

  const std::string text = ReadFile(json);
  EXPECT_THAT(text, Not(HasSubstr("secret"))) << "arguments do not belong into a report";
  const auto result = nlohmann::json::parse(text);
  EXPECT_EQ(result["program"], "echo");
  ASSERT_EQ(result["arms"].size(), 3);
  for (const auto& arm : result["arms"]) {
    EXPECT_EQ(arm["real_s"].size(), 6);
    EXPECT_EQ(arm["user_s"].size(), 6);
    for (const double real_s : arm["real_s"]) EXPECT_GT(real_s, 0);
  }
  EXPECT_EQ(result["arms"][2]["options"], "ratio=20\nhit_rate=2\n");
  EXPECT_EQ(result["comparisons"].size(), 2);
  for (const auto& order : result["orders"]) {
    std::vector<int> arms = order;
    std::sort(arms.begin(), arms.end());
    EXPECT_THAT(arms, testing::ElementsAre(0, 1, 2));
  }
}

TEST_F(AbCommandTest, SameSeedGivesTheSameOrder) {
  const auto order = [&](const std::string& seed) {
    const std::string output = AbShell("true", {"--seed", seed}).output;
    return output.substr(output.find("order"), output.find("(seed") - output.find("order"));
  };
  EXPECT_EQ(order("7"), order("7"));
}

TEST_F(AbCommandTest, ArmInWhichNoProcessCountedHasNoTables) {
  // The stand-in counts nothing.
  const Ended ended = Ab({"--arm", "bare", "--arm", "on", "--cold", "none", "--runs", "1", "--", "/bin/true"});
  EXPECT_THAT(ended.output, HasSubstr("No events of on: ahead was active in none of its processes"));
  EXPECT_THAT(ended.output, Not(HasSubstr("[table requests]")));
}

TEST_F(AbCommandTest, BareRunsWithoutTheLibraryAndOthersWithIt) {
  const Ended ended = Ab({"--arm", "bare", "--arm", "on", "--cold", "none", "--runs", "1", "--", "/bin/sh", "-c",
                          "echo loaded=$STAND_IN_LOADED"});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_THAT(ended.errors, HasSubstr("'loaded=' from the first run (bare) and 'loaded=1' from a run of on"));
}

TEST_F(AbCommandTest, SettingsOfTheCallerDoNotReachTheArms) {
  const Ended ended = Process({installed_.ahead(), "ab", "--arm", "bare", "--arm", "on", "--cold", "none", "--runs",
                               "1", "--ignore-output", "--", "/bin/sh", "-c", "test \"$AHEAD_RATIO\" = ''"},
                              [] { setenv("AHEAD_RATIO", "30", 1); })
                          .Finish();
  EXPECT_THAT(ended.output, HasSubstr("exit status 0"));
}

TEST_F(AbCommandTest, DifferentOutputIsRefusedAndTheDifferenceNamed) {
  const Ended ended = AbShell("echo same; echo ratio $AHEAD_RATIO");
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors,
              HasSubstr("line 2 is 'ratio 10' from the first run (low) and 'ratio 20' from a run of high"));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1);
}

TEST_F(AbCommandTest, DifferentOutputMayBeIgnored) {
  const Ended ended = AbShell("echo ratio $AHEAD_RATIO", {"--ignore-output"});
  EXPECT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("output not compared"));
}

TEST_F(AbCommandTest, DifferentStatusIsRefusedAndWhatTheCommandSaidIsShown) {
  const Ended ended = AbShell("echo complaint $AHEAD_RATIO >&2; exit $AHEAD_RATIO", {"--ignore-output"});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_THAT(ended.errors, HasSubstr("ended with status 10 and wrote 'complaint 10'"));
  EXPECT_THAT(ended.errors, HasSubstr("ended with status 20 and wrote 'complaint 20'"));
}

TEST_F(AbCommandTest, StatusThatIsTheSameEverywhereIsNoObstacle) {
  const Ended ended = AbShell("exit 3");
  EXPECT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("exit status 3"));
}

TEST_F(AbCommandTest, TwoPairsAreTooFewForAVerdict) {
  EXPECT_THAT(AbShell("true").output, HasSubstr("too few pairs to compare high with low: 2, at least 6 are needed"));
}

TEST_F(AbCommandTest, BadUsageIsRefusedInOneLine) {
  const std::string two = "2 to 26 arms can be compared, e.g. --arm bare --arm ratio100:ratio=100";
  ExpectBadUsage({"--arm", "bare", "--", "true"}, "--arm: given 1 times; " + two);
  ExpectBadUsage({"--", "true"}, "--arm: given 0 times; " + two);
  ExpectBadUsage({"--arm", "x", "--arm", "x", "--", "true"}, "--arm: two arms are named 'x'; names must differ");
  ExpectBadUsage({"--arm", "bare", "--arm", "x:ratio=101", "--", "true"},
                 "--arm: 'x:ratio=101': ratio: '101' is not a whole number from 0 to 100");
  ExpectBadUsage({"--arm", "bare", "--arm", "x:ratoi=1", "--", "true"},
                 "--arm: 'x:ratoi=1': ratoi: unknown option 'ratoi'; did you mean ratio?");
  ExpectBadUsage({"--runs", "0", "--arm", "bare", "--arm", "x", "--", "true"},
                 "--runs: '0' is not a whole number from 1 to 100000");
  ExpectBadUsage({"--cold", "ice", "--arm", "bare", "--arm", "x", "--", "true"},
                 "--cold: 'ice' is not one of auto, drop, evict, none");
  ExpectBadUsage({"--arms", "2", "--", "true"}, "unknown option --arms; did you mean --arm? (see --help)");
}

TEST_F(AbCommandTest, ReportThatCannotBeWrittenIsRefusedBeforeTheFirstRun) {
  const Ended ended = AbShell("echo ran >>" + folder_ / "ran", {"--json", "/nonexistent/report"});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_EQ(ended.errors, "ahead ab: --json: cannot write '/nonexistent/report': No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(AbCommandTest, CommandThatIsMissingIsSaid) {
  const Ended ended = Ab({"--arm", "bare", "--arm", "x", "--", "/nonexistent/command"});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_EQ(ended.errors, "ahead ab: cannot execute '/nonexistent/command': No such file or directory\n");
}

class AbSignalTest : public AbCommandTest, public testing::WithParamInterface<const char*> {};

TEST_P(AbSignalTest, SignalToAbAloneEndsTheRunAndThenAb) {
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  // The run that is reached tells through the fifo, then waits for the signal.
  const std::string command =
      "trap 'echo ended >" + folder_ / "ended" + "; exit 3' TERM; echo ready >" + fifo + "; read never <" + fifo;
  Process ab({installed_.ahead(), "ab", "--arm", "bare", "--arm", "on", "--cold", GetParam(), "--runs", "6", "--",
              "/bin/sh", "-c", command});
  char ready[8];
  const int fd = open(fifo.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GT(read(fd, ready, sizeof ready), 0);
  kill(ab.pid(), SIGTERM);
  const Ended ended = ab.Finish();
  close(fd);
  EXPECT_TRUE(WIFSIGNALED(ended.wait_status) && WTERMSIG(ended.wait_status) == SIGTERM) << ended.wait_status;
  EXPECT_EQ(ended.errors, "ahead ab: no comparison: ended by signal 15 (Terminated)\n");
  EXPECT_EQ(ReadFile(folder_ / "ended"), "ended\n") << "ab must outlive the command";
}

// With "evict" the first run is the one that is watched.
INSTANTIATE_TEST_SUITE_P(EachKindOfRun, AbSignalTest, testing::Values("none", "evict"));

TEST_F(AbCommandTest, EvictedFilesAreCheckedAndOneThatStaysIsNamed) {
  struct statfs system;
  ASSERT_EQ(statfs(folder_.path().c_str(), &system), 0);
  if (system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files of a tmpfs never leave memory";
  const std::string file = folder_.Write("file", std::string(100000, 'x'));
  const std::vector<std::string> words = {"--arm",  "bare", "--arm", "on",       "--cold", "evict",
                                          "--runs", "2",    "--",    "/bin/cat", file};
  EXPECT_THAT(Ab(words).output, HasSubstr("1 file, looked at 6 times: all cold"));

  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = mmap(nullptr, 100000, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const Ended held = Ab(words);
  munmap(mapped, 100000);
  close(fd);
  EXPECT_THAT(held.output, HasSubstr("NOT ALL COLD"));
  EXPECT_THAT(held.output, HasSubstr(file + ": up to 0.1 MB stayed in memory before"));
}

}  // namespace
}  // namespace ahead::test
