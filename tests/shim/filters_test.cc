// Programs started under a filter of system calls: one that kills for calls of ours must not find any, one that only
// refuses is no reason to stay away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/host.h"

namespace ahead::shim_test {
namespace {

using testing::HasSubstr;

constexpr size_t kTextBytes = 4'000'000;
constexpr int kKilledForACall = 128 + 31;  // SIGSYS

class FiltersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RunBare({Host("deny"), "--", "true"}).status != 0) GTEST_SKIP() << "no system call filter may be set here";
  }

  // Runs the backward reader, or `before` and it, under a filter.
  Outcome Reader(const Words& filter, const Words& before, bool is_preloaded) {
    Words argv = {Host("deny")};
    argv.insert(argv.end(), filter.begin(), filter.end());
    argv.push_back("--");
    if (is_preloaded) argv.insert(argv.end(), {"env", "LD_PRELOAD=" AHEAD_LIBRARY});
    argv.insert(argv.end(), before.begin(), before.end());
    argv.insert(argv.end(), {Host("backward"), text_});
    return RunBare(argv);
  }

  TemporaryFolder folder_;
  const std::string text_ = folder_.WriteText("text", kTextBytes);
  const std::string stats_ = folder_.Path("statistics");
};

TEST_F(FiltersTest, ProgramUnderADeadlyFilterLives) {
  for (const char* call : {"readahead=kill", "cachestat=kill", "statx=kill", "madvise=kill"}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(Reader({"--untold", call}, {}, true), Reader({"--untold", call}, {}, false));
  }
}

// Else the test above shows nothing.
TEST_F(FiltersTest, TheLibraryMakesACallThatIsDeadlyWhenToldOtherwise) {
  EXPECT_EQ(Reader({"statx=kill"}, {}, true).status, kKilledForACall);
}

TEST_F(FiltersTest, RunSaysThatItIsNotActiveUnderADeadlyFilter) {
  const Outcome outcome = Reader({"--untold", "cachestat=kill"}, {AHEAD, "run", "--"}, false);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("ahead is not active in"));
  EXPECT_THAT(outcome.err, HasSubstr("seccomp"));
}

TEST_F(FiltersTest, RunIsActiveUnderAFilterThatOnlyRefuses) {
  const Outcome outcome = Reader({"--untold", "cachestat=1"}, {AHEAD, "run", "--stats", stats_, "--"}, false);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const auto counted = ReadStatistics(stats_);
  ASSERT_NE(counted, nullptr);
  EXPECT_GE(counted->counters.read_bytes, kTextBytes);
}

TEST_F(FiltersTest, MoreFiltersThanWereTriedAreNotTrusted) {
  const Outcome outcome = Reader(
      {"cachestat=1"},
      {Host("deny"), "--untold", "readahead=kill", "--", "env", "AHEAD_FILTERS=1", "LD_PRELOAD=" AHEAD_LIBRARY}, false);
  EXPECT_EQ(outcome.status, 0);
}

}  // namespace
}  // namespace ahead::shim_test
