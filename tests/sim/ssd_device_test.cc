// Does the disk of flash chips answer when its formulas say?
#include "sim/devices/ssd_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/device_taking.h"

namespace ahead::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Round numbers: a chip's read takes 100 us and gives 16 KiB, of which each takes 16,384 ns on the interface.
constexpr SsdParameters kRound{
    .channels = 4, .latency = 100_us, .stripe = 16_KiB, .bandwidth_per_second = 1'000'000'000};
constexpr int64_t kStripe = 16'384;

Placement OneFile() { return Placement({{1, 1_GiB}}); }

TEST(SsdDeviceTest, ALoneReadTakesLatencyThenTransfer) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(1_ms, Request(7, 4096, 4096));
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(7, 1'100'000 + 4096)));
  EXPECT_EQ(ssd.NextAnswer(), kNever);
}

TEST(SsdDeviceTest, ReadsOnDifferentChannelsShareTheirLatencyAndQueueForTheInterface) {
  SsdDevice ssd(kRound, OneFile());
  for (uint64_t i = 0; i < 4; ++i) ssd.Submit(0_ns, Request(i, static_cast<int64_t>(i) * kStripe, 1000));
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(0, 101'000), Pair(1, 102'000), Pair(2, 103'000), Pair(3, 104'000)));
}

TEST(SsdDeviceTest, ReadsOnOneChannelFollowEachOther) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, 0, 1000));
  ssd.Submit(50_us, Request(2, 4 * kStripe, 1000));
  ssd.Submit(60_us, Request(3, 8 * kStripe, 1000));
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(1, 101'000), Pair(2, 201'000), Pair(3, 301'000)));
}

TEST(SsdDeviceTest, ALargeReadUsesAllChannels) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, 0, 8 * kStripe));
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(1, 200'000 + 8 * kStripe)));
}

TEST(SsdDeviceTest, AReadAcrossAStripesEdgeNeedsBothChannels) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, kStripe, 1));            // channel 1
  ssd.Submit(0_ns, Request(2, kStripe - 1, 2));        // channels 0 and 1
  ssd.Submit(0_ns, Request(3, 2 * kStripe, kStripe));  // channel 2, to its last byte
  ssd.Submit(0_ns, Request(4, 3 * kStripe, 1));        // channel 3, untouched by the third
  EXPECT_THAT(TakeAll(ssd),
              ElementsAre(Pair(1, 100'001), Pair(3, 100'001 + kStripe), Pair(4, 100'002 + kStripe), Pair(2, 200'002)));
}

TEST(SsdDeviceTest, OneThatIsCompleteSoonerOvertakes) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, 0, 1000));
  ssd.Submit(0_ns, Request(2, 4 * kStripe, 1000));  // complete at 200 us
  EXPECT_EQ(ssd.NextAnswer(), Nanos{101'000});
  ssd.Submit(10_us, Request(3, kStripe, 1000));  // at 110 us
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(1, 101'000), Pair(3, 111'000), Pair(2, 201'000)));
}

TEST(SsdDeviceTest, WhatIsOnTheInterfaceIsNotOvertaken) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, 0, 4 * kStripe));  // on the interface from 100 us to 165.536 us
  ssd.Submit(50_us, Request(2, kStripe, 1000));  // complete at 200 us
  ssd.Submit(150_us, Request(3, 0, 1000));       // complete at 250 us
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(1, 165'536), Pair(2, 201'000), Pair(3, 251'000)));
}

TEST(SsdDeviceTest, TheInterfaceBoundsManyReaders) {
  SsdParameters parameters = kRound;
  parameters.bandwidth_per_second = 10'000'000;  // 1000 bytes take 100 us
  SsdDevice ssd(parameters, OneFile());
  for (uint64_t i = 0; i < 40; ++i) ssd.Submit(0_ns, Request(i, static_cast<int64_t>(i) * kStripe, 1000));
  const Answers answers = TakeAll(ssd);
  ASSERT_EQ(answers.size(), 40u);
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(answers[static_cast<size_t>(i)].second, 100'000 + (i + 1) * 100'000);
}

TEST(SsdDeviceTest, TheDefaultsGiveTheReadsOfADataSheet) {
  // 32 random reads of 4 KiB at a time; addresses by a multiplier prime to the number of stripes.
  SsdDevice ssd(SsdParameters{}, OneFile());
  int64_t submitted = 0;
  const auto submit = [&](Nanos now) { ssd.Submit(now, Request(0, submitted++ * 40'503 % 65'536 * kStripe, 4096)); };
  while (submitted < 32) submit(0_ns);
  int64_t served = 0;
  for (; ssd.NextAnswer() <= 1_s; ++served) {
    const Nanos now = ssd.NextAnswer();
    ssd.TakeAnswer();
    submit(now);
  }
  EXPECT_NEAR(static_cast<double>(served), 95e3, 6e3);
}

TEST(SsdDeviceTest, ReadingNothingTakesTheLatency) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(5_ns, Request(1, 0, 0));
  EXPECT_EQ(ssd.NextAnswer(), Nanos{100'005});
}

TEST(SsdDeviceTest, LateTakersCostNoBandwidth) {
  SsdDevice ssd(kRound, OneFile());
  ssd.Submit(0_ns, Request(1, 0, 1000));
  ssd.Submit(1_ms, Request(2, 0, 1000));  // the first was never taken
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(1, 101'000), Pair(2, 1'101'000)));
}

}  // namespace
}  // namespace ahead::sim
