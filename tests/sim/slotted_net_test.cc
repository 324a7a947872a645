#include "sim/slotted_net.h"

#include <gtest/gtest.h>

namespace ahead::sim {
namespace {

// 100 MB/s: 1 MB takes 10 ms.
SlottedNetParameters Disk(int32_t in_flight) { return {5_ms, 100'000'000, in_flight, 128_KiB}; }

TEST(SlottedNetTest, LatencyOverlapsAndBytesPassOnePipe) {
  SlottedNet disk(Disk(8));
  EXPECT_EQ(disk.Submit({}, {1'000'000}), 15_ms);
  EXPECT_EQ(disk.Submit({}, {1'000'000}), 25_ms);
  // By the time its latency is over the pipe is free again.
  EXPECT_EQ(disk.Submit(40_ms, {1'000'000}), 55_ms);
  EXPECT_EQ(disk.requests(), 3);
  EXPECT_EQ(disk.bytes(), ByteCount{3'000'000});
}

TEST(SlottedNetTest, OneRequestMoreThanFitsWaitsForTheOldest) {
  SlottedNet disk(Disk(2));
  const Nanos first = disk.Submit({}, {1'000'000});
  EXPECT_EQ(disk.FreeAt(1_ms), 1_ms);
  const Nanos second = disk.Submit(1_ms, {1'000'000});
  EXPECT_EQ(disk.FreeAt(2_ms), first);
  EXPECT_EQ(disk.FreeAt(first), first);
  disk.Submit(first, {1'000'000});
  EXPECT_EQ(disk.FreeAt(first), second);
}

TEST(SlottedNetTest, LeastTimeIsBoundByThePipeOrByTheSlots) {
  SlottedNet disk(Disk(10));
  EXPECT_EQ(disk.LeastTime(0, {}), Nanos{});
  EXPECT_EQ(disk.LeastTime(10, {10'000'000}), 105_ms);
  // Ten rounds of 5 ms and 0.1 ms, and nine transfers of the first round.
  EXPECT_EQ(disk.LeastTime(100, {1'000'000}), 51_ms + 900_us);
}

TEST(SlottedNetTest, LeastTimeIsWhatAFullQueueTakes) {
  for (const int32_t in_flight : {1, 7, 64}) {
    for (const int64_t requests : {1, 6, 64, 65, 1000}) {
      SlottedNet disk(Disk(in_flight));
      Nanos now;
      Nanos answer;
      for (int64_t i = 0; i < requests; ++i) answer = disk.Submit(now = disk.FreeAt(now), {10'000});
      EXPECT_EQ(disk.LeastTime(requests, {10'000 * requests}), answer) << in_flight << " " << requests;
    }
  }
}

}  // namespace
}  // namespace ahead::sim
