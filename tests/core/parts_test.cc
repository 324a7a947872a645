// The small parts: tracks, trail, stride and seek detection, decisions.
#include <gtest/gtest.h>

#include "core/decision.h"
#include "core/methods/runs.h"
#include "core/stride.h"
#include "core/track.h"
#include "core/trail.h"

namespace ahead {
namespace {

constexpr ByteCount kPage{4096};

ByteRange Range(int64_t begin, int64_t size) { return {{begin}, {begin + size}}; }

TEST(TrackTest, MapsForwardRangesToPages) {
  const Track track = Track::Forward(kPage);
  EXPECT_EQ(track.Slots(Range(4095, 2)).begin, 0);
  EXPECT_EQ(track.Slots(Range(4095, 2)).end, 2);
  EXPECT_EQ(track.EndSlot(ByteCount{4097}), 2);
}

TEST(TrackTest, CountsBackwardSlotsDownFromTheFirstRead) {
  const Track track = Track::Backward({40960}, kPage);
  EXPECT_EQ(track.Slots(Range(36864, 4096)).begin, 0);
  EXPECT_EQ(track.Slots(Range(32768, 4096)).begin, 1);
  EXPECT_EQ(track.Slots(Range(28672, 12288)).end, 3);
  EXPECT_EQ(track.EndSlot(1_MiB), 10);
  EXPECT_EQ(track.Begin(9).value, 0);
}

TEST(TrackTest, StridedRangesOffTheTrackTouchNoSlot) {
  const Track track = Track::Strided({1000}, ByteCount{-100}, 10_B);
  EXPECT_EQ(track.Slots(Range(800, 10)).begin, 2);
  EXPECT_EQ(track.Slots(Range(801, 10)).size(), 0);
  EXPECT_EQ(track.EndSlot(1_MiB), 11);
}

TEST(TrackTest, AStridedSlotStandsForThePagesItTouches) {
  EXPECT_EQ(Track::Strided({0}, 1_MiB, 4096_B).PagesPerSlot(kPage), 1);
  EXPECT_EQ(Track::Strided({100}, 1_MiB, 4096_B).PagesPerSlot(kPage), 2);
}

TEST(TrailTest, CountsContinuationsInEitherDirection) {
  Trail trail;
  trail.Enter(Range(40960, 4096), kPage);
  TrailMatch match = trail.Enter(Range(45056, 4096), kPage);
  EXPECT_EQ(match.kind, TrailMatch::Kind::kForward);
  EXPECT_EQ(match.hits, 1);
  EXPECT_TRUE(match.immediate);
  EXPECT_EQ(match.run_begin.value, 40960);
  trail.Enter(Range(1 << 20, 4096), kPage);
  match = trail.Enter(Range((1 << 20) - 4096, 4096), kPage);
  EXPECT_EQ(match.kind, TrailMatch::Kind::kBackward);
  match = trail.Enter(Range(49152, 4096), kPage);
  EXPECT_EQ(match.hits, 2);
  EXPECT_FALSE(match.immediate);
}

TEST(TrailTest, RereadingTheSamePlaceIsNoContinuation) {
  Trail trail;
  trail.Enter(Range(8192, 4096), kPage);
  EXPECT_EQ(trail.Enter(Range(8192, 4096), kPage).kind, TrailMatch::Kind::kNone);
}

TEST(TrailTest, ForgetsTheOldestOfManyReads) {
  Trail trail;
  trail.Enter(Range(0, 4096), kPage);
  for (int64_t i = 1; i <= 24; ++i) trail.Enter(Range(i << 20, 4096), kPage);
  EXPECT_EQ(trail.Enter(Range(4096, 4096), kPage).kind, TrailMatch::Kind::kNone);
  EXPECT_FALSE(trail.mostly_runs());
}

TEST(StrideTest, NeedsTwoEqualDistances) {
  StrideDetector detector;
  EXPECT_EQ(detector.Observe({0}), 0_B);
  EXPECT_EQ(detector.Observe({1000}), 0_B);
  EXPECT_EQ(detector.Observe({2000}), 1000_B);
  EXPECT_EQ(detector.Observe({1500}), 0_B);
}

TEST(StrideTest, AMajorityOfFourSurvivesOneOddRead) {
  StrideDetector detector;
  for (int64_t offset : {0, 1000, 2000, 2700}) detector.Observe({offset});
  EXPECT_EQ(detector.Observe({3700}), 1000_B) << "1000, 700, 1000, 1000";
}

TEST(StrideTest, StandingStillIsNoStride) {
  StrideDetector detector;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(detector.Observe({77}), 0_B);
}

// Enters a run of `reads` reads of 100 bytes; returns what was expected of it.
ByteCount EnterRun(RunLog& log, int64_t begin, int64_t reads) {
  log.Observe(Range(begin, 100), kPage);
  const ByteCount size = log.AlikeLength();
  for (int64_t i = 1; i < reads; ++i) log.Observe(Range(begin + i * 100, 100), kPage);
  return size;
}

TEST(RunLogTest, ExpectsALengthAfterThreeRunsOfSimilarLength) {
  RunLog log;
  EXPECT_EQ(EnterRun(log, 0, 4), 0_B);
  EXPECT_EQ(EnterRun(log, 10000, 5), 0_B);
  EXPECT_EQ(EnterRun(log, 20000, 4), 0_B);
  EXPECT_EQ(EnterRun(log, 30000, 40), 400_B) << "the shorter of the two newest";
  EXPECT_EQ(EnterRun(log, 50000, 4), 0_B) << "one run was ten times as long";
}

TEST(DecisionTest, ClipsItsPiecesToTheWindow) {
  Decision decision;
  decision.first = {0};
  decision.length = decision.step = 128_KiB;
  decision.pieces = 2;
  decision.floor = {4096};
  decision.limit = {200000};
  EXPECT_EQ(decision.Piece(0), (ByteRange{{4096}, {131072}}));
  EXPECT_EQ(decision.Piece(1), (ByteRange{{131072}, {200000}}));
}

}  // namespace
}  // namespace ahead
