// Does what nobody reads close the tap quickly, and what is read open it slowly?
#include "core/tap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tests/core/host.h"

namespace ahead {
namespace {

TEST(TapTest, StartsOpen) {
  const Tap tap;
  EXPECT_EQ(tap.opening(), Tap::kWhole);
  EXPECT_EQ(tap.waste(), 0);
}

TEST(TapTest, OneLostStartupWindowNarrowsItAndThreeCloseIt) {
  Tap tap;
  tap.OnWasted(256);
  EXPECT_EQ(tap.waste(), Tap::kWhole / 2);
  EXPECT_EQ(tap.opening(), Tap::kWhole * 3 / 4);
  for (int i = 0; i < 2; ++i) tap.OnWasted(256);
  EXPECT_EQ(tap.opening(), 0);
}

TEST(TapTest, ItTakesMoreToOpenThanItTookToClose) {
  Tap tap;
  int lost = 0;
  while (tap.opening() > 0) tap.OnWasted(64), ++lost;
  int used = 0;
  while (tap.opening() < Tap::kWhole && used < 1000) tap.OnUsed(64), ++used;
  EXPECT_GT(used * 2, lost);
  EXPECT_LT(used, 1000);
}

TEST(TapTest, ALongStreamMayLoseItsLastWindow) {
  Tap tap;
  tap.OnUsed(4096);
  tap.OnWasted(64);
  EXPECT_EQ(tap.opening(), Tap::kWhole);
}

TEST(TapTest, StaysWithinItsBoundsForAnyNumbers) {
  Tap tap;
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto pages = static_cast<int64_t>(random());
    i % 3 == 0 ? tap.OnUsed(pages) : tap.OnWasted(pages);
    ASSERT_GE(tap.opening(), 0);
    ASSERT_LE(tap.opening(), Tap::kWhole);
    ASSERT_GE(tap.waste(), 0);
    ASSERT_LE(tap.waste(), Tap::kWhole);
  }
}

// Three reads in a row at a place of its own, and never again there.
void ReadShortRun(test::Host& host, int64_t run) {
  for (int64_t page = 0; page < 3; ++page) host.Read((run * 1009 % 4096) * (64 << 10) + page * 4096, 4096);
}

TEST(TapPolicyTest, RunsThatEndAtOnceCostLessAndLess) {
  test::Host host;
  int64_t run = 1;
  const auto wasted_by = [&](int64_t runs) {
    const int64_t before = host.Sum(Event::readahead_waste);
    for (int64_t i = 0; i < runs; ++i) ReadShortRun(host, run++);
    return host.Sum(Event::readahead_waste) - before;
  };
  const int64_t first = wasted_by(100);
  const int64_t later = wasted_by(100);
  EXPECT_GT(first, 128);
  EXPECT_LE(later, 6);  // of 300 that were read
}

TEST(TapPolicyTest, AFileThatNothingIsKnownOfIsAsTheOthersOfTheProcess) {
  test::Host open;
  test::Host closed;
  closed.learnt_.tap.OnWasted(1 << 20);
  for (test::Host* host : {&open, &closed})
    for (int64_t page = 0; page < 4; ++page) host->Read((8 << 20) + page * 4096, 4096);
  EXPECT_GT(open.issued_pages_, 0);
  EXPECT_EQ(closed.issued_pages_, 0);
}

TEST(TapPolicyTest, ALongStreamOfAFileOfShortRunsGetsItsWindow) {
  test::Host host;
  for (int64_t run = 1; run < 200; ++run) ReadShortRun(host, run);
  const int64_t begin = (int64_t{255} << 20) + 4096;
  int64_t waits = 0;
  for (int64_t at = 0; at < 512; ++at) {
    if (!host.Present({{begin / 2 + at * 4096}, {begin / 2 + (at + 1) * 4096}})) ++waits;
    host.Read(begin / 2 + at * 4096, 4096);
  }
  EXPECT_LT(waits, 64);
}

TEST(TapPolicyTest, ReadsThatFallIntoAWindowByChanceDoNotCarryItOn) {
  test::Host host(64_MiB);
  for (int64_t page = 0; page < 4; ++page) host.Read((8 << 20) + page * 4096, 4096);
  const int64_t after_run = host.issued_pages_;
  ASSERT_GT(after_run, 0);
  // Each lands in what was fetched, far from the one before it.
  for (const int64_t page : {40, 90, 130, 180, 220}) host.Read((8 << 20) + page * 4096, 4096);
  EXPECT_LE(host.issued_pages_ - after_run, 32);
}

}  // namespace
}  // namespace ahead
