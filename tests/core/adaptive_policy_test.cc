// Named patterns and the exact decisions they must give.
#include "core/adaptive_policy.h"

#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;

// What a decision asks for, end to end.
ByteRange Window(const Decision& decision) {
  const ByteRange first = decision.Piece(0);
  const ByteRange last = decision.Piece(decision.pieces - 1);
  return {first.begin < last.begin ? first.begin : last.begin, first.end > last.end ? first.end : last.end};
}

TEST(InitialTest, AsksForTheFirstWindowTogetherWithTheFirstRead) {
  Host host;
  const Decision decision = host.Read(0, 64 * kKiB);
  EXPECT_EQ(decision.method, Class::initial);
  ASSERT_EQ(decision.pieces, 1);
  EXPECT_EQ(decision.Piece(0), (ByteRange{{0}, {128 * kKiB}}));
}

TEST(InitialTest, ReadsASmallFileWhole) {
  Host host(100_KiB);
  const Decision decision = host.Read(0, 4096);
  ASSERT_EQ(decision.pieces, 1);
  EXPECT_EQ(decision.Piece(0), (ByteRange{{0}, {100 * kKiB}}));
  EXPECT_EQ(host.Sum(Event::readahead_eof, Class::initial), 25);
}

TEST(InitialTest, StretchesToTheEndOfAFileALittleLarger) {
  Host host(150_KiB);
  const Decision decision = host.Read(0, 4096);
  EXPECT_EQ(Window(decision), (ByteRange{{0}, {150 * kKiB}}));
}

TEST(InitialTest, LearnsFromFilesOfWhichOnlyTheHeadIsRead) {
  InitialSize size;
  size.Learn(128_KiB, 4_KiB, 4_KiB, false);
  EXPECT_EQ(size.Get(128_KiB), 64_KiB);
  size.Learn(64_KiB, 4_KiB, 4_KiB, false);
  size.Learn(32_KiB, 4_KiB, 4_KiB, false);
  size.Learn(16_KiB, 4_KiB, 4_KiB, false);
  EXPECT_EQ(size.Get(128_KiB), 16_KiB) << "never less than the kernel reads by itself";
  for (int i = 0; i < 40; ++i) size.Learn(16_KiB, 16_KiB, 16_KiB, true);
  EXPECT_EQ(size.Get(128_KiB), 128_KiB);
}

TEST(InitialTest, GrowsWhereFilesAreReadOnFarBeyondIt) {
  InitialSize size;
  for (int i = 0; i < 40; ++i) size.Learn(128_KiB, 128_KiB, 200_KiB, false);
  EXPECT_EQ(size.Get(128_KiB), 128_KiB) << "not yet twice as far";
  size.Learn(128_KiB, 128_KiB, 256_KiB, false);
  EXPECT_EQ(size.Get(128_KiB), 192_KiB);
  for (int i = 0; i < 40; ++i) size.Learn(128_KiB, 128_KiB, 4_MiB, false);
  EXPECT_EQ(size.Get(128_KiB), 1_MiB);
  size.Learn(1_MiB, 4_KiB, 4_KiB, false);
  EXPECT_EQ(size.Get(128_KiB), 512_KiB);
}

TEST(InitialTest, GrowsWhereFilesALittleLargerAreReadToTheirEnd) {
  InitialSize size;
  size.Learn(128_KiB, 128_KiB, 200_KiB, true);
  EXPECT_EQ(size.Get(128_KiB), 192_KiB);
}

TEST(InitialTest, IsAsBeforeAfterAShortFileWhichSaysNothingOfLongOnes) {
  InitialSize size;
  for (int i = 0; i < 40; ++i) size.Learn(100_KiB, 100_KiB, 100_KiB, true);
  EXPECT_EQ(size.Get(128_KiB), 128_KiB);
  size.Learn(128_KiB, 128_KiB, 4_MiB, true);
  size.Learn(100_KiB, 100_KiB, 100_KiB, true);
  EXPECT_EQ(size.Get(128_KiB), 192_KiB);
}

// Reads `count` files of 200 KiB from begin to `end`, 96 KiB at a time, as grep does. Returns how many reads found
// nothing.
int64_t ReadFiles(int count, int64_t end, Learnt& learnt) {
  int64_t missed = 0;
  for (int i = 0; i < count; ++i) {
    Host host(200_KiB);
    host.learnt_ = learnt;
    host.learnt_.Tell(host.facts_, 7, 1_GiB, {}, host.options_);
    for (int64_t at = 0; at < end; at += 96 * kKiB) {
      const int64_t size = end - at < 96 * kKiB ? end - at : 96 * kKiB;
      missed += host.Present({{at}, {at + size}}) ? 0 : 1;
      host.Read(at, size);
    }
    host.policy_.Forget(host.facts_, host.Around());
    learnt = host.learnt_;
  }
  return missed;
}

TEST(InitialTest, FilesOfAFolderThatAreReadWholeAreFetchedWhole) {
  Learnt learnt;
  EXPECT_EQ(ReadFiles(1, 200 * kKiB, learnt), 2);
  EXPECT_EQ(ReadFiles(10, 200 * kKiB, learnt), 10) << "but for the first read of each";
}

TEST(InitialTest, FilesOfAFolderThatAreNoLongerReadWholeAreSoonNotFetchedWhole) {
  Learnt learnt;
  ReadFiles(2, 200 * kKiB, learnt);
  ReadFiles(2, 8 * kKiB, learnt);
  EXPECT_LE(learnt.HabitOf(7).share, InitialSize::kWhole / 2);
}

TEST(InitialTest, LargeWindowGoesOnWhenAPieceOfItIsRead) {
  Host host;
  host.facts_.initial = 512_KiB;
  host.Read(0, 64 * kKiB);
  const Decision decision = host.Read(64 * kKiB, 64 * kKiB);
  EXPECT_EQ(decision.method, Class::state);
  EXPECT_EQ(Window(decision).begin, ByteOffset{512 * kKiB});
}

// Reads on from `begin` to `end`, 64 KiB at a time. Returns the sizes of the pieces that were asked for, in order.
std::vector<int64_t> PiecesOfScan(Host& host, int64_t begin, int64_t end) {
  std::vector<int64_t> sizes;
  for (int64_t at = begin; at < end; at += 64 * kKiB) {
    const Decision decision = host.Read(at, 64 * kKiB);
    for (int32_t i = 0; i < decision.pieces; ++i) sizes.push_back(decision.Piece(i).size().value);
  }
  return sizes;
}

TEST(PieceTest, LongStreamThatTheHostSaysIsSequentialHasPiecesOfTwiceTheSize) {
  Host host;
  host.advice_ = HostAdvice::kSequential;
  const std::vector<int64_t> sizes = PiecesOfScan(host, 0, 16 * kMiB);
  EXPECT_EQ(sizes.front(), 128 * kKiB) << "the first byte should come soon";
  EXPECT_EQ(sizes.back(), 256 * kKiB);
  EXPECT_LE(sizes.size(), 32U + 52U) << "4 MiB in small ones, the others in large ones";
  host.advice_ = HostAdvice::kNormal;
  EXPECT_EQ(PiecesOfScan(host, 16 * kMiB, 20 * kMiB).back(), 128 * kKiB) << "withdrawn";
}

TEST(PieceTest, OneCallTakesNoMoreThanAPieceWithoutThatAdvice) {
  Host host;
  for (const int64_t size : PiecesOfScan(host, 0, 16 * kMiB)) EXPECT_LE(size, 128 * kKiB);
}

TEST(LatencyTest, IsCountedFromTheRequestThoughTheCallsForMoreTookMostOfIt) {
  Host host;
  const ByteRange range{{0}, {64 * kKiB}};
  const Decision decision =
      host.policy_.Plan({range, 1_s, true, HostAdvice::kSequential}, host.facts_, host.filter_, host.Around());
  ASSERT_GT(decision.pieces, 1);
  PieceOutcome taken;
  taken.state = PieceOutcome::State::kIssued;
  taken.fresh_pages = 32;
  for (int32_t i = 0; i < decision.pieces; ++i)
    host.policy_.Issued(decision, i, taken, i == 0 ? 1_s : 1_s + 15_ms, host.facts_, host.Around());
  host.policy_.Finish(decision, {range, 1_s + 20_ms, 5_ms}, host.facts_, host.filter_, host.Around());
  EXPECT_EQ(host.congestion_.latency(), 20_ms);
}

TEST(StateTest, GoesOnFromTheMarkWithTheStartupDistance) {
  Host host;
  host.Read(0, 64 * kKiB);
  const Decision decision = host.Read(64 * kKiB, 64 * kKiB);  // reaches 112 KiB, the mark at 7/8
  EXPECT_EQ(decision.method, Class::state);
  EXPECT_EQ(Window(decision), (ByteRange{{128 * kKiB}, {1024 * kKiB}}));
  EXPECT_EQ(decision.pieces, 7);
  EXPECT_EQ(host.Sum(Event::lookahead_hit, Class::initial), 4);
}

// 64 KiB in 100 ms are 13 KiB in one latency.
TEST(StateTest, StartsAPacedReaderWithTwoPiecesOnly) {
  Host host;
  host.Read(0, 64 * kKiB);
  host.now_ = host.now_ + 100_ms;
  const Decision decision = host.Read(64 * kKiB, 64 * kKiB);
  EXPECT_EQ(Window(decision), (ByteRange{{128 * kKiB}, {384 * kKiB}}));
}

TEST(StateTest, IsNotAskedWhileTheReaderStaysBeforeTheMark) {
  Host host;
  host.Read(0, 4096);
  for (int64_t page = 1; page < 27; ++page) EXPECT_TRUE(host.Read(page * 4096, 4096).empty()) << page;
  EXPECT_EQ(host.absorbed_, 26);
}

TEST(StateTest, NeverReachesFurtherThanSevenQuartersOfWhatWasRead) {
  Host host;
  host.congestion_.OnMiss(2_ms);
  int64_t furthest = 0;
  for (int64_t offset = 0; offset < kMiB; offset += 64 * kKiB) {
    const Decision decision = host.Read(offset, 64 * kKiB);
    if (decision.pieces > 0) furthest = Window(decision).end.value;
    EXPECT_LE(furthest, offset + 64 * kKiB + std::max(kMiB, (offset + 64 * kKiB) * 7 / 4));
  }
  EXPECT_LE(host.issued_pages_ * 4096, 3 * kMiB);
}

TEST(StateTest, GrowsUntilRateTimesLatencyIsCovered) {
  Host host(1_GiB);
  host.hit_ = 100_us;  // 64 KiB each 100 us: 655 MB/s, with 2 ms of latency 1.3 MB
  int64_t ahead = 0;
  for (int64_t offset = 0; offset < 64 * kMiB; offset += 64 * kKiB) {
    // The device delivers late, and a late read takes half a millisecond: the reader waits most of its time.
    host.hit_ = offset % (128 * kKiB) == 0 ? 500_us : 20_us;
    const Decision decision = host.Read(offset, 64 * kKiB);
    if (decision.pieces > 0) ahead = Window(decision).end.value - offset - 64 * kKiB;
  }
  // 128 KiB each 520 us is 252 MB/s; twice that times 2 ms is 1.01 MB.
  EXPECT_GE(ahead, 900 * kKiB);
  EXPECT_LE(ahead, 2 * kMiB);
}

TEST(StateTest, WhatTheKernelFetchedBesideAMissSaysNothingOfTheLatency) {
  Host host(1_GiB);
  host.facts_.kernel_window = 128_KiB;
  host.miss_ = 2_ms;
  host.Read(512 * kMiB, 4096);
  host.miss_ = 100_us;
  for (int64_t page = 3; page < 60; page += 7) host.Read(512 * kMiB + page * 4096, 4096);
  EXPECT_GE(host.congestion_.latency(), 2_ms);
  // Elsewhere it does.
  host.Read(100 * kMiB, 4096);
  host.Read(200 * kMiB, 4096);
  EXPECT_LT(host.congestion_.latency(), 200_us);
}

TEST(StateTest, StopsAtTheEndOfTheFile) {
  Host host(1_MiB);
  for (int64_t offset = 0; offset < kMiB; offset += 64 * kKiB) {
    const Decision decision = host.Read(offset, 64 * kKiB);
    if (decision.pieces > 0) {
      EXPECT_LE(Window(decision).end.value, kMiB);
    }
  }
  host.Settle();
  EXPECT_EQ(host.issued_pages_, 256);
  EXPECT_EQ(host.Sum(Event::readahead_hit), 256);
  EXPECT_TRUE(host.Read(kMiB, 64 * kKiB).empty());
}

TEST(ContextTest, NeedsTwoReadsInARowWhereReadsFollowEachOther) {
  Host host;
  EXPECT_TRUE(host.Read(100 * kMiB, 16 * kKiB).empty());
  const Decision decision = host.Read(100 * kMiB + 16 * kKiB, 16 * kKiB);
  EXPECT_EQ(decision.method, Class::context);
  EXPECT_EQ(Window(decision).begin.value, 100 * kMiB + 16 * kKiB);
}

TEST(ContextTest, NeedsThreeWhereTheyDoNot) {
  Host host;
  for (int64_t i = 0; i < 20; ++i) host.Read((i * 7919 % 250) * kMiB + kMiB, 4096);
  EXPECT_TRUE(host.Read(100 * kMiB + 512 * kKiB, 16 * kKiB).empty());
  EXPECT_TRUE(host.Read(100 * kMiB + 528 * kKiB, 16 * kKiB).empty());
  EXPECT_EQ(host.Read(100 * kMiB + 544 * kKiB, 16 * kKiB).method, Class::context);
}

TEST(ContextTest, IsCalledContextaWhenItBeganAtZero) {
  Host host;
  Filter inherited;
  host.Read(0, 16 * kKiB, inherited, false);
  EXPECT_EQ(host.Read(16 * kKiB, 16 * kKiB, inherited, false).method, Class::contexta);
}

TEST(ContextTest, FetchesTheRestOfOneReadOfManyPiecesAtOnce) {
  Host host;
  const Decision decision = host.Read(10 * kMiB, kMiB);
  EXPECT_EQ(decision.pieces, 8);
  EXPECT_EQ(Window(decision), (ByteRange{{10 * kMiB}, {11 * kMiB}}));
}

TEST(BackwardTest, StartsWithTheSecondReadAndIncludesIt) {
  Host host;
  host.Read(100 * kMiB, 4096);
  const Decision decision = host.Read(100 * kMiB - 4096, 4096);
  EXPECT_EQ(decision.method, Class::backward);
  EXPECT_EQ(Window(decision).end.value, 100 * kMiB);
  EXPECT_EQ(decision.Piece(0).end.value, 100 * kMiB) << "nearest first";
  EXPECT_GE(Window(decision).size(), 512_KiB);
}

TEST(BackwardTest, StopsAtTheBeginOfTheFile) {
  Host host;
  for (int64_t offset = 2 * kMiB; offset >= 0; offset -= 4096) {
    const Decision decision = host.Read(offset, 4096);
    if (decision.pieces > 0) {
      EXPECT_GE(Window(decision).begin.value, 0);
    }
  }
  host.Settle();
  EXPECT_EQ(host.Sum(Event::readahead_waste), 0);
  EXPECT_EQ(host.Sum(Event::readahead_hit, Class::backward), 512);
}

TEST(StrideTest, StartsWithTheThirdReadInEitherDirection) {
  for (const int64_t step : {256 * kKiB, -256 * kKiB}) {
    Host host;
    EXPECT_TRUE(host.Read(128 * kMiB, 4096).empty());
    EXPECT_TRUE(host.Read(128 * kMiB + step, 4096).empty());
    const Decision decision = host.Read(128 * kMiB + 2 * step, 4096);
    EXPECT_EQ(decision.method, Class::stride);
    EXPECT_EQ(decision.Piece(0), (ByteRange{{128 * kMiB + 2 * step}, {128 * kMiB + 2 * step + 4096}}));
    EXPECT_EQ(decision.Piece(1).begin.value, 128 * kMiB + 3 * step);
    EXPECT_EQ(decision.pieces, 49) << "the read and 48 after it";
  }
}

TEST(StrideTest, FetchesNothingBetweenTheReads) {
  Host host;
  host.miss_ = 30_us;  // so that little counts as in flight
  for (int64_t i = 0; i < 500; ++i) host.Read(i * 256 * kKiB + 4096, 4096);
  host.Settle();
  EXPECT_LE(host.issued_pages_, 500 + 128);
  EXPECT_EQ(host.Sum(Event::readahead_hit, Class::stride), 498) << "all but the two that showed the stride";
}

TEST(StrideTest, LargeReadsAreNoReasonToFetchMoreThanMax) {
  Host host;
  host.options_.max = 1 * kMiB;
  for (int64_t i = 0; i < 200; ++i) {
    host.Read(i * kMiB, 256 * kKiB);
    EXPECT_LE(host.policy_.OutstandingPages() * 4096, 5 * kMiB / 4) << "read " << i;
  }
}

TEST(StrideTest, FetchesTheGapsTooWhereHitRateAllowsAsManyPagesForEachPageRead) {
  const auto method = [](int64_t hit_rate, int64_t step, int64_t count) {
    Host host;
    host.options_.hit_rate = hit_rate;
    host.Read(10 * kMiB, count);
    host.Read(10 * kMiB + step, count);
    return host.Read(10 * kMiB + 2 * step, count).method;
  };
  EXPECT_EQ(method(1, 8192, 4096), Class::stride);
  EXPECT_EQ(method(2, 8192, 4096), Class::context);
  EXPECT_EQ(method(2, 12288, 4096), Class::stride);
  EXPECT_EQ(method(1, 300, 100), Class::context) << "no page is spared";
}

TEST(OnSeekTest, FetchesAfterAJumpWhatEarlierJumpsWereFollowedBy) {
  Host host;
  Decision decision;
  const int64_t places[] = {10 * kMiB, 70 * kMiB, 30 * kMiB, 120 * kMiB};
  for (const int64_t place : places) {
    decision = host.Read(place, 16 * kKiB);
    for (int64_t i = 1; i < 4; ++i) host.Read(place + i * 16 * kKiB, 16 * kKiB);
  }
  decision = host.Read(200 * kMiB, 16 * kKiB);
  EXPECT_EQ(decision.method, Class::onseek);
  EXPECT_EQ(Window(decision), (ByteRange{{200 * kMiB}, {200 * kMiB + 64 * kKiB}}));
}

TEST(InterleaveTest, KeepsAWindowForEachOfEightReadersOfOneDescriptor) {
  Host host;
  for (int64_t offset = 0; offset < 8 * kMiB; offset += 64 * kKiB)
    for (int64_t reader = 0; reader < 8; ++reader) host.Read(reader * 32 * kMiB + offset, 64 * kKiB);
  // Two rounds of each reader may go without, the rest must have been fetched ahead.
  EXPECT_GE(host.Sum(Event::readahead_hit), 8 * (128 - 2) * 16);
  EXPECT_LE(host.Sum(Event::readahead_waste), 8 * 128);
}

TEST(RandomTest, AsksForNothing) {
  Host host;
  uint64_t seed = 1;
  for (int i = 0; i < 2000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    host.Read(static_cast<int64_t>((seed >> 33) % 65536) * 4096, 4096);
  }
  EXPECT_LE(host.issued_pages_, 20);
  EXPECT_GE(static_cast<int64_t>(host.ledger_.requests(Event::random_read, Class::none)), 1900);
}

TEST(PassiveTest, LetsReadsPassOnceAWindowWasFoundResident) {
  Host host;
  host.Touch({{0}, {256 * kMiB}});
  int64_t decided = 0;
  for (int64_t offset = 0; offset < 64 * kMiB; offset += 64 * kKiB) decided += host.Read(offset, 64 * kKiB).pieces;
  EXPECT_EQ(decided, 1) << "the first window, found resident";
  EXPECT_GT(host.absorbed_ * 10, host.reads_ * 8);
  EXPECT_EQ(host.Sum(Event::readahead), 0);
}

TEST(PassiveTest, LetsRandomReadsPassOnceTheyWereFast) {
  Host host;
  host.Touch({{0}, {256 * kMiB}});
  uint64_t seed = 1;
  for (int i = 0; i < 10000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    host.Read(static_cast<int64_t>((seed >> 33) % 65536) * 4096, 4096);
  }
  EXPECT_GT(host.absorbed_, 9700);
}

// A disk that is in memory answers sooner than a busy machine copies.
TEST(PassiveTest, IsNotBegunByADiskThatIsNearlyAsFast) {
  Host host;
  host.miss_ = 12_us;
  for (int64_t i = 1; i <= 20; ++i) {
    host.Read(i * i * 37 % 60000 * 4096, 4096);
    EXPECT_FALSE(host.policy_.passive()) << i;
  }
}

TEST(PassiveTest, SparesRandomReadsOfSuchADiskOnceTheKernelIsAdvised) {
  Host host;
  host.own_ = true;
  host.miss_ = 12_us;
  for (int64_t i = 1; i <= 400; ++i) host.Read(i * i * 37 % 60000 * 4096, 4096);
  EXPECT_TRUE(host.hinted_);
  EXPECT_TRUE(host.policy_.passive());
  EXPECT_GT(host.absorbed_, 300);
  for (int64_t page = 0; page < 400; ++page) host.Read((61000 + page) * 4096, 4096);
  // Then somebody is ahead of a scan: the engine, or the kernel again.
  EXPECT_TRUE(!host.hinted_ || host.issued_pages_ > 200);
}

TEST(PassiveTest, WakesUpWhenAReadWaits) {
  Host host;
  host.Touch({{0}, {32 * kMiB}});
  for (int64_t offset = 0; offset < 64 * kMiB; offset += 64 * kKiB) host.Read(offset, 64 * kKiB);
  EXPECT_FALSE(host.policy_.passive());
  EXPECT_GE(host.issued_pages_, 28 * kMiB / 4096);
}

TEST(PassiveTest, SeesACachedFileByTimingAlone) {
  Host host;
  host.sure_ = false;
  host.Touch({{0}, {256 * kMiB}});
  int64_t decided = 0;
  for (int64_t offset = 0; offset < 64 * kMiB; offset += 64 * kKiB) {
    // Without a look at the cache the pieces are asked for blindly.
    const ByteRange range{{offset}, {offset + 64 * kKiB}};
    if (host.filter_.Passes(range.begin, range.size())) {
      host.filter_.Absorb(range.begin, range.size());
      continue;
    }
    const Decision decision =
        host.policy_.Plan({range, host.now_, offset == 0}, host.facts_, host.filter_, host.Around());
    for (int32_t i = 0; i < decision.pieces; ++i) {
      const int32_t pages = static_cast<int32_t>(decision.Piece(i).size() / 4_KiB);
      host.policy_.Issued(decision, i, {PieceOutcome::State::kIssued, false, pages, {}}, host.now_, host.facts_,
                          host.Around());
    }
    decided += decision.pieces;
    host.now_ = host.now_ + 10_us;
    host.policy_.Finish(decision, {range, host.now_, 10_us}, host.facts_, host.filter_, host.Around());
  }
  EXPECT_LE(decided, 8);
}

TEST(OptionsTest, RatioZeroWatchesOnly) {
  Host host;
  host.options_.ratio = 0;
  for (int64_t offset = 0; offset < 8 * kMiB; offset += 64 * kKiB) EXPECT_TRUE(host.Read(offset, 64 * kKiB).empty());
  EXPECT_GT(host.Sum(Event::cache_miss), 0);
}

TEST(OptionsTest, RatioBelowTenKeepsTheInitialDistance) {
  Host host;
  host.options_.ratio = 5;
  host.options_.initial = 256 * kKiB;
  host.facts_.initial = 256_KiB;
  for (int64_t offset = 0; offset < 32 * kMiB; offset += 64 * kKiB) {
    const Decision decision = host.Read(offset, 64 * kKiB);
    if (decision.pieces > 0) {
      EXPECT_LE(Window(decision).end.value, offset + 64 * kKiB + 256 * kKiB);
    }
  }
  EXPECT_GE(host.Sum(Event::readahead_hit), 31 * kMiB / 4096);
}

TEST(OptionsTest, AStreamThatCannotOutgrowTheKernelsWindowIsLeftToTheKernel) {
  Host host;
  host.options_.max = 128 * kKiB;
  for (int64_t offset = 0; offset < 8 * kMiB; offset += 64 * kKiB) host.Read(offset, 64 * kKiB);
  EXPECT_LE(host.issued_pages_ * 4096, 128 * kKiB) << "the first window only";
}

TEST(OptionsTest, MemoryBoundsTheDistance) {
  Host host;
  host.congestion_.OnMiss(20_ms);
  for (int64_t offset = 0; offset < 32 * kMiB; offset += 64 * kKiB) {
    host.hit_ = 1_ms;
    host.facts_.allowance = 1_MiB - host.facts_.page * (2 * host.policy_.OutstandingPages());
    const Decision decision = host.Read(offset, 64 * kKiB);
    if (decision.pieces > 0) {
      EXPECT_LE(Window(decision).end.value, offset + 64 * kKiB + 512 * kKiB) << "ratio 50 of 1 MiB";
    }
  }
}

TEST(OptionsTest, MemoryThatIsNotThereIsNotUsedForAReaderBehindTheStream) {
  Host host(1_MiB);
  host.facts_.allowance = {0};
  host.Read(0, 224 * kKiB);
  Filter behind;
  EXPECT_TRUE(host.Read(100 * kKiB, 40 * kKiB, behind).empty()) << "what the other has read is not asked for again";
}

TEST(CongestionTest, MountThatKeepsNothingIsLeftAloneAndTriedAgainEverMoreRarely) {
  Host host(1_GiB);
  host.drop_from_ = 0;
  host.congestion_.OnMiss(2_ms);
  int64_t offset = 0;
  const auto requests = [&](Nanos until) {
    int asked = 0;
    for (; host.now_ < until; offset += 128 * kKiB) {
      host.cache_.clear();
      asked += host.Read(offset, 128 * kKiB).empty() ? 0 : 1;
    }
    return asked;
  };
  EXPECT_EQ(requests(1900_ms), 8);
  EXPECT_EQ(requests(2500_ms), 1) << "a second after the last";
  EXPECT_EQ(requests(4_s), 0);
  EXPECT_EQ(requests(4500_ms), 1) << "two seconds";
  host.drop_from_ = INT32_MAX;
  EXPECT_GT(requests(9_s), 10) << "what is kept is worth asking for";
}

TEST(CongestionTest, PiecesThatWereDroppedAreAskedForAgain) {
  Host host;
  host.Read(0, 64 * kKiB);
  host.drop_from_ = 1;
  const Decision decision = host.Read(64 * kKiB, 64 * kKiB);
  ASSERT_EQ(decision.pieces, 7);
  host.drop_from_ = INT32_MAX;
  host.now_ = host.now_ + 10_ms;
  const Decision again = host.Read(128 * kKiB, 64 * kKiB);
  EXPECT_EQ(Window(again).begin.value, 256 * kKiB);
  EXPECT_GE(host.ledger_.requests(Event::io_congestion, Class::state), 1u);
}

TEST(MappingTest, FetchesASmallFileWholeAndTheFirstWindowOfALargeOne) {
  Host host(100_KiB);
  Decision decision = host.policy_.PlanMapping({{0}, {4096}}, host.now_, host.facts_, host.Around());
  EXPECT_EQ(decision.method, Class::mapped);
  EXPECT_EQ(Window(decision), (ByteRange{{0}, {100 * kKiB}}));
  Host large;
  decision = large.policy_.PlanMapping({{0}, {64 * kMiB}}, large.now_, large.facts_, large.Around());
  EXPECT_EQ(Window(decision), (ByteRange{{0}, {128 * kKiB}}));
}

TEST(MappingTest, LeavesAPartFromTheMiddleOfALargeFileToTheKernel) {
  Host host;
  EXPECT_TRUE(host.policy_.PlanMapping({{8 * kMiB}, {64 * kMiB}}, host.now_, host.facts_, host.Around()).empty());
}

TEST(TotalityTest, ImpossibleAccessesDecideNothing) {
  Host host(1_MiB);
  for (const ByteRange range : {ByteRange{{-5}, {10}}, ByteRange{{INT64_MAX - 10}, {INT64_MAX}}, ByteRange{{20}, {10}},
                                ByteRange{{2 * kMiB}, {3 * kMiB}}}) {
    const Decision decision = host.policy_.Plan({range, host.now_, true}, host.facts_, host.filter_, host.Around());
    EXPECT_TRUE(decision.empty());
    host.policy_.Finish(decision, {range, host.now_, 1_us}, host.facts_, host.filter_, host.Around());
  }
}

// Maps `count` ranges of `size` side by side from 8 MiB on, one each `each`. Returns where the last decision ends.
int64_t AskedUpTo(Host& host, int count, int64_t size, Nanos each) {
  int64_t end = 0;
  for (int i = 0; i < count; ++i) {
    const ByteOffset begin{8 * kMiB + i * size};
    host.now_ = host.now_ + each;
    const Decision decision =
        host.policy_.PlanMapping({begin, begin + ByteCount{size}}, host.now_, host.facts_, host.Around());
    host.Issue(decision);
    if (!decision.empty()) end = Window(decision).end.value;
  }
  return end;
}

TEST(MappingTest, IsFollowedByWhatComesNextWhereSmallOnesAreMadeInOrder) {
  Host host;
  EXPECT_EQ(AskedUpTo(host, 2, 128 * kKiB, 1_ms), 0);
  Host third;
  EXPECT_EQ(AskedUpTo(third, 3, 128 * kKiB, 1_ms), 8 * kMiB + 6 * 128 * kKiB);
  Host many;
  EXPECT_EQ(AskedUpTo(many, 64, 128 * kKiB, 1_ms), 16 * kMiB + kMiB);
  EXPECT_EQ(many.issued_pages_ * 4096, 62 * 128 * kKiB + kMiB) << "nothing is asked for twice";
}

TEST(MappingTest, IsNotFollowedWhereNoneCanHaveBeenRead) {
  Host at_once;
  EXPECT_EQ(AskedUpTo(at_once, 64, 128 * kKiB, 1_us), 0);
  Host large;
  EXPECT_EQ(AskedUpTo(large, 64, kMiB, 1_ms), 0);
}

}  // namespace
}  // namespace ahead::test
