// What the environment tells the library, and what it says back: one line on standard error, never more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/shim/host.h"

namespace ahead::shim_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr size_t kTextBytes = 1'000'000;

class SettingsTest : public testing::Test {
 protected:
  Outcome Read(Words variables) { return RunPreloaded({Host("entry_points"), text_}, std::move(variables)); }
  void ExpectOneLine(const Outcome& outcome, const std::string& what, const std::string& accepted) {
    EXPECT_EQ(outcome.out, bare_.out);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(what), HasSubstr(accepted)));
  }

  TemporaryFolder folder_;
  const std::string text_ = folder_.WriteText("text", kTextBytes);
  const std::string stats_ = folder_.Path("stats");
  const Outcome bare_ = RunBare({Host("entry_points"), text_});
};

TEST_F(SettingsTest, ReadsAreCountedInTheStatisticsFile) {
  EXPECT_EQ(Read({"AHEAD_STATS=" + stats_}), bare_);
  const auto counted = ReadStatistics(stats_);
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->processes, 1u);
  EXPECT_EQ(counted->counters.files_tracked, 1u);
  // entry_points passes over the file 25 times, and begins a pass with getc, whose refills are not seen. A refill is
  // missed where a line is much longer than those before it.
  EXPECT_GT(counted->counters.read_bytes, 25 * kTextBytes - kTextBytes / 4);
  EXPECT_LE(counted->counters.read_bytes, 25 * kTextBytes + kTextBytes / 4);
}

TEST_F(SettingsTest, OffSeesNothingAndSaysNothing) {
  EXPECT_EQ(Read({"AHEAD_OFF=1", "AHEAD_STATS=" + stats_, "AHEAD_RATIO=nonsense"}), bare_);
  EXPECT_EQ(ReadStatistics(stats_), nullptr);
}

TEST_F(SettingsTest, BadNumberIsNamedWithWhatIsAccepted) {
  ExpectOneLine(Read({"AHEAD_RATIO=101"}), "AHEAD_RATIO=101", "from 0 to 100");
}

TEST_F(SettingsTest, BadSizeIsNamedWithWhatIsAccepted) {
  ExpectOneLine(Read({"AHEAD_MAX=1"}), "AHEAD_MAX=1", "from 128KiB to 32MiB");
}

TEST_F(SettingsTest, BadValueOfOffIsNamedAndNotObeyed) {
  ExpectOneLine(Read({"AHEAD_OFF=yes", "AHEAD_STATS=" + stats_}), "AHEAD_OFF=yes", "from 0 to 1");
  EXPECT_NE(ReadStatistics(stats_), nullptr);
}

TEST_F(SettingsTest, ControlCharactersOfAValueAreNotShown) {
  const Outcome outcome = Read({"AHEAD_RATIO=\x1b[2J\n7"});
  ExpectOneLine(outcome, "AHEAD_RATIO=?[2J?7", "from 0 to 100");
}

TEST_F(SettingsTest, UnusableStatisticsFileIsNamed) {
  ExpectOneLine(Read({"AHEAD_STATS=/nonexist/stats"}), "AHEAD_STATS=/nonexist/stats", "cannot be used");
}

TEST_F(SettingsTest, ForeignFileIsNotWrittenTo) {
  const Outcome outcome = Read({"AHEAD_STATS=" + text_});
  ExpectOneLine(outcome, "AHEAD_STATS=" + text_, "cannot be used");
}

// Not the shell before it is preloaded, which would say it, too.
TEST_F(SettingsTest, WhatIsSaidEndsNoHostThatNobodyListensTo) {
  EXPECT_EQ(RunBare({Host("unread_stderr"), "env", "LD_PRELOAD=" AHEAD_LIBRARY, "AHEAD_RATIO=101", "cat", text_}),
            RunBare({"cat", text_}));
}

TEST_F(SettingsTest, WhatIsSaidEndsNoHostWhoseFilesMayNotGrow) {
  EXPECT_EQ(
      RunBare({"sh", "-c", "ulimit -f 0; exec env LD_PRELOAD=" AHEAD_LIBRARY " AHEAD_RATIO=101 cat \"$0\" 2> \"$1\"",
               text_, folder_.Path("err")}),
      RunBare({"cat", text_}));
}

TEST_F(SettingsTest, StaleSessionIsPassedByInSilence) { EXPECT_EQ(Read({"AHEAD_SESSION=/proc/1/fd/12345"}), bare_); }

TEST_F(SettingsTest, ExcludedFilesAreNotWatched) {
  EXPECT_EQ(Read({"AHEAD_STATS=" + stats_, "AHEAD_EXCLUDE=/nothing:*/te?t"}), bare_);
  EXPECT_EQ(ReadStatistics(stats_)->counters.reads_seen, 0u);
}

TEST_F(SettingsTest, OnlyIncludedFilesAreWatched) {
  EXPECT_EQ(Read({"AHEAD_STATS=" + stats_, "AHEAD_INCLUDE=*/text"}), bare_);
  EXPECT_EQ(ReadStatistics(stats_)->counters.files_tracked, 1u);
  const std::string other = folder_.Path("other");
  EXPECT_EQ(Read({"AHEAD_STATS=" + other, "AHEAD_INCLUDE=*/other"}), bare_);
  EXPECT_EQ(ReadStatistics(other)->counters.files_tracked, 0u);
}

TEST_F(SettingsTest, IncludedFilesAreWatchedAlsoWhenManyThreadsMeetThemAtOnce) {
  constexpr uint64_t kRounds = 40, kReadsARound = 16 * 64;
  const Words first_reads = {Host("first_reads"), text_, std::to_string(kRounds)};
  ASSERT_EQ(RunPreloaded(first_reads, {"AHEAD_STATS=" + stats_, "AHEAD_INCLUDE=*/text"}).out, "done\n");
  const auto counted = ReadStatistics(stats_);
  ASSERT_NE(counted, nullptr);
  // A descriptor that was given up is not counted at all.
  EXPECT_GT(counted->counters.reads_seen + counted->counters.observations_dropped, kRounds * kReadsARound * 9 / 10);
}

TEST_F(SettingsTest, EachProcessHasAFileOfItsOwnWhereThePatternSaysSo) {
  ASSERT_EQ(RunPreloaded({Host("shared_offset"), text_}, {"AHEAD_STATS=" + folder_.Path("of-%p")}).status, 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.Path("")))
    files += entry.path().filename().string().rfind("of-", 0) == 0;
  EXPECT_EQ(files, 2);
}

}  // namespace
}  // namespace ahead::shim_test
