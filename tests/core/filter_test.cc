#include "core/filter.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

constexpr StreamId kStream{3, 7};

TEST(FilterTest, LetsNothingPassBeforeItIsArmed) {
  Filter filter;
  EXPECT_FALSE(filter.Passes({0}, 4096_B));
}

TEST(FilterTest, LetsForwardReadsPassUpToItsLimit) {
  Filter filter;
  filter.ArmForward(kStream, {4096}, {16384});
  EXPECT_FALSE(filter.Passes({0}, 4096_B));
  for (int64_t offset : {4096, 8192, 12288}) {
    ASSERT_TRUE(filter.Passes({offset}, 4096_B));
    filter.Absorb({offset}, 4096_B);
  }
  EXPECT_FALSE(filter.Passes({16384}, 4096_B));
  const Filter::Run run = filter.Settle();
  EXPECT_EQ(run.anchor.value, 4096);
  EXPECT_EQ(run.expected.value, 16384);
  EXPECT_EQ(run.reads, 3);
  EXPECT_EQ(run.stream.index, 3);
  EXPECT_FALSE(filter.Passes({16384}, 1_B)) << "settled is closed";
}

TEST(FilterTest, ADoesNotPassWhenTheReadWouldReachBeyondTheLimit) {
  Filter filter;
  filter.ArmForward(kStream, {0}, {10000});
  EXPECT_FALSE(filter.Passes({0}, 10001_B));
  EXPECT_TRUE(filter.Passes({0}, 10000_B));
}

TEST(FilterTest, ShortReadsMoveItByWhatTheyReturned) {
  Filter filter;
  filter.ArmForward(kStream, {0}, {65536});
  filter.Absorb({0}, 100_B);
  EXPECT_TRUE(filter.Passes({100}, 4096_B));
  EXPECT_FALSE(filter.Passes({4096}, 4096_B));
  filter.Absorb({100}, 0_B);
  EXPECT_TRUE(filter.Passes({100}, 4096_B)) << "the end of the file moves nothing";
}

TEST(FilterTest, LetsBackwardReadsPassDownToItsLimit) {
  Filter filter;
  filter.ArmBackward(kStream, {65536}, {57344});
  ASSERT_TRUE(filter.Passes({61440}, 4096_B));
  filter.Absorb({61440}, 4096_B);
  ASSERT_TRUE(filter.Passes({57344}, 4096_B));
  filter.Absorb({57344}, 4096_B);
  EXPECT_FALSE(filter.Passes({53248}, 4096_B));
}

TEST(FilterTest, LetsAsManyStridedReadsPassAsItWasArmedFor) {
  Filter filter;
  filter.ArmStride(kStream, {0}, ByteCount{-1000}, 100_B, 2);
  EXPECT_FALSE(filter.Passes({0}, 101_B));
  ASSERT_TRUE(filter.Passes({0}, 100_B));
  filter.Absorb({0}, 100_B);
  ASSERT_TRUE(filter.Passes({-1000}, 50_B));
  filter.Absorb({-1000}, 50_B);
  EXPECT_FALSE(filter.Passes({-2000}, 100_B));
}

TEST(FilterTest, APassCountsCallsAndSeesWhetherTheyFollowedEachOther) {
  Filter filter;
  filter.ArmPass(kStream, {0}, 2);
  ASSERT_TRUE(filter.Passes({0}, 10_B));
  filter.Absorb({0}, 10_B);
  ASSERT_TRUE(filter.Passes({500}, 10_B));
  filter.Absorb({500}, 10_B);
  EXPECT_FALSE(filter.Passes({510}, 10_B));
  EXPECT_TRUE(filter.Settle().broken);
}

TEST(FilterTest, OffsetsNearTheEndOfTheRangeDoNotOverflow) {
  Filter filter;
  filter.ArmForward(kStream, {0}, {65536});
  EXPECT_FALSE(filter.Passes({0}, ByteCount{INT64_MAX}));
  EXPECT_FALSE(filter.Passes({INT64_MAX - 1}, ByteCount{INT64_MAX}));
}

}  // namespace
}  // namespace ahead
