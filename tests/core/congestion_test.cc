#include "core/congestion.h"

#include <gtest/gtest.h>

namespace ahead {
namespace {

TEST(CongestionTest, CountsAsInFlightWhatIsYoungerThanTheLatency) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int i = 0; i < 10; ++i) congestion.OnIssued(10_ms + 100_us * i, {});
  EXPECT_EQ(congestion.InFlight(11_ms), 10);
  EXPECT_EQ(congestion.InFlight(12_ms + 450_us), 5);
  EXPECT_EQ(congestion.InFlight(20_ms), 0);
}

TEST(CongestionTest, StopsAtWhatFittedOnceACallBlocked) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int i = 0; i < 12; ++i) congestion.OnIssued(10_ms, {});
  congestion.OnIssued(10_ms + 300_us, 300_us);
  EXPECT_EQ(congestion.limit(), 13);
}

TEST(CongestionTest, ASecondCallThatBlocksAtOnceDoesNotHalveTheLimitAgain) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int i = 0; i < 64; ++i) congestion.OnIssued(10_ms, {});
  congestion.OnIssued(12_ms, 1900_us);
  congestion.OnIssued(14_ms, 1900_us);
  EXPECT_GE(congestion.limit(), 63);
}

TEST(CongestionTest, GrowsByOneForEachEighthOfItselfThatWasTaken) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int i = 0; i < 31; ++i) congestion.OnIssued(10_ms, {});
  congestion.OnIssued(10_ms + 1_ms, 1_ms);
  ASSERT_EQ(congestion.limit(), 32);
  for (int i = 0; i < 4; ++i) congestion.OnIssued(20_ms + 1_ms * i, {});
  EXPECT_EQ(congestion.limit(), 33);
}

TEST(CongestionTest, CutsToWhatFittedWhenPiecesWereDropped) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int i = 0; i < 9; ++i) congestion.OnIssued(10_ms, {});
  congestion.OnDropped(10_ms);
  EXPECT_EQ(congestion.limit(), 9);
  EXPECT_EQ(congestion.Allowed(10_ms), 0);
  EXPECT_EQ(congestion.Allowed(13_ms), 9);
}

TEST(CongestionTest, TheLatencyFollowsASlowerDeviceOnlySlowly) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  congestion.OnMiss(2_ms + 1_us);
  congestion.OnMiss(66_ms);
  EXPECT_GT(congestion.latency(), 2990_us);
  EXPECT_LE(congestion.latency(), 3_ms + 1_us);
}

TEST(CongestionTest, TheLatencyFallsToLessThanHalfWithTwoMissesInARowAndNotWithOne) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  congestion.OnMiss(80_us);
  EXPECT_EQ(congestion.latency(), 2_ms);
  congestion.OnMiss(2_ms);
  congestion.OnMiss(80_us);
  EXPECT_EQ(congestion.latency(), 2_ms);
  congestion.OnMiss(200_us);
  EXPECT_EQ(congestion.latency(), 200_us);
  congestion.OnMiss(150_us);
  EXPECT_EQ(congestion.latency(), 150_us);
}

TEST(CongestionTest, AFirstMissIsNotBelievedIfTheSecondTakesMoreThanTwiceAsLong) {
  Congestion congestion;
  congestion.OnMiss(80_us);
  EXPECT_EQ(congestion.latency(), 80_us);
  congestion.OnMiss(2_ms);
  EXPECT_EQ(congestion.latency(), 2_ms);
  congestion.OnMiss(66_ms);
  EXPECT_EQ(congestion.latency(), 3_ms);
}

TEST(CongestionTest, StreamsThatWaitAtTheSameTimeShareTheLimit) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  EXPECT_EQ(congestion.Waiting(), 1);
  EXPECT_EQ(congestion.Share(), congestion.limit());
  Nanos counted[4] = {};
  for (int64_t round = 0; round < 10; ++round)
    for (int64_t stream = 0; stream < 4; ++stream)
      congestion.OnWaited(counted[stream], 2_ms, 10_ms + 2_ms * round + 100_us * stream);
  EXPECT_EQ(congestion.Waiting(), 4);
  EXPECT_EQ(congestion.Share(), congestion.limit() / 4);
}

// One file after the other, and many readers of one stream, are one that waits.
TEST(CongestionTest, StreamsThatWaitInTurnDoNotShare) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int64_t file = 0; file < 100; ++file) {
    Nanos counted;
    congestion.OnWaited(counted, 2_ms, 10_ms + 2_ms * file);
  }
  EXPECT_EQ(congestion.Waiting(), 1);
  Nanos counted = 210_ms;
  for (int64_t read = 0; read < 100; ++read) congestion.OnWaited(counted, 2_ms, 210_ms + 200_us * read);
  EXPECT_EQ(congestion.Waiting(), 1);
}

TEST(CongestionTest, StreamsThatWaitedLongAgoDoNotShareAnyMore) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  Nanos counted[16] = {};
  for (Nanos& stream : counted) congestion.OnWaited(stream, 2_ms, 10_ms);
  EXPECT_EQ(congestion.Waiting(), 16);
  for (int64_t round = 1; round <= 1000; ++round) congestion.OnWaited(counted[0], 1_ms, 10_ms + 1_ms * round);
  EXPECT_EQ(congestion.Waiting(), 1);
}

TEST(CongestionTest, ReadersThatPauseForMoreThanASixteenthOfTheTimeAreNotAtFullSpeed) {
  Congestion congestion;
  EXPECT_TRUE(congestion.IsAtFullSpeed());
  for (int64_t file = 0; file < 100; ++file) {
    Nanos counted;
    congestion.OnWaited(counted, 2_ms, 10_ms + 2'050_us * file);
  }
  EXPECT_TRUE(congestion.IsAtFullSpeed());
  for (int64_t file = 0; file < 200; ++file) {
    Nanos counted;
    congestion.OnWaited(counted, 2_ms, 215_ms + 2'300_us * file);
  }
  EXPECT_FALSE(congestion.IsAtFullSpeed());
}

TEST(CongestionTest, EachStreamMayHaveTwoPiecesHoweverManyWait) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  for (int stream = 0; stream < 1000; ++stream) {
    Nanos counted;
    congestion.OnWaited(counted, 2_ms, 10_ms);
  }
  EXPECT_EQ(congestion.Share(), 2);
}

TEST(CongestionTest, ArrivalFollowsWhatReadersWaitedForAndIsNotRaisedByThoseThatDidNot) {
  Congestion congestion;
  congestion.OnMiss(2_ms);
  EXPECT_EQ(congestion.arrival(), 2_ms);
  congestion.OnArrival(10_ms, true);
  EXPECT_EQ(congestion.arrival(), 3_ms);
  congestion.OnArrival(100_ms, false);
  EXPECT_EQ(congestion.arrival(), 3_ms);
  congestion.OnArrival(2200_us, false);
  EXPECT_EQ(congestion.arrival(), 2900_us);
  EXPECT_EQ(congestion.latency(), 2_ms);
}

TEST(CongestionTest, FirstReadsUnderWayAreCountedAndForgottenIfTheyNeverEnd) {
  Congestion congestion;
  for (int i = 0; i < 3; ++i) congestion.OnFirstRead(10_ms);
  congestion.OnFirstReadOver();
  EXPECT_EQ(congestion.FirstReads(), 2);
  congestion.OnFirstRead(1_s);
  EXPECT_EQ(congestion.FirstReads(), 1);
  congestion.OnFirstReadOver();
  congestion.OnFirstReadOver();
  EXPECT_EQ(congestion.FirstReads(), 0);
}

TEST(CongestionTest, AMountFullOfOthersPiecesLeavesTwoForAWhile) {
  Congestion congestion;
  congestion.OnMiss(8_ms);
  EXPECT_GT(congestion.Beside(0, 10_ms), 12);
  congestion.OnFull(3, 10_ms);
  EXPECT_EQ(congestion.Beside(0, 11_ms), 2);
  EXPECT_GT(congestion.Beside(0, 260_ms), 12);
  congestion.OnFull(3, 261_ms);
  EXPECT_EQ(congestion.Beside(0, 760_ms), 2) << "they are back, so twice as long";
  EXPECT_GT(congestion.Beside(0, 761_ms), 12);
}

TEST(CongestionTest, AMountFullOfOnesOwnPiecesIsNotOthers) {
  Congestion congestion;
  congestion.OnFull(8, 10_ms);
  EXPECT_GT(congestion.Beside(0, 11_ms), 12);
  for (int i = 0; i < 3; ++i) congestion.OnFirstRead(12_ms);
  congestion.OnFull(2, 12_ms);
  EXPECT_GT(congestion.Beside(0, 13_ms), 12) << "three streams have nine";
}

TEST(CongestionTest, BesideOthersAStreamMayFillALongPipe) {
  constexpr double kPieceIn10Ms = 1e-7;
  Congestion congestion;
  congestion.OnMiss(20_ms);
  congestion.OnFull(3, 10_ms);
  congestion.OnArrival(21_ms, false);
  EXPECT_GT(congestion.Beside(2 * kPieceIn10Ms, 11_ms), 12) << "four pieces are on their way at a time";
  EXPECT_EQ(congestion.Beside(kPieceIn10Ms / 2, 11_ms), 2) << "one is";
  congestion.OnArrival(2_ms, false);
  EXPECT_EQ(congestion.Beside(2 * kPieceIn10Ms, 11_ms), 2) << "in a row they come at once: an arm";
}

TEST(CongestionTest, ACallThatBlocksEndsTheBatchOfWhoeverHasFewPieces) {
  Decision decision;
  EXPECT_TRUE(EndsBatch(decision, 9, 1_ms));
  decision.starving = true;
  EXPECT_FALSE(EndsBatch(decision, 3, 1_ms));
  decision.alone = true;
  EXPECT_TRUE(EndsBatch(decision, 3, 1_ms));
  EXPECT_FALSE(EndsBatch(decision, 9, 1_ms));
  EXPECT_FALSE(EndsBatch(decision, 3, 100_us));
}

}  // namespace
}  // namespace ahead
