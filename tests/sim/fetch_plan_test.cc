#include "sim/fetch_plan.h"

#include <gmock/gmock.h>

#include <set>

#include "sim/patterns.h"

namespace ahead::sim {
namespace {

using testing::ElementsAre;

Workload Reads(ByteCount file_size, std::vector<ByteRange> ranges) {
  Workload work;
  work.files.push_back({"file", 1, 1, file_size});
  work.readers = work.threads = 1;
  for (const ByteRange& range : ranges) {
    WorkStep read;
    read.range = range;
    work.steps.push_back(read);
  }
  return work;
}

ByteRange Pages(int64_t begin, int64_t end) { return {{begin * 4096}, {end * 4096}}; }

std::vector<ByteRange> RangesOf(const FetchPlan& plan) {
  std::vector<ByteRange> ranges;
  for (const FetchPiece& piece : plan.pieces) ranges.push_back(piece.range);
  return ranges;
}

TEST(FetchPlanTest, SequentialReadsAreFetchedInWholePieces) {
  const FetchPlan plan =
      PlanFetches(Reads(1_MiB, {Pages(0, 16), Pages(16, 32), Pages(32, 48), Pages(48, 64)}), FetchLimits{});
  EXPECT_THAT(RangesOf(plan), ElementsAre(Pages(0, 32), Pages(32, 64)));
  EXPECT_EQ(plan.pieces[1].needed_by, 2u);
  EXPECT_EQ(plan.bytes, 256_KiB);
}

TEST(FetchPlanTest, ReadsTowardsTheStartAreFetchedInWholePieces) {
  std::vector<ByteRange> reads;
  for (int64_t page = 63; page >= 0; --page) reads.push_back(Pages(page, page + 1));
  const FetchPlan plan = PlanFetches(Reads(1_MiB, reads), FetchLimits{});
  EXPECT_THAT(RangesOf(plan), ElementsAre(Pages(32, 64), Pages(0, 32)));
}

TEST(FetchPlanTest, OnlyWhatIsReadIsFetched) {
  const FetchPlan plan =
      PlanFetches(Reads(1_MiB, {Pages(0, 1), Pages(64, 65), Pages(2, 3), Pages(1, 2)}), FetchLimits{});
  EXPECT_THAT(RangesOf(plan), ElementsAre(Pages(0, 3), Pages(64, 65)));
}

TEST(FetchPlanTest, NeighboursNeededLateAreFetchedLate) {
  FetchLimits limits;
  limits.horizon = 16_KiB;
  std::vector<ByteRange> reads = {Pages(0, 1)};
  for (int64_t page = 100; page < 110; page += 2) reads.push_back(Pages(page, page + 1));
  reads.push_back(Pages(1, 2));
  const FetchPlan plan = PlanFetches(Reads(1_MiB, reads), limits);
  ASSERT_EQ(plan.pieces.size(), 7u);
  EXPECT_EQ(plan.pieces.front().range, Pages(0, 1));
  EXPECT_EQ(plan.pieces.back().range, Pages(1, 2));
}

TEST(FetchPlanTest, InterleavedReadersAreMergedToWholePieces) {
  const FetchPlan plan = PlanFetches(FindPattern("interleave")->make(8_MiB), FetchLimits{});
  EXPECT_EQ(plan.pieces.size(), 64u);
  EXPECT_EQ(plan.bytes, 8_MiB);
}

TEST(FetchPlanTest, EndsAtTheEndOfTheFile) {
  const Workload work = Reads({10'000}, {{{8192}, {100'000}}, {{50'000}, {60'000}}});
  const FetchPlan plan = PlanFetches(work, FetchLimits{});
  EXPECT_THAT(RangesOf(plan), ElementsAre(ByteRange{{8192}, {10'000}}));
  EXPECT_TRUE(plan.NeededBy(1).empty());
}

// For every pattern: each page that is read is in exactly one piece, that piece is among those the read waits for, and
// nothing else is fetched.
TEST(FetchPlanTest, EachPageReadIsFetchedOnce) {
  for (const Pattern& pattern : Patterns()) {
    SCOPED_TRACE(pattern.name);
    const Workload work = pattern.make(32_MiB);
    const FetchPlan plan = PlanFetches(work, FetchLimits{});
    std::set<int64_t> read;
    for (size_t i = 0; i < work.steps.size(); ++i) {
      for (int64_t page = work.steps[i].range.begin.value / 4096; page * 4096 < work.steps[i].range.end.value; ++page) {
        read.insert(page);
        int holders = 0;
        for (const uint32_t piece : plan.NeededBy(i)) holders += plan.pieces[piece].range.contains({page * 4096});
        ASSERT_EQ(holders, 1) << page;
      }
    }
    std::set<int64_t> fetched;
    int64_t pages = 0;
    for (const FetchPiece& piece : plan.pieces) {
      EXPECT_LE(piece.range.size(), 128_KiB);
      for (int64_t at = piece.range.begin.value; at < piece.range.end.value; at += 4096, ++pages)
        fetched.insert(at / 4096);
    }
    EXPECT_EQ(fetched, read);
    EXPECT_EQ(static_cast<int64_t>(fetched.size()), pages);
  }
}

}  // namespace
}  // namespace ahead::sim
