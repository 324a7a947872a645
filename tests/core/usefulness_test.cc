#include "core/usefulness.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

TEST(UsefulnessTest, CountsASlotOnceHoweverOftenItIsReadOrFetched) {
  Usefulness useful;
  EXPECT_EQ(useful.Add({0, 32}, Class::initial).total, 32);
  EXPECT_EQ(useful.Add({16, 48}, Class::state).total, 16);
  EXPECT_EQ(useful.Take({0, 48}).slots[static_cast<int>(Class::initial)], 32);
  EXPECT_EQ(useful.Take({0, 48}).total, 0);
}

TEST(UsefulnessTest, ChargesHitsToTheRequestThatFetched) {
  Usefulness useful;
  useful.Add({0, 32}, Class::initial);
  useful.Add({32, 96}, Class::state);
  const Usefulness::Count hits = useful.Take({30, 34});
  EXPECT_EQ(hits.slots[static_cast<int>(Class::initial)], 2);
  EXPECT_EQ(hits.slots[static_cast<int>(Class::state)], 2);
  EXPECT_EQ(useful.Outstanding(Class::initial), 30);
  EXPECT_EQ(useful.Outstanding(Class::state), 62);
}

TEST(UsefulnessTest, KeepsWhatIsFartherThanItsRing) {
  Usefulness useful;
  constexpr int64_t kRing = Usefulness::kSlots;
  EXPECT_EQ(useful.Add({0, 100}, Class::initial).total, 100);
  EXPECT_EQ(useful.Add({100, 6 * kRing}, Class::state).total, 6 * kRing - 100);
  EXPECT_EQ(useful.Add({kRing - 10, 6 * kRing + 10}, Class::state).total, 10) << "of which all but 10 are known";
  EXPECT_EQ(useful.outstanding(), 6 * kRing + 10);
  EXPECT_EQ(useful.Outstanding(Class::initial), 100);
  EXPECT_EQ(useful.Take({3 * kRing, 3 * kRing + 5}).total, 5) << "a reader that jumps";
  EXPECT_EQ(useful.Take({3 * kRing, 3 * kRing + 5}).total, 0);
  for (int64_t slot = 0; slot < 6 * kRing; slot += 16) {
    const bool is_hole = slot == 3 * kRing;
    ASSERT_EQ(useful.Take({slot, slot + 16}).total, is_hole ? 11 : 16) << slot;
  }
  EXPECT_EQ(useful.TakeAll().slots[static_cast<int>(Class::state)], 10);
  EXPECT_EQ(useful.outstanding(), 0);
}

TEST(UsefulnessTest, KeepsTheSumOfMoreRunsThanItHasPlacesFor) {
  Usefulness useful;
  constexpr int64_t kRing = Usefulness::kSlots;
  int64_t added = useful.Add({0, 10}, Class::state).total;
  for (int64_t run = 1; run < 40; ++run)
    added += useful.Add({run * kRing, run * kRing + 10 * run}, run % 3 == 0 ? Class::state : Class::context).total;
  EXPECT_EQ(useful.outstanding(), added);
  EXPECT_EQ(useful.Outstanding(Class::state) + useful.Outstanding(Class::context), added);
  const int64_t taken = useful.Take({20 * kRing, 20 * kRing + 3}).total + useful.TakeBelow(30 * kRing).total;
  EXPECT_EQ(useful.outstanding(), added - taken);
  EXPECT_EQ(useful.TakeAll().total, added - taken);
}

TEST(UsefulnessTest, AcceptsSlotsBelowTheFirst) {
  Usefulness useful;
  useful.Add({100, 110}, Class::stride);
  EXPECT_EQ(useful.Add({-20, -10}, Class::stride).total, 10);
  EXPECT_TRUE(useful.Any({-11, -10}));
  EXPECT_FALSE(useful.Any({0, 100}));
  EXPECT_EQ(useful.TakeAll().total, 20);
}

TEST(UsefulnessTest, KeepsTheSumWithMoreMethodsThanItCanTellApart) {
  Usefulness useful;
  int64_t added = 0;
  for (int i = 0; i < 40; ++i)
    added += useful.Add({i * 10, i * 10 + 10}, i % 2 == 0 ? Class::state : Class::context).total;
  EXPECT_EQ(added, 400);
  EXPECT_EQ(useful.Outstanding(Class::state) + useful.Outstanding(Class::context), 400);
}

}  // namespace
}  // namespace ahead
