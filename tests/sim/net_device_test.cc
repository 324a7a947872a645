// Are the times of model `net` exactly those of its formula?
#include "sim/devices/net_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/devices/transfer.h"
#include "tests/sim/device_taking.h"

namespace ahead::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr int64_t kBandwidth = 500'000'000;  // 131072 bytes take 262144 ns
constexpr Nanos kPieceTime{262'144};
constexpr int64_t kPiece = 128 << 10;

// Returns when a request of `size` bytes that arrives at `now` is answered, and takes the answer.
Nanos Admit(NetDevice& net, Nanos now, int64_t size) {
  net.Submit(now, Request(0, 0, size));
  const Nanos time = net.NextAnswer();
  net.TakeAnswer();
  return time;
}

TEST(NetDeviceTest, ALoneRequestTakesLatencyThenTransfer) {
  NetDevice net({2_ms, kBandwidth});
  EXPECT_EQ(Admit(net, 1_s, kPiece), 1_s + 2_ms + kPieceTime);
  EXPECT_EQ(net.NextAnswer(), kNever);
}

TEST(NetDeviceTest, RequestsShareTheirLatencyAndQueueForThePipe) {
  NetDevice net({2_ms, kBandwidth});
  for (int64_t i = 1; i <= 12; ++i) EXPECT_EQ(Admit(net, 0_ns, kPiece), 2_ms + kPieceTime * i);
}

TEST(NetDeviceTest, ARequestInTheLatencyOfAnotherWaitsOnlyForThePipe) {
  NetDevice net({2_ms, kBandwidth});
  net.Submit(0_ns, Request(1, 0, kPiece));  // the pipe is free from 2.262144 ms
  net.Submit(100_us, Request(2, 0, 4096));
  net.Submit(1_ms, Request(3, 0, 4096));
  EXPECT_THAT(TakeAll(net), ElementsAre(Pair(1, 2'262'144), Pair(2, 2'262'144 + 8'192), Pair(3, 3'000'000 + 8'192)));
}

TEST(NetDeviceTest, AnIdlePipeDoesNotSaveUpBandwidth) {
  NetDevice net({2_ms, kBandwidth});
  Admit(net, 0_ns, kPiece);
  EXPECT_EQ(Admit(net, 1_s, kPiece), 1_s + 2_ms + kPieceTime);
  EXPECT_EQ(Admit(net, 1_s, kPiece), 1_s + 2_ms + kPieceTime * 2);
}

TEST(NetDeviceTest, OneAtATimeReadsAtTheRateThatFactsTableGives) {
  // 128 KiB every 2 ms + 262144 ns is 57.9 MB/s; the stock kernel reaches 98 with the window after next under way.
  NetDevice net({2_ms, kBandwidth});
  Nanos now{};
  for (int i = 0; i < 2048; ++i) now = Admit(net, now, kPiece);
  EXPECT_EQ(now, (2_ms + kPieceTime) * 2048);
}

TEST(NetDeviceTest, TwelveInFlightReachTheBandwidth) {
  NetDevice net({2_ms, kBandwidth});
  Nanos done[12] = {};
  Nanos last{};
  for (int i = 0; i < 2048; ++i) last = done[i % 12] = Admit(net, done[i % 12], kPiece);
  EXPECT_EQ(last, 2_ms + kPieceTime * 2048);
}

TEST(NetDeviceTest, TwelveInFlightAtTwentyMillisecondsAreBoundByLatency) {
  NetDevice net({20_ms, kBandwidth});
  Nanos done[12] = {};
  Nanos last{};
  for (int i = 0; i < 2040; ++i) last = done[i % 12] = Admit(net, done[i % 12], kPiece);
  EXPECT_EQ(last, (20_ms + kPieceTime) * (2040 / 12) + kPieceTime * 11);
}

TEST(NetDeviceTest, ReadingNothingTakesTheLatency) {
  NetDevice net({2_ms, kBandwidth});
  EXPECT_EQ(Admit(net, 5_ns, 0), 5_ns + 2_ms);
}

TEST(NetDeviceTest, UnlimitedBandwidthLeavesTheLatency) {
  NetDevice net({2_ms, 0});
  EXPECT_EQ(net.TransferTime(1_GiB), 0_ns);
  EXPECT_EQ(Admit(net, 0_ns, 1 << 30), 2_ms);
  EXPECT_EQ(Admit(net, 0_ns, 1 << 30), 2_ms);
}

TEST(TransferTest, TimeIsExactAndDoesNotOverflow) {
  EXPECT_EQ(TransferTime(1_B, kBandwidth), 2_ns);
  EXPECT_EQ(TransferTime({3}, 1'000'000'000), 3_ns);
  EXPECT_EQ(TransferTime({7}, 1), 7_s);
  EXPECT_EQ(TransferTime({1}, 3'000'000'000), 0_ns);  // rounded down
  EXPECT_EQ(TransferTime({-1}, kBandwidth), 0_ns);
  EXPECT_EQ(TransferTime({int64_t{1} << 60}, kBandwidth), Nanos{int64_t{1} << 61});
  EXPECT_EQ(TransferTime({int64_t{1} << 60}, int64_t{1} << 61).value, 500'000'000);
}

}  // namespace
}  // namespace ahead::sim
