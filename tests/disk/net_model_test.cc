// Are the times of model `net` exactly those of its formula?
#include "bench/disk/net_model.h"

#include <gtest/gtest.h>

#include "bench/disk/model.h"

namespace ahead::disk {
namespace {

constexpr int64_t kBandwidth = 500'000'000;  // 131072 bytes take 262144 ns
constexpr Nanos kPieceTime{262'144};

TEST(NetModelTest, ALoneRequestTakesLatencyThenTransfer) {
  NetModel net(2_ms, kBandwidth);
  EXPECT_EQ(net.Admit(1_s, 128_KiB), 1_s + 2_ms + kPieceTime);
}

TEST(NetModelTest, RequestsShareTheirLatencyAndQueueForThePipe) {
  NetModel net(2_ms, kBandwidth);
  for (int64_t i = 1; i <= 12; ++i) EXPECT_EQ(net.Admit(0_ns, 128_KiB), 2_ms + kPieceTime * i);
}

TEST(NetModelTest, ARequestInTheLatencyOfAnotherWaitsOnlyForThePipe) {
  NetModel net(2_ms, kBandwidth);
  net.Admit(0_ns, 128_KiB);  // the pipe is free from 2.262144 ms
  EXPECT_EQ(net.Admit(100_us, 4_KiB), 2_ms + kPieceTime + Nanos{8192});
  EXPECT_EQ(net.Admit(1_ms, 4_KiB), 3_ms + Nanos{8192});
}

TEST(NetModelTest, AnIdlePipeDoesNotSaveUpBandwidth) {
  NetModel net(2_ms, kBandwidth);
  net.Admit(0_ns, 128_KiB);
  EXPECT_EQ(net.Admit(1_s, 128_KiB), 1_s + 2_ms + kPieceTime);
  EXPECT_EQ(net.Admit(1_s, 128_KiB), 1_s + 2_ms + kPieceTime * 2);
}

TEST(NetModelTest, OneAtATimeReadsAtTheRateThatFactsTableGives) {
  // 128 KiB every 2 ms + 262144 ns is 57.9 MB/s; the stock kernel reaches 98 with the window after next under way.
  NetModel net(2_ms, kBandwidth);
  Nanos now{};
  for (int i = 0; i < 2048; ++i) now = net.Admit(now, 128_KiB);
  EXPECT_EQ(now, (2_ms + kPieceTime) * 2048);
}

TEST(NetModelTest, TwelveInFlightReachTheBandwidth) {
  NetModel net(2_ms, kBandwidth);
  Nanos done[12] = {};
  Nanos last{};
  for (int i = 0; i < 2048; ++i) last = done[i % 12] = net.Admit(done[i % 12], 128_KiB);
  EXPECT_EQ(last, 2_ms + kPieceTime * 2048);
}

TEST(NetModelTest, TwelveInFlightAtTwentyMillisecondsAreBoundByLatency) {
  NetModel net(20_ms, kBandwidth);
  Nanos done[12] = {};
  Nanos last{};
  for (int i = 0; i < 2040; ++i) last = done[i % 12] = net.Admit(done[i % 12], 128_KiB);
  EXPECT_EQ(last, (20_ms + kPieceTime) * (2040 / 12) + kPieceTime * 11);
}

TEST(NetModelTest, ReadingNothingTakesTheLatency) {
  NetModel net(2_ms, kBandwidth);
  EXPECT_EQ(net.Admit(5_ns, 0_B), 5_ns + 2_ms);
}

TEST(NetModelTest, UnlimitedBandwidthLeavesTheLatency) {
  NetModel net(2_ms, 0);
  EXPECT_EQ(net.TransferTime(1_GiB), 0_ns);
  EXPECT_EQ(net.Admit(0_ns, 1_GiB), 2_ms);
  EXPECT_EQ(net.Admit(0_ns, 1_GiB), 2_ms);
}

TEST(NetModelTest, TransferTimeIsExactAndDoesNotOverflow) {
  EXPECT_EQ(NetModel(0_ns, kBandwidth).TransferTime(1_B), 2_ns);
  EXPECT_EQ(NetModel(0_ns, 1'000'000'000).TransferTime({3}), 3_ns);
  EXPECT_EQ(NetModel(0_ns, 1).TransferTime({7}), 7_s);
  EXPECT_EQ(NetModel(0_ns, 3'000'000'000).TransferTime({1}), 0_ns);  // rounded down
  EXPECT_EQ(NetModel(0_ns, kBandwidth).TransferTime({int64_t{1} << 60}), Nanos{int64_t{1} << 61});
  EXPECT_EQ(NetModel(0_ns, int64_t{1} << 61).TransferTime({int64_t{1} << 60}).value, 500'000'000);
}

TEST(ModelTest, TheVariantAnswersAsItsDisk) {
  Model model = NetModel(2_ms, kBandwidth);
  EXPECT_EQ(Admit(model, 0_ns, 128_KiB), 2_ms + kPieceTime);
  EXPECT_EQ(TransferTime(model, 128_KiB), kPieceTime);
}

}  // namespace
}  // namespace ahead::disk
