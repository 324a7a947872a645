// Tiny programs, each of which does one thing that a careless preload breaks, run bare and under the preload: what they
// print and how they end must be equal. The cases are those of the field failures (A1 to A18), named in each program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/host.h"

namespace ahead::shim_test {
namespace {

using testing::HasSubstr;

constexpr size_t kTextBytes = 3'000'000;

class HostTest : public testing::Test {
 protected:
  // Returns what the preloaded run printed.
  Outcome ExpectSame(const Words& argv) {
    const Outcome bare = RunBare(argv);
    Outcome preloaded = RunPreloaded(argv);
    EXPECT_EQ(bare.out, preloaded.out);
    EXPECT_EQ(bare.err, preloaded.err);
    EXPECT_EQ(bare.status, preloaded.status);
    return preloaded;
  }

  TemporaryFolder folder_;
  const std::string text_ = folder_.WriteText("text", kTextBytes);
};

TEST_F(HostTest, ErrnoAndResultsStayTheCallers) { EXPECT_EQ(ExpectSame({Host("errno_table"), text_}).status, 85); }

TEST_F(HostTest, EachWayInGivesTheSameBytes) {
  EXPECT_THAT(ExpectSame({Host("entry_points"), text_}).out, HasSubstr("__fread_chk"));
}

TEST_F(HostTest, OddReadSizesGiveTheSameBytes) { ExpectSame({Host("entry_points"), text_, "0", "777"}); }

TEST_F(HostTest, VforkChildChangesNothingForItsParent) {
  const std::string stats = folder_.Path("stats");
  EXPECT_EQ(ExpectSame({Host("vfork_reader"), text_}).out, std::to_string(kTextBytes) + "\n");
  ASSERT_EQ(RunPreloaded({Host("vfork_reader"), text_}, {"AHEAD_STATS=" + stats}).status, 0);
  const auto counted = ReadStatistics(stats);
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->counters.files_tracked, 1u);
  EXPECT_EQ(counted->counters.read_bytes, kTextBytes);
}

TEST_F(HostTest, ChildrenOfThreadedProgramNeverHang) {
  EXPECT_EQ(ExpectSame({Host("fork_storm"), text_, "100"}).out, "bad children 0\n");
}

TEST_F(HostTest, ClosingAllDescriptorsFindsNoneOfOurs) {
  EXPECT_THAT(ExpectSame({Host("close_everything"), text_, folder_.Path("scratch")}).out, HasSubstr("first free 3\n"));
}

TEST_F(HostTest, RecordLocksSurviveReading) {
  EXPECT_EQ(ExpectSame({Host("record_locks"), text_}).out, "still locked\n");
}

TEST_F(HostTest, ProgramKeepsItsSingleThread) {
  EXPECT_THAT(ExpectSame({Host("single_thread"), text_}).out, HasSubstr("threads 1 "));
}

TEST_F(HostTest, BlockedSignalsStayPending) {
  EXPECT_EQ(ExpectSame({Host("blocked_signals"), text_}).out, "pending 1 1\nblocked 2\n");
}

TEST_F(HostTest, WorkGoesOnAfterTheDestructors) {
  for (int run = 0; run < 10; ++run) EXPECT_EQ(ExpectSame({Host("late_work"), text_}).status, 7);
}

TEST_F(HostTest, ReadsBeforeAnyConstructorWork) {
  const std::string size = std::to_string(kTextBytes);
  const std::string twice = std::to_string(2 * kTextBytes);
  EXPECT_EQ(ExpectSame({Host("early_reader"), text_}).out,
            size + " 100 3 " + size + "\n" + twice + " 100 3 " + twice + "\n");
}

TEST_F(HostTest, SmallestStacksAreEnough) {
  EXPECT_EQ(ExpectSame({Host("small_stacks"), text_}).out, "125696 125696 125696\n");
}

TEST_F(HostTest, CancelledThreadIsUnwoundThroughTheHook) {
  EXPECT_EQ(ExpectSame({Host("cancelled_read"), text_}).out,
            "destroyed 20 cleaned 20 read " + std::to_string(kTextBytes) + "\n");
}

TEST_F(HostTest, AwkwardAndChangingSizesAreReadAsTheyAre) {
  EXPECT_THAT(ExpectSame({Host("sizes"), folder_.Path("")}).out, HasSubstr("4294967301: 4194309 4194309 4194309\n"));
}

TEST_F(HostTest, MixturesOfStdioAndDescriptorsKeepTheirPlaces) {
  EXPECT_THAT(ExpectSame({Host("stdio_mixtures"), text_}).out, HasSubstr("popen from a pipe\n"));
}

TEST_F(HostTest, SharedOffsetsAreSharedAsBefore) { ExpectSame({Host("shared_offset"), text_}); }

TEST_F(HostTest, HandlersMayJumpOutOfAHook) {
  EXPECT_EQ(ExpectSame({Host("jump_out"), text_}).out, std::to_string(kTextBytes) + "\n");
}

// A section that was jumped out of must not end the watching for good.
TEST_F(HostTest, ReadsAreStillWatchedAfterJumps) {
  const std::string stats = folder_.Path("stats");
  ASSERT_EQ(RunPreloaded({Host("jump_out"), text_}, {"AHEAD_STATS=" + stats}).status, 0);
  const auto counted = ReadStatistics(stats);
  ASSERT_NE(counted, nullptr);
  EXPECT_GE(counted->counters.read_bytes, kTextBytes);
}

TEST_F(HostTest, NumberReusedUnseenDoesNotSteerTheWrongFile) {
  if (!folder_.IsOnDisk()) GTEST_SKIP() << "the temporary folder has no page cache to look at";
  const std::string first = folder_.WriteText("first", 32 << 20);
  const std::string second = folder_.WriteText("second", 32 << 20);
  EXPECT_EQ(ExpectSame({Host("reused_number"), first, second}).out, "resident pages 1\n");
}

TEST_F(HostTest, MoreOpenFilesThanPlacesAreReadAsTheyAre) {
  EXPECT_EQ(ExpectSame({Host("many_files"), folder_.Path(""), "1200"}).out, "wrong 0\n");
  const std::string stats = folder_.Path("stats");
  ASSERT_EQ(RunPreloaded({Host("many_files"), folder_.Path(""), "1200"}, {"AHEAD_STATS=" + stats}).status, 0);
  const auto counted = ReadStatistics(stats);
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->counters.files_tracked + counted->counters.files_untracked, 1200u);
  EXPECT_GE(counted->counters.files_untracked, 100u);
}

TEST_F(HostTest, NineHundredOpenFilesAreAllWatched) {
  const std::string stats = folder_.Path("stats");
  ASSERT_EQ(RunPreloaded({Host("many_files"), folder_.Path(""), "900"}, {"AHEAD_STATS=" + stats}).status, 0);
  const auto counted = ReadStatistics(stats);
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->counters.files_tracked, 900u);
  EXPECT_EQ(counted->counters.files_untracked, 0u);
  EXPECT_GE(counted->counters.reads_seen, 900u);
}

int64_t KilobytesOf(const std::string& text, const std::string& name) {
  const size_t at = text.find(name);
  return at == std::string::npos ? -1 : std::stoll(text.substr(at + name.size() + 1));
}

TEST_F(HostTest, MemoryStaysSmallWhateverTheLimitOfDescriptors) {
  const Outcome bare = RunBare({Host("memory"), text_});
  const Outcome preloaded = RunPreloaded({Host("memory"), text_});
  ASSERT_EQ(bare.err, preloaded.err);
  ASSERT_GT(KilobytesOf(bare.out, "VmPeak"), 0);
  EXPECT_LE(KilobytesOf(preloaded.out, "VmPeak"), KilobytesOf(bare.out, "VmPeak") + (64 << 10));
  EXPECT_LE(KilobytesOf(preloaded.out, "VmHWM"), KilobytesOf(bare.out, "VmHWM") + (4 << 10));
}

}  // namespace
}  // namespace ahead::shim_test
