// `ahead run` and `ahead ab` with the library of this build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class EngineTest : public testing::Test {
 protected:
  Folder folder_;
  std::string file_ = folder_.Write("file", std::string(300000, 'x'));
};

TEST_F(EngineTest, StatisticsFileHoldsEveryRun) {
  const std::string stats = folder_ / "stats";
  for (int run = 1; run <= 2; ++run) {
    ASSERT_TRUE(RunProgram({AHEAD, "run", "--stats", stats, "--", "/bin/cat", file_}).exited_with(0));
    const auto counted = nlohmann::json::parse(RunProgram({AHEAD, "stats", stats, "--format", "json"}).output);
    EXPECT_EQ(counted["process_count"], run);
    EXPECT_EQ(counted["counters"]["read_bytes"], 300000 * run);
  }
}

TEST_F(EngineTest, FileForEachProcessLeavesNothingToSumUp) {
  const Ended ended = RunProgram({AHEAD, "run", "--tables", "--stats", folder_ / "%p", "--", "/bin/cat", file_});
  EXPECT_TRUE(ended.exited_with(0));
  EXPECT_EQ(ended.errors,
            "ahead run: no tables: each process has a statistics file of its own, " + folder_ / "%p" + "\n");
}

TEST_F(EngineTest, RelativeTraceIsOneOfTheFolderInWhichTheProgramStarts) {
  std::filesystem::create_directories(folder_ / "below");
  Process shell({"/bin/sh", "-c", "cd below; read line <../file"}, [&] {
    setenv("LD_PRELOAD", AHEAD_SHIM, 1);
    setenv("AHEAD_TRACE", "trace", 1);
    if (chdir(folder_.path().c_str()) != 0) _exit(99);
  });
  EXPECT_EQ(shell.Finish().errors, "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "trace"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "below/trace"));
}

// A command that reads the file and then waits for a fifo, so that it can be killed in between.
class KilledRunTest : public EngineTest {
 protected:
  void SetUp() override { ASSERT_EQ(mkfifo(fifo_.c_str(), 0600), 0); }

  // Starts `shell_command`, in which READ stands for the reading, and waits until the file is read.
  void Start(std::string shell_command) {
    const std::string read = "echo $$; exec cat " + file_ + " " + fifo_ + " >/dev/null";
    shell_command.replace(shell_command.find("READ"), 4, read);
    run_ = std::make_unique<Process>(
        std::vector<std::string>{AHEAD, "run", "--tables", "--stats", stats_, "--", "/bin/sh", "-c", shell_command});
    reader_ = std::stoi(run_->ReadLine());
    gate_ = open(fifo_.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(gate_, 0);
  }
  void TearDown() override { close(gate_); }
  uint64_t BytesCounted() const {
    return nlohmann::json::parse(
        RunProgram({AHEAD, "stats", stats_, "--format", "json"}).output)["counters"]["read_bytes"];
  }

  std::string fifo_ = folder_ / "fifo";
  std::string stats_ = folder_ / "stats";
  std::unique_ptr<Process> run_;
  pid_t reader_ = -1;
  int gate_ = -1;
};

TEST_F(KilledRunTest, StatisticsSurviveTheDeathOfTheProgram) {
  Start("READ");
  EXPECT_EQ(BytesCounted(), 300000) << "live";
  kill(reader_, SIGKILL);
  const Ended ended = run_->Finish();
  EXPECT_TRUE(ended.exited_with(128 + SIGKILL)) << ended.wait_status;
  EXPECT_THAT(ended.errors, HasSubstr("[table summary]"));
  EXPECT_EQ(BytesCounted(), 300000);
}

TEST_F(KilledRunTest, StatisticsSurviveTheDeathOfAGrandchild) {
  Start("sh -c 'READ'; exit 3");
  kill(reader_, SIGKILL);
  EXPECT_TRUE(run_->Finish().exited_with(3));
  EXPECT_EQ(BytesCounted(), 300000);
}

TEST_F(KilledRunTest, StatisticsFileSurvivesTheDeathOfAheadAndTheCommandCountsOn) {
  Start("READ");
  kill(run_->pid(), SIGKILL);
  EXPECT_EQ(run_->Wait(), SIGKILL);
  EXPECT_EQ(BytesCounted(), 300000);
  EXPECT_EQ(kill(reader_, 0), 0) << "the command is not taken along";
  // The pipe of its errors is closed when the command has ended, too.
  close(std::exchange(gate_, -1));
  EXPECT_EQ(run_->ReadLine(), "");
  EXPECT_EQ(BytesCounted(), 300000);
}

TEST_F(EngineTest, ProgramForMuslRunsWithoutTheLibraryItWouldDieOf) {
#ifdef MUSL_GCC
  const std::string source = folder_.Write("program.c", "int main(void) { return 7; }\n");
  const std::string program = folder_ / "program";
  ASSERT_TRUE(RunProgram({MUSL_GCC, "-o", program, source}).exited_with(0));
  const Ended ended = RunProgram({AHEAD, "run", "--", program});
  EXPECT_TRUE(ended.exited_with(7)) << ended.wait_status;
  EXPECT_EQ(ended.errors, "ahead run: ahead is not active in '" + program + "': it is linked to musl, not to glibc\n");
#else
  GTEST_SKIP() << "musl-gcc was not there when the tests were configured";
#endif
}

TEST_F(EngineTest, ArmsWithTheEngineHaveTablesAndBareHasNone) {
  const Ended ended = RunProgram(
      {AHEAD, "ab", "--arm", "bare", "--arm", "on", "--cold", "none", "--runs", "2", "--", "/bin/cat", file_});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("Events of all runs of on:\n\n[table requests]"));
  EXPECT_THAT(ended.output, Not(HasSubstr("of all runs of bare")));
}

}  // namespace
}  // namespace ahead::test
