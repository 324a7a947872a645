// Slow readers that jump: what is asked for at the jump, and how little after it.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kRead = 64 * kKiB;

// 1 MB/s, of which the first `burst` bytes after each jump come at once. Nothing is in the cache at the place it jumps
// to; only what was asked for is.
class PacedTest : public testing::Test {
 protected:
  PacedTest() : host_(1_GiB) {}

  // Plays `length` bytes from `offset` on. Returns how many reads found nothing.
  int64_t Play(int64_t offset, int64_t length, int64_t burst = 0) {
    int64_t misses = 0;
    for (int64_t at = 0; at < length; at += kRead) {
      misses += host_.Present({{offset + at}, {offset + at + kRead}}) ? 0 : 1;
      host_.Read(offset + at, kRead);
      host_.now_ = host_.now_ + (at < burst ? 500_us : 64_ms);
    }
    return misses;
  }

  Host host_;
};

TEST_F(PacedTest, TheSecondReadAfterAJumpFindsItsDataAndLittleIsLost) {
  for (const int64_t place : {600, 300}) Play(place * kMiB, 2 * kMiB);
  for (const int64_t place : {100, 500, 700, 400, 800}) {
    const int64_t before = host_.issued_pages_;
    EXPECT_EQ(Play(place * kMiB, 2 * kMiB), 1) << place;
    EXPECT_LE((host_.issued_pages_ - before) * 4 * kKiB, 2 * kMiB + 256 * kKiB) << place;
  }
}

TEST_F(PacedTest, OneShortRunIsEnoughAndPlacesBetweenPiecesAreNotForgotten) {
  Play(600 * kMiB, kMiB / 2);
  for (const int64_t place : {300, 100, 500, 700})
    EXPECT_EQ(Play(place * kMiB + kRead, 2 * kMiB + place * kKiB), 1) << place;
}

TEST_F(PacedTest, WhatWasTakenAtOnceBeforeIsAskedForAtTheJump) {
  for (const int64_t place : {600, 300, 200}) Play(place * kMiB, 2 * kMiB, kMiB);
  const Decision decision = host_.Read(100 * kMiB, kRead);
  EXPECT_EQ(decision.method, Class::onseek);
  EXPECT_TRUE(host_.Present({{100 * kMiB}, {101 * kMiB}}));
  EXPECT_FALSE(host_.Present({{100 * kMiB}, {101 * kMiB + 512 * kKiB}}));
  EXPECT_EQ(Play(100 * kMiB + kRead, kMiB - kRead, kMiB), 0) << "all of what is taken at once is there";
}

TEST_F(PacedTest, NothingIsGuessedAfterShortRuns) {
  for (int64_t place = 100; place < 140; ++place) Play(place * 7 * kMiB, place % 2 == 0 ? 2 * kMiB : kRead);
  EXPECT_TRUE(host_.Read(kMiB, kRead).empty());
}

TEST_F(PacedTest, AFastReaderGetsWindowsAsEver) {
  for (const int64_t place : {600, 300, 200}) Play(place * kMiB, 16 * kMiB, 16 * kMiB);
  for (int64_t at = 0; at < 8 * kRead; at += kRead) host_.Read(100 * kMiB + at, kRead);
  EXPECT_TRUE(host_.Present({{100 * kMiB}, {100 * kMiB + 8 * kRead + 768 * kKiB}}));
}

}  // namespace
}  // namespace ahead::test
