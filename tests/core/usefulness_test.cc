#include "core/usefulness.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

TEST(UsefulnessTest, CountsASlotOnceHoweverOftenItIsReadOrFetched) {
  Usefulness useful;
  Usefulness::Count lost;
  EXPECT_EQ(useful.Add({0, 32}, Class::initial, lost).total, 32);
  EXPECT_EQ(useful.Add({16, 48}, Class::state, lost).total, 16);
  EXPECT_EQ(useful.Take({0, 48}).slots[static_cast<int>(Class::initial)], 32);
  EXPECT_EQ(useful.Take({0, 48}).total, 0);
}

TEST(UsefulnessTest, ChargesHitsToTheRequestThatFetched) {
  Usefulness useful;
  Usefulness::Count lost;
  useful.Add({0, 32}, Class::initial, lost);
  useful.Add({32, 96}, Class::state, lost);
  const Usefulness::Count hits = useful.Take({30, 34});
  EXPECT_EQ(hits.slots[static_cast<int>(Class::initial)], 2);
  EXPECT_EQ(hits.slots[static_cast<int>(Class::state)], 2);
  EXPECT_EQ(useful.Outstanding(Class::initial), 30);
  EXPECT_EQ(useful.Outstanding(Class::state), 62);
}

TEST(UsefulnessTest, ReportsWhatItForgetsToMakeRoom) {
  Usefulness useful;
  Usefulness::Count lost;
  useful.Add({0, 100}, Class::state, lost);
  EXPECT_EQ(lost.total, 0);
  useful.Add({Usefulness::kSlots, Usefulness::kSlots + 50}, Class::state, lost);
  EXPECT_EQ(lost.total, 50);
  EXPECT_EQ(useful.outstanding(), 100);
}

TEST(UsefulnessTest, AcceptsSlotsBelowTheFirst) {
  Usefulness useful;
  Usefulness::Count lost;
  useful.Add({100, 110}, Class::stride, lost);
  EXPECT_EQ(useful.Add({-20, -10}, Class::stride, lost).total, 10);
  EXPECT_TRUE(useful.Any({-11, -10}));
  EXPECT_FALSE(useful.Any({0, 100}));
  EXPECT_EQ(useful.TakeAll().total, 20);
}

TEST(UsefulnessTest, KeepsTheSumWithMoreMethodsThanItCanTellApart) {
  Usefulness useful;
  Usefulness::Count lost;
  int64_t added = 0;
  for (int i = 0; i < 40; ++i)
    added += useful.Add({i * 10, i * 10 + 10}, i % 2 == 0 ? Class::state : Class::context, lost).total;
  EXPECT_EQ(added, 400);
  EXPECT_EQ(useful.Outstanding(Class::state) + useful.Outstanding(Class::context), 400);
}

}  // namespace
}  // namespace ahead
