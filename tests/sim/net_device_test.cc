#include "sim/net_device.h"

#include <gtest/gtest.h>

namespace ahead::sim {
namespace {

// 100 MB/s: 1 MB takes 10 ms.
NetParameters Disk(int32_t in_flight) { return {5_ms, 100'000'000, in_flight, 128_KiB}; }

TEST(NetDeviceTest, LatencyOverlapsAndBytesPassOnePipe) {
  NetDevice disk(Disk(8));
  EXPECT_EQ(disk.Submit({}, {1'000'000}), 15_ms);
  EXPECT_EQ(disk.Submit({}, {1'000'000}), 25_ms);
  // By the time its latency is over the pipe is free again.
  EXPECT_EQ(disk.Submit(40_ms, {1'000'000}), 55_ms);
  EXPECT_EQ(disk.requests(), 3);
  EXPECT_EQ(disk.bytes(), ByteCount{3'000'000});
}

TEST(NetDeviceTest, OneRequestMoreThanFitsWaitsForTheOldest) {
  NetDevice disk(Disk(2));
  const Nanos first = disk.Submit({}, {1'000'000});
  EXPECT_EQ(disk.FreeAt(1_ms), 1_ms);
  const Nanos second = disk.Submit(1_ms, {1'000'000});
  EXPECT_EQ(disk.FreeAt(2_ms), first);
  EXPECT_EQ(disk.FreeAt(first), first);
  disk.Submit(first, {1'000'000});
  EXPECT_EQ(disk.FreeAt(first), second);
}

TEST(NetDeviceTest, LeastTimeIsBoundByThePipeOrByTheSlots) {
  NetDevice disk(Disk(10));
  EXPECT_EQ(disk.LeastTime(0, {}), Nanos{});
  EXPECT_EQ(disk.LeastTime(10, {10'000'000}), 105_ms);
  EXPECT_EQ(disk.LeastTime(100, {1'000'000}).value, (50_ms + 100_us).value);
}

}  // namespace
}  // namespace ahead::sim
