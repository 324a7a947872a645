// What there is for data fetched ahead, as memory changes.
#include "core/budget.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ahead {
namespace {

// A machine of 16 GiB of which half is available, and a cgroup of 64 MiB with nothing in it.
MemoryNow Calm() { return {64_MiB, 64_MiB, 16_GiB, 8_GiB, 0, true}; }

// The same with most of the cgroup taken by programs, and tasks that wait for memory.
MemoryNow Pressed(int64_t pressure) {
  MemoryNow now = Calm();
  now.left = 30_MiB;
  now.pressure = pressure;
  return now;
}

TEST(BudgetTest, IsTheLeastOfWhatTheCgroupAllowsAndLeavesAndTheMachineHas) {
  EXPECT_EQ(Budget().Look(Calm()), 48_MiB);
  EXPECT_EQ(Budget().Look({64_MiB, 20_MiB, 16_GiB, 8_GiB}), 20_MiB);
  EXPECT_EQ(Budget().Look({64_MiB, 64_MiB, 16_GiB, 80_MiB}), 10_MiB);
  EXPECT_EQ(Budget().Look({{}, {}, 16_GiB, 8_GiB}), 1_GiB);
  EXPECT_EQ(Budget().Look({64_MiB, 64_MiB, {}, {}}), 48_MiB);
}

TEST(BudgetTest, NothingIsSaidWhereNothingIsKnownAndSomethingIsLeftWhereNothingIs) {
  EXPECT_EQ(Budget().Look({}), ByteCount{});
  EXPECT_EQ(Budget().Look({64_MiB, {}, 16_GiB, 8_GiB}), Budget::kLeast);
  EXPECT_EQ(Budget().Look({{1}, {-5}, {-1}, {-1}, -7}), Budget::kLeast);
  EXPECT_GT(Budget().Look({{INT64_MAX}, {INT64_MAX}, {INT64_MAX}, {INT64_MAX}, INT64_MAX}), ByteCount{});
}

TEST(BudgetTest, FollowsALimitUpAndDownAtOnce) {
  Budget budget;
  budget.Look(Calm());
  EXPECT_EQ(budget.Look({16_MiB, 16_MiB, 16_GiB, 8_GiB}), 12_MiB);
  EXPECT_EQ(budget.Look(Calm()), 48_MiB);
}

TEST(BudgetTest, IsHalvedOncePerEvent) {
  Budget budget;
  EXPECT_EQ(budget.Look(Pressed(0)), 30_MiB);
  EXPECT_EQ(budget.Look(Pressed(150)), 15_MiB);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.Look(Pressed(150)), 15_MiB);
  EXPECT_EQ(budget.Look(Pressed(150)).value, (15_MiB).value / 2) << "it lasts";
}

TEST(BudgetTest, PressureThatLastsLeavesTheLeast) {
  Budget budget;
  for (int i = 0; i < 100; ++i) budget.Look(Pressed(1000));
  EXPECT_EQ(budget.Look(Pressed(1000)), Budget::kLeast);
}

TEST(BudgetTest, DoesNotGrowUnderSlightPressureAndRecoversWithoutAny) {
  Budget budget;
  budget.Look(Pressed(0));
  budget.Look(Pressed(150));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(budget.Look(Pressed(20)), 15_MiB);
  ByteCount last = 15_MiB;
  for (int i = 0; i < 7; ++i) {
    const ByteCount now = budget.Look(Pressed(0));
    EXPECT_GT(now, last);
    last = now;
  }
  EXPECT_LT(last, 30_MiB);
  EXPECT_EQ(budget.Look(Pressed(0)), 30_MiB);
}

TEST(BudgetTest, PressureOfWhoReadsFastThroughAFullCgroupDoesNotCount) {
  MemoryNow streaming = Calm();
  streaming.left = 60_MiB;
  streaming.pressure = 250;
  EXPECT_EQ(Budget().Look(streaming), 48_MiB);
}

TEST(BudgetTest, PressureOfTheMachineCountsOnlyWhereTheMachineIsShort) {
  MemoryNow now = Pressed(500);
  now.is_pressure_own = false;
  EXPECT_EQ(Budget().Look(now), 30_MiB) << "of another cgroup";
  now.available = 1_GiB;
  EXPECT_EQ(Budget().Look(now), 15_MiB);
}

}  // namespace
}  // namespace ahead
