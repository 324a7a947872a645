// Does the disk with an arm answer when its formulas say, and in the order of C-LOOK?
#include "sim/devices/hdd_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/device_taking.h"

namespace ahead::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Round numbers: a byte takes 10 ns, so a track of a revolution of 1 ms has 100,000 bytes; a seek over d of 10^9 bytes
// takes 1 ms + 9 ms sqrt(d / 10^9).
HddParameters Round(bool has_rotation) {
  return {.settle = 1_ms,
          .full_stroke = 10_ms,
          .capacity = 1'000'000'000_B,
          .transfer_per_second = 100'000'000,
          .revolution = 1_ms,
          .has_rotation = has_rotation};
}

// File 1 lies at 0 and is as large as the disk.
Placement OneFile() { return Placement({{1, 1'000'000'000_B}}); }

TEST(HddDeviceTest, ARequestWhereTheArmStandsTakesItsTransfer) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(5_ms, Request(7, 0, 1000));
  EXPECT_EQ(hdd.NextAnswer(), 5_ms + 10_us);
  EXPECT_EQ(hdd.TakeAnswer().number, 7u);
  EXPECT_EQ(hdd.NextAnswer(), kNever);
  EXPECT_EQ(hdd.seeks(), 0);
}

TEST(HddDeviceTest, ASeekTakesSettleAndTheRootOfItsDistance) {
  for (const auto& [distance, seek] : {std::pair{10'000'000, 1'900'000}, {250'000'000, 5'500'000}}) {
    HddDevice hdd(Round(false), OneFile());
    hdd.Submit(0_ns, Request(1, distance, 1000));
    EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(1, seek + 10'000)));
    EXPECT_EQ(hdd.seeks(), 1);
    EXPECT_EQ(hdd.positioning(), Nanos{seek});
  }
}

TEST(HddDeviceTest, ASeekBackTakesAsLongAsOneForwards) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 250'000'000, 1000));
  hdd.Submit(0_ns, Request(2, 1000, 1000));  // from 250,001,000, where the arm stands then
  EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(1, 5'510'000), Pair(2, 5'510'000 + 5'500'000 + 10'000)));
}

TEST(HddDeviceTest, NoSeekIsLongerThanTheFullStroke) {
  HddDevice hdd(Round(false), Placement());
  hdd.Submit(0_ns, {1, 1023, {{0}, {1000}}});  // an unknown file, at 68 GB of a disk of 1 GB
  EXPECT_EQ(hdd.NextAnswer(), 10_ms + 10_us);
}

TEST(HddDeviceTest, ContinuingCostsTransferOnlyHoweverLate) {
  for (const bool has_rotation : {false, true}) {
    HddDevice hdd(Round(has_rotation), OneFile());
    hdd.Submit(0_ns, Request(1, 0, 1000));
    EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(1, 10'000)));
    hdd.Submit(123'456_ns, Request(2, 1000, 500));
    EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(2, 123'456 + 5'000)));
    EXPECT_EQ(hdd.seeks(), 0);
  }
}

TEST(HddDeviceTest, AShortGapIsPassedOverAndALongOneSought) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 4'000, 1000));  // 40 us away, where a seek takes more than 1 ms
  EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(1, 40'000 + 10'000)));
  EXPECT_EQ(hdd.seeks(), 0);
  EXPECT_EQ(hdd.positioning(), 40_us);
  hdd.Submit(1_ms, Request(2, 0, 1000));  // as near, but behind
  EXPECT_GT(hdd.NextAnswer(), 2_ms);
  EXPECT_EQ(hdd.seeks(), 1);
}

TEST(HddDeviceTest, AfterASeekThePlatterTurnsToTheData) {
  // The seek to 10,030,000 ends at 1,901,349 ns; byte 30,000 of a track is under the head at n ms + 300 us.
  HddDevice hdd(Round(true), OneFile());
  hdd.Submit(0_ns, Request(1, 10'030'000, 1000));
  EXPECT_EQ(hdd.NextAnswer(), 2'300_us + 10_us);
  EXPECT_EQ(hdd.positioning(), 2'300_us);
}

TEST(HddDeviceTest, ADataThatPassedWhileTheArmSettledComesARevolutionLater) {
  // 10,090,000 bytes: the seek ends at 1,904,040 ns, 4,040 ns after byte 90,000 of the track.
  HddDevice hdd(Round(true), OneFile());
  hdd.Submit(0_ns, Request(1, 10'090'000, 1000));
  EXPECT_EQ(hdd.NextAnswer(), 2'900_us + 10_us);
}

TEST(HddDeviceTest, ServesUpwardsFromTheArmAndThenFromTheLowest) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 500'000'000, 1000));  // the arm is free and goes there
  hdd.Submit(0_ns, Request(2, 400'000'000, 1000));
  hdd.Submit(0_ns, Request(3, 900'000'000, 1000));
  hdd.Submit(0_ns, Request(4, 100'000'000, 1000));
  hdd.Submit(0_ns, Request(5, 600'000'000, 1000));
  std::vector<uint64_t> order;
  for (const auto& [number, time] : TakeAll(hdd)) order.push_back(number);
  EXPECT_THAT(order, ElementsAre(1, 5, 3, 4, 2));
  EXPECT_EQ(hdd.seeks(), 5);
}

TEST(HddDeviceTest, OneThatArrivesAheadOfTheArmIsServedOnTheWay) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 0, 1'000'000));
  hdd.Submit(0_ns, Request(2, 900'000'000, 1000));
  hdd.Submit(0_ns, Request(3, 500'000, 1000));  // inside what the arm passes over: behind it when it is free
  hdd.Submit(1_ms, Request(4, 800'000'000, 1000));
  std::vector<uint64_t> order;
  for (const auto& [number, time] : TakeAll(hdd)) order.push_back(number);
  EXPECT_THAT(order, ElementsAre(1, 4, 2, 3));
}

TEST(HddDeviceTest, AReaderWhoContinuesIsFavouredOverOneWhoWaits) {
  // What makes C-LOOK unfair, and a window per reader useful: it never leaves a stream that always has a next request.
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(0, 0, 1000));
  hdd.Submit(0_ns, Request(100, 900'000'000, 1000));
  for (uint64_t i = 1; i < 10; ++i) {
    hdd.Submit(Nanos{static_cast<int64_t>(i) * 10'000 - 5'000}, Request(i, static_cast<int64_t>(i) * 1000, 1000));
    EXPECT_EQ(hdd.TakeAnswer().number, i - 1);
  }
  EXPECT_EQ(hdd.TakeAnswer().number, 9u);
  EXPECT_EQ(hdd.TakeAnswer().number, 100u);
}

TEST(HddDeviceTest, AtOnePlaceTheFirstToComeIsServedFirst) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 0, 1000));
  for (uint64_t number = 9; number > 1; --number) hdd.Submit(0_ns, Request(number, 1000, 0));
  std::vector<uint64_t> order;
  for (const auto& [number, time] : TakeAll(hdd)) order.push_back(number);
  EXPECT_THAT(order, ElementsAre(1, 9, 8, 7, 6, 5, 4, 3, 2));
}

TEST(HddDeviceTest, TheArmDoesNotWaitForItsAnswersToBeTaken) {
  HddDevice hdd(Round(false), OneFile());
  hdd.Submit(0_ns, Request(1, 0, 1000));
  hdd.Submit(0_ns, Request(2, 2000, 1000));
  hdd.Submit(1_ms, Request(3, 3000, 1000));  // the first two are long done; the arm is where the third begins
  EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(1, 10'000), Pair(2, 30'000), Pair(3, 1'010'000)));
}

TEST(HddDeviceTest, WhatArrivesInTheNanosecondOfTheChoiceIsTooLateForIt) {
  for (const bool is_taken_first : {false, true}) {
    HddDevice hdd(Round(false), OneFile());
    hdd.Submit(0_ns, Request(1, 0, 1000));
    hdd.Submit(0_ns, Request(2, 900'000'000, 1000));
    if (is_taken_first) hdd.TakeAnswer();
    hdd.Submit(10_us, Request(3, 1000, 1000));
    if (!is_taken_first) hdd.TakeAnswer();
    EXPECT_EQ(hdd.TakeAnswer().number, 2u);
  }
}

TEST(HddDeviceTest, TheMeanSeekOfTheDefaultsIsThatOfTheDataSheet) {
  HddParameters parameters;
  parameters.has_rotation = false;
  // Over all pairs of 64 places the mean of the root of the distance is 8/15 nearly.
  int64_t sum = 0;
  int64_t count = 0;
  for (int64_t from = 0; from < 64; ++from) {
    for (int64_t to = 0; to < 64; ++to) {
      if (from == to) continue;
      HddDevice hdd(parameters, Placement({{1, parameters.capacity}}));
      hdd.Submit(0_ns, Request(1, from * 15'625'000'000, 0));
      hdd.TakeAnswer();
      const Nanos before = hdd.positioning();
      hdd.Submit(1_s, Request(2, to * 15'625'000'000, 0));
      sum += (hdd.positioning() - before).value;
      ++count;
    }
  }
  EXPECT_NEAR(static_cast<double>(sum / count), 8.5e6, 0.1e6);
}

}  // namespace
}  // namespace ahead::sim
