// Pages that were fetched ahead and are gone before they are read.
#include <gtest/gtest.h>

#include "core/safety.h"
#include "tests/core/host.h"

namespace ahead {
namespace {

using test::Host;

constexpr int64_t kKiB = 1 << 10;
constexpr int64_t kMiB = 1 << 20;

TEST(SafetyTest, SafeDistanceIsTheMemoryUntilPagesAreLost) {
  Safety safety;
  EXPECT_EQ(safety.Distance(64_MiB), 64_MiB);
  safety.OnLost(40_MiB, 64_MiB);
  EXPECT_EQ(safety.Distance(64_MiB), 40_MiB);
  EXPECT_EQ(safety.Distance(16_MiB), 16_MiB);
}

TEST(SafetyTest, LossLaterThanTheSafeDistanceTeachesNothingNew) {
  Safety safety;
  safety.OnLost(100_MiB, 64_MiB);
  EXPECT_EQ(safety.Distance(64_MiB), 64_MiB);
  for (int i = 0; i < 10; ++i) safety.OnLost(40_MiB, safety.Distance(64_MiB));
  EXPECT_EQ(safety.Distance(64_MiB), 35_MiB) << "one turn of memory is one lesson";
}

TEST(SafetyTest, LossAtTheSafeDistanceCutsAnEighth) {
  Safety safety;
  safety.OnLost(64_MiB, 64_MiB);
  EXPECT_EQ(safety.Distance(64_MiB), 56_MiB);
}

TEST(SafetyTest, OneLossNeverTakesMoreThanHalf) {
  Safety safety;
  safety.OnLost(4_KiB, 64_MiB);
  EXPECT_EQ(safety.Distance(64_MiB), 32_MiB);
}

TEST(SafetyTest, RecoversByASixteenthOfWhatPasses) {
  Safety safety;
  safety.OnLost(32_MiB, 64_MiB);
  safety.Advance(64_MiB);
  EXPECT_EQ(safety.clock(), 64_MiB);
  EXPECT_EQ(safety.Distance(64_MiB), 36_MiB);
}

TEST(IssueLogTest, TellsTheRequestOfASlotAndForgetsThoseBehindIt) {
  IssueLog log;
  EXPECT_EQ(log.At(0), nullptr);
  log.Note(10, 1_MiB, 0);
  log.Note(20, 2_MiB, 5);
  ASSERT_NE(log.At(9), nullptr);
  EXPECT_EQ(log.At(9)->clock, 1_MiB);
  ASSERT_NE(log.At(10), nullptr);
  EXPECT_EQ(log.At(10)->clock, 2_MiB);
  EXPECT_EQ(log.At(10)->position, 5);
  EXPECT_EQ(log.At(20), nullptr);
}

TEST(IssueLogTest, RequestsBeyondTheFourthGoByItsAge) {
  IssueLog log;
  for (int64_t i = 1; i <= 6; ++i) log.Note(i * 10, ByteCount{i}, 0);
  ASSERT_NE(log.At(59), nullptr);
  EXPECT_EQ(log.At(59)->clock, ByteCount{4});
}

// A reader with 1 MiB ahead of it.
class OnThrashTest : public testing::Test {
 protected:
  OnThrashTest() {
    host_.facts_.safe = host_.facts_.share = 64_MiB;
    host_.congestion_.OnMiss(2_ms);
    for (int64_t i = 0; i < 16; ++i) Next();
    EXPECT_GE(host_.policy_.OutstandingPages(), 512 * kKiB / 4096);
  }
  Decision Next() {
    const Decision decision = host_.Read(at_, 64 * kKiB);
    at_ += 64 * kKiB;
    return decision;
  }
  // Others take the memory: so many bytes pass, and what the reader has not come to is gone.
  void Pass(ByteCount bytes) {
    host_.facts_.clock = host_.facts_.clock + bytes;
    host_.cache_.clear();
  }

  Host host_;
  int64_t at_ = 0;
};

TEST_F(OnThrashTest, WindowThatWaitedTooLongIsAskedForAgainFromTheReaderOn) {
  const int64_t outstanding = host_.policy_.OutstandingPages();
  Pass(33_MiB);
  const Decision decision = Next();
  EXPECT_EQ(decision.method, Class::onthrash);
  EXPECT_EQ(decision.Piece(0).begin.value, at_ - 64 * kKiB);
  EXPECT_EQ(host_.Sum(Event::readahead_thrash), outstanding);
  EXPECT_EQ(host_.Sum(Event::readahead_thrash), host_.Sum(Event::readahead_waste));
  EXPECT_GT(host_.Sum(Event::readahead, Class::onthrash), 0);
  EXPECT_GT(host_.Sum(Event::readahead_rescue, Class::onthrash), 0);
  EXPECT_LT(host_.learnt_.safety.Distance(64_MiB), 34_MiB);
}

TEST_F(OnThrashTest, WindowIsNotLookedAtWithinTheRatioOfTheSafeDistance) {
  host_.facts_.clock = 31_MiB;
  EXPECT_NE(Next().method, Class::onthrash);
}

TEST_F(OnThrashTest, WindowFoundWholeCostsNothing) {
  host_.facts_.clock = 33_MiB;
  const Decision decision = Next();
  EXPECT_EQ(decision.method, Class::onthrash) << "it is looked at";
  EXPECT_EQ(host_.Sum(Event::readahead_thrash), 0);
  EXPECT_EQ(host_.Sum(Event::readahead_waste), 0);
  EXPECT_LE(host_.Sum(Event::io_cache_hit), 16) << "what the read before had left of its piece";
  EXPECT_EQ(host_.Sum(Event::readahead, Class::onthrash), 0);
  EXPECT_EQ(host_.learnt_.safety.Distance(64_MiB), 64_MiB);
  EXPECT_NE(Next().method, Class::onthrash) << "and not again";
}

TEST_F(OnThrashTest, StreamKeepsToLessAfterALossAndRecovers) {
  host_.hit_ = 50_us;  // time passes, or all that was ever asked for seems to be in flight
  Pass(33_MiB);
  Next();
  const int64_t ahead = host_.policy_.OutstandingPages();
  for (int64_t i = 0; i < 8; ++i) Next();
  EXPECT_LT(host_.policy_.OutstandingPages(), ahead);
  for (int64_t i = 0; i < 1000; ++i) Next();
  EXPECT_GE(host_.policy_.OutstandingPages(), ahead);
}

TEST_F(OnThrashTest, EveryPageIsStillHitWastedOrOutstanding) {
  for (int64_t round = 0; round < 20; ++round) {
    Pass(ByteCount{round * 4 * kMiB});
    for (int64_t i = 0; i < 5; ++i) Next();
  }
  EXPECT_GT(host_.Sum(Event::readahead_thrash), 0);
  EXPECT_EQ(host_.Sum(Event::readahead),
            host_.Sum(Event::readahead_hit) + host_.Sum(Event::readahead_waste) + host_.policy_.OutstandingPages());
}

TEST_F(OnThrashTest, WhereTheCacheCannotBeAskedALongWaitTells) {
  host_.sure_ = false;
  for (int64_t i = 0; i < 16; ++i) Next();
  host_.now_ = host_.now_ + 1_s;
  Pass(40_MiB);
  EXPECT_EQ(host_.Sum(Event::readahead_thrash), 0);
  for (int64_t i = 0; i < 4 && host_.Sum(Event::readahead_thrash) == 0; ++i) {
    host_.cache_.clear();
    Next();
  }
  EXPECT_GT(host_.Sum(Event::readahead_thrash), 0);
}

}  // namespace
}  // namespace ahead
