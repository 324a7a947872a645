#include "core/window.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

// 32 slots a millisecond are 64 in the time of arrival: eight times that and the least.
TEST(WindowTest, HoldsItsDistanceWhileTheReaderDoesNotWait) {
  Window window;
  window.Start(0, 576, 64, 1024, 0_ms);
  for (int64_t i = 1; i <= 100; ++i) window.OnProgress(i * 32, {}, Nanos{i * 1'000'000}, 2_ms, 2_ms);
  EXPECT_EQ(window.distance(), 576);
}

TEST(WindowTest, ShrinksToWhatAPacedReaderConsumesAndNoFurther) {
  Window window;
  window.Start(0, 4096, 64, 1024, 0_ms);
  int64_t slot = 0;
  for (int64_t i = 1; i <= 2000; ++i) window.OnProgress(slot += 32, {}, Nanos{i * 1'000'000}, 2_ms, 2_ms);
  EXPECT_NEAR(static_cast<double>(window.distance()), 576, 4);
  for (int64_t i = 1; i <= 2000; ++i) window.OnProgress(slot += 32, {}, 2_s + Nanos{i * 1'000'000'000}, 2_ms, 2_ms);
  EXPECT_GE(window.distance(), 64);
  EXPECT_LE(window.distance(), 68);
}

TEST(WindowTest, IsLiftedAndNotLowered) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  window.Lift(256);
  window.Lift(100);
  EXPECT_EQ(window.distance(), 256);
}

TEST(WindowTest, TriplesWhileTheReaderOnlyWaitsAndTheRateGrows) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  window.OnProgress(128, 2_ms, 2_ms, 2_ms, 2_ms);  // 128 slots in one latency, all of it waiting
  EXPECT_EQ(window.distance(), 3 * 128 + 64);
  EXPECT_TRUE(window.starving());
}

TEST(WindowTest, RestsAtTwiceRateTimesLatencyOnceTheRateIsCapped) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  // The device gives 100 slots a millisecond, whatever is asked for.
  int64_t slot = 0;
  Nanos now{};
  for (int i = 0; i < 2000; ++i) {
    slot += 32;
    now = now + 320_us;
    window.OnProgress(slot, 300_us, now, 2_ms, 2_ms);
  }
  EXPECT_NEAR(static_cast<double>(window.distance()), 2 * 200 + 64, 40);
}

// 100 slots a millisecond, of which every fourth round finds its slots waiting and reads them at once.
TEST(WindowTest, ABacklogReadAtOnceDoesNotPassForADeviceThatGivesMore) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  int64_t slot = 0;
  int64_t most = 0;
  Nanos now{};
  for (int i = 0; i < 4000; ++i) {
    const bool is_late = i % 40 < 30;
    slot += 32;
    now = now + (is_late ? 400_us : 80_us);
    window.OnProgress(slot, is_late ? 390_us : Nanos{}, now, 2_ms, 2_ms);
    if (i > 200 && window.distance() > most) most = window.distance();
  }
  // Its last step up, by a quarter, may pass 3 x rate x latency.
  EXPECT_LE(most, 3 * 200 * 5 / 4);
}

TEST(WindowTest, DoesNotGrowWhileTheLatencyIsUnknown) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  for (int64_t i = 1; i <= 100; ++i) window.OnProgress(i * 64, 1_ms, Nanos{i * 1'000'000}, {}, {});
  EXPECT_EQ(window.distance(), 128);
}

TEST(WindowTest, StaysANumberWhateverTheClockSays) {
  Window window;
  window.Start(0, 128, 64, 1024, 0_ms);
  int64_t slot = 0;
  // Half of 2^40 slots a nanosecond, and a device that takes half an hour.
  for (int i = 1; i <= 4; ++i) window.OnProgress(slot += int64_t{1} << 39, 1_ms, Nanos{i}, 2'000_s, 2'000_s);
  EXPECT_GT(window.distance(), 0);
  EXPECT_LE(window.distance(), int64_t{1} << 40);
}

}  // namespace
}  // namespace ahead
