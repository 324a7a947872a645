#include "core/appetite.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

TEST(AppetiteTest, IsUnknownBeforeTheSecondRead) {
  Appetite appetite;
  appetite.OnBegin(64_KiB, 1_ms, {});
  EXPECT_EQ(appetite.rate(), 0);
}

TEST(AppetiteTest, IsWhatWasTakenByTheTimeBetweenTwoReads) {
  Appetite appetite;
  appetite.OnEnd(10_ms, 10_ms);
  appetite.OnBegin(64_KiB, 12_ms, 10_ms);
  EXPECT_DOUBLE_EQ(appetite.rate(), 65536 / 2e6);
}

TEST(AppetiteTest, LeavesOutWhatTheThreadWaitedForElsewhere) {
  Appetite appetite;
  appetite.OnEnd(10_ms, 10_ms);
  appetite.OnBegin(64_KiB, 20_ms, 18_ms);
  EXPECT_DOUBLE_EQ(appetite.rate(), 65536 / 2e6);
}

TEST(AppetiteTest, KeepsAllTimeWhereOtherThreadsWaited) {
  Appetite appetite;
  appetite.OnEnd(10_ms, 10_ms);
  appetite.OnBegin(64_KiB, 12_ms, 30_ms);
  EXPECT_DOUBLE_EQ(appetite.rate(), 65536 / 2e6);
}

}  // namespace
}  // namespace ahead
