// Do the counters tell bytes from bytes again, seeks from streams and busy from idle?
#include "bench/disk/counters.h"

#include <gtest/gtest.h>

namespace ahead::disk {
namespace {

constexpr FileKey kFile{1, 10};
constexpr FileKey kOther{1, 11};

// A read that arrives and is answered at once.
void Read(Counters& counters, const FileKey& file, ByteOffset offset, ByteCount size) {
  counters.ReadArrived(0_ns, file, offset, size, 0_ns);
  counters.ReadAnswered(0_ns, 0_ns);
}

TEST(CountersTest, BytesServedAgainAreCountedByThePage) {
  Counters counters(0_ns);
  Read(counters, kFile, {0}, 128_KiB);
  EXPECT_EQ(counters.bytes_repeated, 0u);
  Read(counters, kFile, {64 << 10}, 128_KiB);
  EXPECT_EQ(counters.bytes_repeated, 64u << 10);
  Read(counters, kOther, {0}, 128_KiB);
  EXPECT_EQ(counters.bytes_repeated, 64u << 10);
  EXPECT_EQ(counters.bytes, 3u * (128u << 10));
  EXPECT_EQ(counters.requests, 3u);
  EXPECT_EQ(counters.files_read(), 2u);
}

TEST(CountersTest, AShortLastPageServedAgainCountsItsBytesOnly) {
  Counters counters(0_ns);
  Read(counters, kFile, {4096}, {100});
  Read(counters, kFile, {4096}, {100});
  EXPECT_EQ(counters.bytes_repeated, 100u);
}

TEST(CountersTest, AFarPageNeedsNoEarlierOne) {
  Counters counters(0_ns);
  Read(counters, kFile, {int64_t{4} << 30}, 4_KiB);
  Read(counters, kFile, {int64_t{4} << 30}, 4_KiB);
  EXPECT_EQ(counters.bytes_repeated, 4096u);
}

TEST(CountersTest, OnlyAReadThatDoesNotContinueItsFileIsASeek) {
  Counters counters(0_ns);
  Read(counters, kFile, {0}, 4_KiB);
  Read(counters, kOther, {0}, 4_KiB);
  Read(counters, kFile, {4096}, 4_KiB);  // another file between does not matter
  EXPECT_EQ(counters.seeks, 0u);
  Read(counters, kFile, {0}, 4_KiB);
  EXPECT_EQ(counters.seeks, 1u);
  Read(counters, FileKey{1, 12}, {4096}, 4_KiB);
  EXPECT_EQ(counters.seeks, 2u);
}

TEST(CountersTest, OverlappingReadsAreOneBusyTime) {
  Counters counters(100_ns);
  counters.ReadArrived(200_ns, kFile, {0}, 4_KiB, 7_ns);
  counters.ReadArrived(250_ns, kFile, {4096}, 4_KiB, 7_ns);
  EXPECT_EQ(counters.in_flight(), 2u);
  EXPECT_EQ(counters.Busy(260_ns), 60_ns);
  counters.ReadAnswered(300_ns, 290_ns);
  counters.ReadAnswered(400_ns, 370_ns);
  EXPECT_EQ(counters.Busy(1000_ns), 200_ns);
  EXPECT_EQ(counters.Idle(1000_ns), 700_ns);
  EXPECT_EQ(counters.max_in_flight, 2u);
  EXPECT_EQ(counters.transfer, 14_ns);
  EXPECT_EQ(counters.late_total, 40_ns);
  EXPECT_EQ(counters.late_max, 30_ns);
}

TEST(CountersTest, ResetForgetsAllButWhatIsInFlight) {
  Counters counters(0_ns);
  counters.ReadArrived(10_ns, kFile, {0}, 4_KiB, 7_ns);
  counters.opens = 3;
  counters.Reset(50_ns);
  EXPECT_EQ(counters.requests, 0u);
  EXPECT_EQ(counters.opens, 0u);
  EXPECT_EQ(counters.in_flight(), 1u);
  EXPECT_EQ(counters.max_in_flight, 1u);
  counters.ReadAnswered(80_ns, 80_ns);
  EXPECT_EQ(counters.in_flight(), 0u);
  EXPECT_EQ(counters.Busy(100_ns), 30_ns);
  EXPECT_EQ(counters.Idle(100_ns), 20_ns);
  Read(counters, kFile, {0}, 4_KiB);
  EXPECT_EQ(counters.bytes_repeated, 0u);
}

}  // namespace
}  // namespace ahead::disk
