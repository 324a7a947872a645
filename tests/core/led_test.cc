// Forward streams on a disk of the machine's own: the kernel's, until it shows that it is not ahead.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kRead = 64 << 10;

// Reads on to `end`, with a kernel that keeps `lead` bytes in the cache ahead of the reader. Returns the pieces asked
// for.
int64_t ReadWithKernel(Host& host, int64_t begin, int64_t end, int64_t lead, Nanos wait) {
  int64_t asked = 0;
  for (int64_t offset = begin; offset < end; offset += kRead) {
    host.Touch({{offset}, {offset + lead}});
    host.hit_ = wait;
    const Decision decision = host.Read(offset, kRead);
    asked += decision.look_only ? 0 : decision.pieces;
  }
  return asked;
}

TEST(LedTest, NothingIsAskedForBeforeTheKernelHadTimeToGrow) {
  Host host;
  host.facts_.kernel_leads = true;
  EXPECT_EQ(ReadWithKernel(host, 0, kMiB, kRead, 1_ms), 0);
}

TEST(LedTest, AStreamWhoseReaderDoesNotWaitStaysTheKernels) {
  Host host;
  host.facts_.kernel_leads = true;
  EXPECT_EQ(ReadWithKernel(host, 0, 64 * kMiB, kRead, 10_us), 0);
}

TEST(LedTest, AReaderThatWaitsWhileTheKernelIsWellAheadIsLeftAlone) {
  Host host;
  host.facts_.kernel_leads = true;
  EXPECT_EQ(ReadWithKernel(host, 0, 64 * kMiB, 4 * kMiB, 1_ms), 0);
}

TEST(LedTest, AReaderThatWaitsWhileTheKernelIsNotAheadIsTakenOver) {
  Host host;
  host.facts_.kernel_leads = true;
  host.congestion_.OnMiss(2_ms);
  EXPECT_GT(ReadWithKernel(host, 0, 4 * kMiB, 128 << 10, 1_ms), 0);
}

TEST(LedTest, WhatWasTakenOverIsGivenBackIfItGoesNoFaster) {
  Host host;
  host.facts_.kernel_leads = true;
  host.congestion_.OnMiss(2_ms);
  ReadWithKernel(host, 0, 64 * kMiB, 128 << 10, 1_ms);
  EXPECT_EQ(ReadWithKernel(host, 64 * kMiB, 128 * kMiB, 128 << 10, 1_ms), 0) << "as slow as before: a millisecond each";
}

TEST(LedTest, WhatWasTakenOverIsKeptIfItGoesFaster) {
  Host host;
  host.facts_.kernel_leads = true;
  host.congestion_.OnMiss(2_ms);
  ReadWithKernel(host, 0, 5 * kMiB / 4, 128 << 10, 1_ms);
  ReadWithKernel(host, 5 * kMiB / 4, 64 * kMiB, 0, 100_us);
  EXPECT_GT(ReadWithKernel(host, 64 * kMiB, 128 * kMiB, 0, 100_us), 0);
}

TEST(LedTest, BackwardAndStridedStreamsAreOursFromTheStart) {
  Host host;
  host.facts_.kernel_leads = true;
  host.Read(100 * kMiB, 4096);
  EXPECT_EQ(host.Read(100 * kMiB - 4096, 4096).method, Class::backward);
  Host other;
  other.facts_.kernel_leads = true;
  other.Read(10 * kMiB, 4096);
  other.Read(11 * kMiB, 4096);
  EXPECT_EQ(other.Read(12 * kMiB, 4096).method, Class::stride);
}

}  // namespace
}  // namespace ahead::test
