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

// Reads of pages at places that have nothing to do with each other pass; what goes on from one of them does not.
TEST(FilterTest, LetsScatteredReadsPassUntilOneIsNearAnother) {
  constexpr int64_t kPage = 4096;
  const auto range = [](int64_t page) { return ByteRange{{page * kPage}, {(page + 1) * kPage}}; };
  Filter filter;
  filter.ArmScattered(range(1000), {});
  const auto passes = [&](int64_t page) { return filter.Passes(range(page).begin, {kPage}); };
  for (const int64_t page : {77000, 3100, 900000, 41500}) {
    ASSERT_TRUE(passes(page));
    filter.Absorb(range(page).begin, {kPage});
  }
  EXPECT_FALSE(passes(1001)) << "goes on from the read it was armed after";
  EXPECT_FALSE(passes(3101)) << "goes on from one that passed";
  EXPECT_FALSE(passes(3099)) << "goes back from it";
  EXPECT_FALSE(passes(3090)) << "lies in its cluster";
  EXPECT_TRUE(passes(3100)) << "the same page again";
  EXPECT_FALSE(passes(0)) << "the file's beginning";
  EXPECT_FALSE(passes(41500 - (900000 - 41500))) << "a stride";
  EXPECT_FALSE(filter.Passes({500 * kPage}, Filter::kLongestScattered + 1_B));
  EXPECT_FALSE(filter.Passes({INT64_MAX - 1}, {kPage}));
  EXPECT_TRUE(passes(5000));
  EXPECT_EQ(filter.Settle().reads, 4);
  EXPECT_FALSE(passes(5000));
}

TEST(FilterTest, SaysWhereTheLastTwoScatteredReadsBegan) {
  Filter filter;
  filter.ArmScattered({{8192}, {12288}}, {});
  filter.Absorb({80 << 12}, 4096_B);
  Filter::Run run = filter.Settle();
  EXPECT_EQ(run.anchor.value, 8192);
  EXPECT_EQ(run.expected.value, 80 << 12);
  run.anchor = {16384};
  run.expected = {40960};
  filter.Restore(run);
  EXPECT_FALSE(filter.Passes({65536}, 4096_B)) << "the third of a stride";
  run = filter.Settle();
  EXPECT_EQ(run.anchor.value, 16384);
  EXPECT_EQ(run.expected.value, 40960);
}

TEST(FilterTest, OneOfManyScatteredReadsIsLookedAt) {
  Filter filter;
  filter.ArmScattered({{0}, {4096}}, {});
  int64_t page = 100;
  for (int64_t read = 0; read < Filter::kScatteredReads; ++read, page = page * 5 / 4 + 100) {
    ASSERT_TRUE(filter.Passes({page * 4096}, 4096_B)) << read;
    filter.Absorb({page * 4096}, 4096_B);
  }
  EXPECT_FALSE(filter.Passes({page * 4096}, 4096_B));
}

TEST(FilterTest, ScatteredReadsInAWindowDoNotPass) {
  Filter filter;
  filter.ArmScattered({{0}, {4096}}, {{1 << 20}, {2 << 20}});
  EXPECT_TRUE(filter.Passes({(1 << 20) - 4096}, 4096_B));
  EXPECT_FALSE(filter.Passes({(1 << 20) - 4095}, 4096_B));
  EXPECT_FALSE(filter.Passes({(2 << 20) - 1}, 4096_B));
  EXPECT_TRUE(filter.Passes({2 << 20}, 4096_B));
}

}  // namespace
}  // namespace ahead
