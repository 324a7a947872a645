// `ahead run` and `ahead ab` with the library of this build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

TEST_F(EngineTest, ArmsWithTheEngineHaveTablesAndBareHasNone) {
  const Ended ended = RunProgram(
      {AHEAD, "ab", "--arm", "bare", "--arm", "on", "--cold", "none", "--runs", "2", "--", "/bin/cat", file_});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("Events of all runs of on:\n\n[table requests]"));
  EXPECT_THAT(ended.output, Not(HasSubstr("of all runs of bare")));
}

}  // namespace
}  // namespace ahead::test
