#include "cli/ab_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace ahead::cli {
namespace {

using testing::HasSubstr;

const std::vector<double> kOnes(7, 1.0);

// Run times of a busy machine: some spread, and one run in twenty disturbed by something else.
class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}

  double operator()() {
    const double spread = std::exp(0.05 * normal_(random_));
    return uniform_(random_) < 0.05 ? spread * (1 + 2 * uniform_(random_)) : spread;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

TEST(AbStatisticsTest, MedianIsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 1, 9, 2}), 3);
}

TEST(AbStatisticsTest, IntervalOfSevenKnownRatiosIsTheExactOne) {
  // The bootstrap median of 7 values is at most the k-th smallest with probability P(Binomial(7, k/7) >= 4): 0.010 for
  // k = 1, 0.103 for k = 2. So 2.5 % are reached at the second value, 0.5 % at the first, and likewise at the other
  // end.
  const Comparison found = Compare({1, 2, 3, 4, 5, 6, 7}, kOnes, 1);
  EXPECT_EQ(found.speedup, 4);
  EXPECT_EQ(found.likely.low, 2);
  EXPECT_EQ(found.likely.high, 6);
  EXPECT_EQ(found.certain.low, 1);
  EXPECT_EQ(found.certain.high, 7);
}

TEST(AbStatisticsTest, SameSeedGivesTheSameInterval) {
  const std::vector<double> times = {1.1, 2.3, 1.7, 1.2, 1.9, 1.4, 1.6};
  const Comparison first = Compare(times, kOnes, 42);
  const Comparison second = Compare(times, kOnes, 42);
  EXPECT_EQ(first.likely.low, second.likely.low);
  EXPECT_EQ(first.likely.high, second.likely.high);
}

TEST(AbStatisticsTest, DriftThatBothSidesShareDoesNotHideADifference) {
  std::vector<double> reference, arm;
  for (int pair = 0; pair < 12; ++pair) {
    const double machine = 1 + pair;  // twelve times slower at the end
    reference.push_back(machine * 1.1);
    arm.push_back(machine);
  }
  const Comparison found = Compare(reference, arm, 1);
  EXPECT_NEAR(found.speedup, 1.1, 1e-9);
  EXPECT_EQ(found.verdict, Verdict::kFaster);
}

TEST(AbStatisticsTest, OneDisturbedPairMovesNothing) {
  std::vector<double> reference(20, 2.0), arm(20, 1.0);
  reference[3] = 1000;
  const Comparison found = Compare(reference, arm, 1);
  EXPECT_EQ(found.speedup, 2);
  EXPECT_EQ(found.certain.high, 2);
}

TEST(AbStatisticsTest, SlowerArmIsCalledSlowerByTheInverseFactor) {
  const Comparison found = Compare(std::vector<double>(10, 1.0), std::vector<double>(10, 2.5), 1);
  EXPECT_EQ(found.verdict, Verdict::kSlower);
  EXPECT_EQ(Sentence(found, "bare", "x"), "x is 2.50x slower than bare (95 % interval 2.50 to 2.50)");
}

TEST(AbStatisticsTest, FasterArmIsCalledFaster) {
  const Comparison found = Compare(std::vector<double>(10, 3.31), std::vector<double>(10, 1.0), 1);
  EXPECT_EQ(Sentence(found, "bare", "ratio100"), "ratio100 is 3.31x faster than bare (95 % interval 3.31 to 3.31)");
}

TEST(AbStatisticsTest, FivePairsAreTooFewHoweverClear) {
  const Comparison found = Compare(std::vector<double>(5, 9.0), std::vector<double>(5, 1.0), 1);
  EXPECT_EQ(found.verdict, Verdict::kTooFewPairs);
  EXPECT_THAT(Sentence(found, "bare", "x"), HasSubstr("too few pairs"));
  EXPECT_EQ(Compare(std::vector<double>(6, 9.0), std::vector<double>(6, 1.0), 1).verdict, Verdict::kFaster);
}

TEST(AbStatisticsTest, IntervalThatMissesOneNarrowlyIsNoDifferenceAndSaysWhy) {
  const Comparison found = Compare({0.9, 1.01, 1.2, 1.3, 1.4, 1.5, 1.6}, kOnes, 1);
  ASSERT_GT(found.likely.low, 1);
  ASSERT_LT(found.certain.low, 1);
  EXPECT_EQ(found.verdict, Verdict::kNoDifference);
  EXPECT_THAT(Sentence(found, "bare", "x"), HasSubstr("no difference shown between x and bare"));
}

TEST(AbStatisticsTest, SomethingComparedWithItselfIsHardlyEverDifferent) {
  constexpr int kComparisons = 100;
  Noise noise(2024);
  // Case A20 of the field failures.
  int different = 0, outside = 0;
  for (int i = 0; i < kComparisons; ++i) {
    std::vector<double> a, b;
    for (int pair = 0; pair < 30; ++pair) {
      const double machine = 1 + 0.02 * pair;
      a.push_back(machine * noise());
      b.push_back(machine * noise());
    }
    const Comparison found = Compare(a, b, static_cast<uint64_t>(i));
    different += found.verdict != Verdict::kNoDifference;
    outside += !found.likely.contains(1);
  }
  // 1 % and 5 % are expected, 1 and 5; three standard deviations more are allowed.
  EXPECT_LE(different, 4);
  EXPECT_LE(outside, 11);
  EXPECT_GE(outside, 1) << "an interval that always holds 1 says nothing";
}

TEST(AbStatisticsTest, TenPerCentAreFoundThroughTheSameNoise) {
  Noise noise(7);
  for (uint64_t i = 0; i < 20; ++i) {
    std::vector<double> reference, arm;
    for (int pair = 0; pair < 30; ++pair) reference.push_back(1.1 * noise()), arm.push_back(noise());
    EXPECT_EQ(Compare(reference, arm, i).verdict, Verdict::kFaster) << i;
  }
}

TEST(AbStatisticsTest, EveryArmHasEveryPlaceEquallyOften) {
  for (const size_t arm_count : {2u, 3u, 5u}) {
    const auto orders = RandomOrders(arm_count, 30, 9);
    ASSERT_EQ(orders.size(), 30);
    std::vector<std::vector<int>> times(arm_count, std::vector<int>(arm_count));
    for (const auto& order : orders) {
      EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), arm_count);
      for (size_t place = 0; place < arm_count; ++place) ++times[order[place]][place];
    }
    for (const auto& places : times)
      for (const int count : places) EXPECT_EQ(count, 30 / static_cast<int>(arm_count));
  }
}

TEST(AbStatisticsTest, OrdersDifferBetweenSeedsAndDoNotAlternate) {
  EXPECT_NE(RandomOrders(2, 30, 1), RandomOrders(2, 30, 2));
  EXPECT_EQ(RandomOrders(2, 30, 1), RandomOrders(2, 30, 1));
  const auto orders = RandomOrders(2, 30, 1);
  int repeats = 0;
  for (size_t i = 1; i < orders.size(); ++i) repeats += orders[i] == orders[i - 1];
  EXPECT_GT(repeats, 5);
  EXPECT_LT(repeats, 24);
}

TEST(AbStatisticsTest, OddNumberOfRoundsStillRunsEveryArm) {
  const auto orders = RandomOrders(3, 7, 4);
  ASSERT_EQ(orders.size(), 7);
  for (const auto& order : orders) EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), 3);
}

}  // namespace
}  // namespace ahead::cli
