#include "cli/run_segment.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "cli/memory_facts.h"
#include "stats/segment_map.h"
#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

// Counts as a program of the run does.
void CountReads(const std::string& path, uint64_t reads) {
  SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  ASSERT_TRUE(segment);
  Block* block = ClaimBlock(segment, getpid());
  ASSERT_NE(block, nullptr);
  Bump(block->counters.reads_seen, reads);
  UnmapSegment(segment);
}

TEST(RunSegmentTest, SaysHowMuchMemoryItsProgramsShare) {
  const int64_t there = Budget().Look(LookAtMemory().now).value;
  if (there == 0) GTEST_SKIP() << "neither a limit nor what is available can be read here";
  Environment environment(std::vector<std::string>{});
  const auto made = RunSegment::Create(environment);
  ASSERT_TRUE(made.ok());
  made->ExportTo(environment);
  const SegmentView segment = MapSegmentFile(environment.Get("AHEAD_SESSION")->c_str(), MapMode::kOpen);
  ASSERT_TRUE(segment);
  // What is available changes meanwhile.
  EXPECT_GT(segment->memory_bytes, there / 4);
  EXPECT_LT(segment->memory_bytes, there * 4);
  UnmapSegment(segment);
}

TEST(RunSegmentTest, WithoutStatisticsFileProgramsFindASessionAndItsOptions) {
  Environment environment({"AHEAD_RATIO=20"});
  const auto segment = RunSegment::Create(environment);
  ASSERT_TRUE(segment.ok());
  segment->ExportTo(environment);
  CountReads(*environment.Get("AHEAD_SESSION"), 3);
  EXPECT_EQ(segment->Read()->total.counters.reads_seen, 3);
  EXPECT_EQ(segment->Read()->options, "ratio=20\n");
  EXPECT_EQ(segment->Read()->session_pid, getpid());
}

TEST(RunSegmentTest, StatisticsFileTakesThePlaceOfASessionAndOnlyNewCountsAreRead) {
  const test::Folder folder;
  Environment environment({"AHEAD_STATS=" + folder / "counts", "AHEAD_SESSION=/of/an/outer/run"});
  {
    const auto earlier = RunSegment::Create(environment);
    ASSERT_TRUE(earlier.ok());
    CountReads(folder / "counts", 5);
    EXPECT_EQ(earlier->Read()->total.counters.reads_seen, 5);
  }
  const auto segment = RunSegment::Create(environment);
  ASSERT_TRUE(segment.ok());
  segment->ExportTo(environment);
  EXPECT_FALSE(environment.Get("AHEAD_SESSION"));
  EXPECT_EQ(segment->Read()->total.counters.reads_seen, 0);
  CountReads(folder / "counts", 2);
  EXPECT_EQ(segment->Read()->total.counters.reads_seen, 2);
}

TEST(RunSegmentTest, CountsBeforeARestartAreLeftOut) {
  Environment environment(std::vector<std::string>{});
  auto segment = RunSegment::Create(environment);
  ASSERT_TRUE(segment.ok());
  segment->ExportTo(environment);
  CountReads(*environment.Get("AHEAD_SESSION"), 3);
  ASSERT_TRUE(segment->Restart().ok());
  CountReads(*environment.Get("AHEAD_SESSION"), 4);
  EXPECT_EQ(segment->Read()->total.counters.reads_seen, 4);
}

TEST(RunSegmentTest, StatisticsFileThatCannotBeMadeIsAnErrorOfItsOwn) {
  EXPECT_TRUE(absl::IsFailedPrecondition(RunSegment::Create(Environment({"AHEAD_STATS=/nonexistent/file"})).status()));
  EXPECT_TRUE(absl::IsUnavailable(RunSegment::Create(Environment({"AHEAD_STATS=/tmp/file.%p"})).status()));
}

}  // namespace
}  // namespace ahead::cli
