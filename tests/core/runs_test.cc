// Runs and jumps: which cycles are found, how they lie in slots, and what is asked for on them.
#include "core/methods/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/cycle.h"
#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr ByteCount kPage{4096};
constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;

ByteRange Range(int64_t begin, int64_t size) { return {{begin}, {begin + size}}; }

// Three runs of 8, 4 and 8 KiB in each row of 1 MiB.
Cycle ThreeColumns() {
  Cycle cycle;
  cycle.runs = 3;
  cycle.period = kMiB;
  const int32_t offsets[] = {0, 64 << 10, 256 << 10};
  const int32_t lengths[] = {8 << 10, 4 << 10, 8 << 10};
  for (int i = 0; i < 3; ++i) {
    cycle.offsets[i] = offsets[i];
    cycle.lengths[i] = lengths[i];
  }
  return cycle;
}

TEST(CycleTest, PutsThePagesOfRunsInALine) {
  const Track track = Track::Runs({0}, ThreeColumns(), kPage);
  const int64_t pages[] = {0, 4 * kKiB, 64 * kKiB, 256 * kKiB, 260 * kKiB, kMiB, kMiB + 4 * kKiB, kMiB + 64 * kKiB};
  for (int64_t slot = 0; slot < 8; ++slot) {
    EXPECT_EQ(track.Begin(slot).value, pages[slot]) << slot;
    EXPECT_EQ(track.Slots(Range(pages[slot], 4096)).begin, slot);
    EXPECT_EQ(track.Slots(Range(pages[slot], 4096)).end, slot + 1);
  }
  EXPECT_EQ(track.Slots(Range(128 * kKiB, 4096)).size(), 0) << "between two runs";
  EXPECT_EQ(track.Slots(Range(0, 64 * kKiB)).end, 2) << "a run's own slots only";
}

TEST(CycleTest, GoesBackwardAsWell) {
  Cycle cycle = ThreeColumns();
  cycle.period = -kMiB;
  const Track track = Track::Runs({3 * kMiB}, cycle, kPage);
  EXPECT_EQ(track.Begin(5).value, 2 * kMiB);
  EXPECT_EQ(track.Slots(Range(kMiB + 64 * kKiB, 4096)).begin, 12);
  EXPECT_EQ(track.EndSlot(100_MiB), 20) << "four rows, the last at 0";
}

TEST(CycleTest, EndsWithTheFirstRunOutsideOfTheFile) {
  const Track track = Track::Runs({0}, ThreeColumns(), kPage);
  EXPECT_EQ(track.EndSlot(4_MiB), 20);
  EXPECT_EQ(track.EndSlot(ByteCount{2 * kMiB + 128 * kKiB}), 13);
}

TEST(CycleTest, OfRowsThatAreNotWholePagesHasRoomForEachRunWhereverItLies) {
  Cycle cycle;
  cycle.runs = 1;
  cycle.period = 100'000;
  cycle.lengths[0] = 4096;
  const Track track = Track::Runs({0}, cycle, kPage);
  for (int64_t row = 0; row < 50; ++row) {
    const SlotRange slots = track.Slots(Range(row * 100'000, 4096));
    EXPECT_EQ(slots.begin, row * 2);
    EXPECT_EQ(slots.end, row * 2 + 2);
    EXPECT_EQ(track.Slots(Range(AlignDown(row * 100'000, 4096), 4096)).begin, row * 2) << "the page it begins in";
  }
}

// 4 KiB of each of 32 rows of 64 KiB in each group of 4 MiB.
Cycle Rows32(int64_t direction) {
  Cycle cycle;
  cycle.runs = 1;
  cycle.lengths[0] = 4096;
  cycle.rounds = 32;
  cycle.step = direction * 64 * kKiB;
  cycle.period = direction * 4 * kMiB;
  return cycle;
}

TEST(CycleTest, GoesThroughItsRunsSeveralTimes) {
  for (const int64_t direction : {1, -1}) {
    const int64_t begin = 512 * kMiB;
    const Track track = Track::Runs({begin}, Rows32(direction), kPage);
    for (const int64_t slot : {-33, -1, 0, 1, 31, 32, 33, 63, 64, 1000}) {
      const int64_t group = FloorDivide(slot, 32);
      const int64_t place = begin + direction * (group * 4 * kMiB + (slot - group * 32) * 64 * kKiB);
      EXPECT_EQ(track.Begin(slot).value, place) << slot;
      EXPECT_EQ(track.Slots(Range(place, 4096)).begin, slot);
      EXPECT_EQ(track.Slots(Range(place, 4096)).end, slot + 1);
    }
    EXPECT_EQ(track.Slots(Range(begin + direction * 2 * kMiB, 4096)).size(), 0) << "behind the last row of a group";
  }
}

TEST(CycleTest, OfSeveralRoundsEndsWithTheFirstRowOutsideOfTheFile) {
  EXPECT_EQ(Track::Runs({0}, Rows32(1), kPage).EndSlot(8_MiB), 64);
  EXPECT_EQ(Track::Runs({0}, Rows32(1), kPage).EndSlot(ByteCount{4 * kMiB + 192 * kKiB}), 35);
  EXPECT_EQ(Track::Runs({8 * kMiB}, Rows32(-1), kPage).EndSlot(100_MiB), 65) << "the last at 0";
  EXPECT_EQ(Track::Runs({5 * kMiB}, Rows32(-1), kPage).EndSlot(100_MiB), 32 + 17);
}

// Enters runs of reads of 4 KiB: the chosen columns of `rows` rows. Returns the row and column that found the cycle.
int64_t RunsUntilFound(RunLog& log, const std::vector<Extent>& columns, int64_t row_bytes, int64_t rows, Cycle& cycle) {
  int64_t runs = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (const Extent& column : columns) {
      ++runs;
      for (int64_t at = 0; at < column.length; at += 4096)
        log.Observe(Range(row * row_bytes + column.begin + at, 4096), kPage);
      if (log.FindCycle(cycle, false, kPage)) return runs;
    }
  }
  return -1;
}

TEST(RunLogTest, FindsACycleWhenHalfOfItCameAgain) {
  Cycle cycle;
  RunLog three;
  EXPECT_EQ(RunsUntilFound(three, {{0, 8192}, {64 << 10, 4096}, {256 << 10, 8192}}, kMiB, 5, cycle), 6);
  EXPECT_EQ(cycle.runs, 3);
  EXPECT_EQ(cycle.period, kMiB);
  EXPECT_EQ(cycle.lengths[0], 8192) << "seen from the sixth run";
  EXPECT_EQ(cycle.offsets[1], 768 << 10);
  std::vector<Extent> many;
  for (int64_t i = 0; i < 16; ++i) many.push_back({i * i * 16 * kKiB, 4096});
  RunLog sixteen;
  EXPECT_EQ(RunsUntilFound(sixteen, many, 4 * kMiB, 5, cycle), 16 + 9);
  EXPECT_EQ(cycle.runs, 16);
}

TEST(RunLogTest, FindsRowsWithTheSecondReadOfTheNext) {
  for (const int64_t direction : {1, -1}) {
    RunLog log;
    Cycle cycle;
    int64_t reads = 0;
    bool is_found = false;
    for (int64_t group = 0; group < 2 && !is_found; ++group) {
      for (int64_t row = 0; row < 32 && !is_found; ++row) {
        ++reads;
        log.Observe(Range(512 * kMiB + direction * (group * 4 * kMiB + row * 64 * kKiB), 4096), kPage);
        is_found = log.FindRows(cycle, kPage);
      }
    }
    ASSERT_EQ(reads, 32 + 2);
    EXPECT_EQ(cycle.rounds, 32);
    EXPECT_EQ(cycle.step, direction * 64 * kKiB);
    EXPECT_EQ(cycle.period, direction * 4 * kMiB);
    EXPECT_EQ(cycle.offsets[0], -direction * 64 * kKiB) << "it began a read before";
  }
}

TEST(RunLogTest, FindsNoRowsThatAreShortOrDenseOrOfAnotherStep) {
  const auto found = [](int64_t rows, int64_t step, int64_t next_step) {
    RunLog log;
    Cycle cycle;
    for (int64_t row = 0; row < rows; ++row) log.Observe(Range(row * step, 4096), kPage);
    log.Observe(Range(64 * kMiB, 4096), kPage);
    log.Observe(Range(64 * kMiB + next_step, 4096), kPage);
    return log.FindRows(cycle, kPage);
  };
  EXPECT_TRUE(found(8, 64 * kKiB, 64 * kKiB));
  EXPECT_FALSE(found(7, 64 * kKiB, 64 * kKiB));
  EXPECT_FALSE(found(8, 64 * kKiB, 60 * kKiB));
  EXPECT_FALSE(found(8, 8 * kKiB, 8 * kKiB)) << "hardly a page is spared";
}

TEST(RunLogTest, BelievesLongRunsWhenOneCameAgain) {
  const std::vector<Extent> columns = {{0, 1 << 20}, {5 << 20, 512 << 10}, {9 << 20, 1 << 20}};
  RunLog log;
  Cycle cycle;
  EXPECT_EQ(RunsUntilFound(log, columns, 16 * kMiB, 5, cycle), 3 + 2);
  EXPECT_EQ(cycle.runs, 3);
  EXPECT_EQ(cycle.period, 16 * kMiB);
}

TEST(RunLogTest, FindsNoneWhereNoPageIsSparedOrRowsAreInterleaved) {
  Cycle cycle;
  RunLog dense;
  EXPECT_EQ(RunsUntilFound(dense, {{64 << 10, 64 << 10}, {0, 64 << 10}}, 128 * kKiB, 20, cycle), -1);
  RunLog readers;
  EXPECT_EQ(RunsUntilFound(readers, {{0, 4096}, {10 << 20, 4096}, {30 << 20, 4096}}, 8 * kKiB, 20, cycle), -1);
}

TEST(RunLogTest, ForgetsWhatItWasNotToldOf) {
  Cycle cycle;
  RunLog log;
  ASSERT_EQ(RunsUntilFound(log, {{0, 8192}}, kMiB, 5, cycle), 3);
  log.Interrupt();
  EXPECT_EQ(RunsUntilFound(log, {{0, 8192}}, kMiB, 2, cycle), -1);
}

// Reads the runs of `columns` in each of `rows` rows, by reads of `count` bytes or, where they are shorter, by one.
void ReadRows(Host& host, const std::vector<Extent>& columns, int64_t row_bytes, int64_t rows, int64_t count) {
  for (int64_t row = 0; row < rows; ++row)
    for (const Extent& column : columns)
      for (int64_t at = 0; at < column.length; at += count)
        host.Read(row * row_bytes + column.begin + at, std::min<int64_t>(count, column.length));
}

TEST(RunsTest, FetchesTheNextRunsBeforeTheJumps) {
  Host host;
  ReadRows(host, {{0, 1 << 20}, {2 << 20, 512 << 10}, {5 << 20, 1 << 20}}, 8 * kMiB, 1, 128 * kKiB);
  ReadRows(host, {{8 << 20, 1 << 20}}, 0, 1, 128 * kKiB);
  const Decision decision = host.Read(10 * kMiB, 128 * kKiB);
  EXPECT_EQ(decision.method, Class::onseek) << "one long run came again";
  ASSERT_EQ(decision.extent_count, 2) << "all of this run at once, and some of the next";
  EXPECT_EQ(decision.required, 1);
  EXPECT_EQ(decision.Piece(0), Range(10 * kMiB, 128 * kKiB));
  EXPECT_EQ(decision.Piece(3), Range(10 * kMiB + 384 * kKiB, 128 * kKiB));
  EXPECT_EQ(decision.Piece(4), Range(13 * kMiB, 128 * kKiB));
  for (int64_t at = 128 * kKiB; at < kMiB / 2; at += 128 * kKiB) host.Read(10 * kMiB + at, 128 * kKiB);
  for (const int64_t next : {13 * kMiB, 16 * kMiB, 18 * kMiB, 21 * kMiB}) {
    EXPECT_TRUE(host.Present(Range(next, 128 * kKiB))) << next << " before the jump";
    for (int64_t at = 0; at < (next == 18 * kMiB ? kMiB / 2 : kMiB); at += 128 * kKiB) host.Read(next + at, 128 * kKiB);
  }
}

TEST(RunsTest, FetchesNothingBetweenTheColumnsOfRows) {
  Host host;
  const std::vector<Extent> columns = {{0, 4096}, {100 << 10, 8192}, {500 << 10, 16384}};
  ReadRows(host, columns, kMiB, 256, 64 * kKiB);
  host.Settle();
  host.policy_.Forget(host.facts_, host.Around());
  const int64_t read = 256 * 7;
  EXPECT_LE(host.issued_pages_, read * 11 / 10);
  EXPECT_GE(host.Sum(Event::readahead_hit), read * 9 / 10);
}

TEST(RunsTest, AStreamIsLedNoFurtherThanEarlierRunsWere) {
  Host host;
  for (const int64_t place : {10 * kMiB, 71 * kMiB})
    for (int64_t at = 0; at < 512 * kKiB; at += 64 * kKiB) host.Read(place + at, 64 * kKiB);
  const int64_t before = host.issued_pages_;
  for (int64_t at = 0; at < 512 * kKiB; at += 64 * kKiB) host.Read(133 * kMiB + at, 64 * kKiB);
  EXPECT_LE(host.issued_pages_ - before, 128) << "512 KiB as the runs before it";
  host.Read(133 * kMiB + 512 * kKiB, 64 * kKiB);
  EXPECT_GE(host.issued_pages_ - before, 256) << "it went on: so do we";
}

TEST(RunLogTest, FindsALineOfReadsThatAreAPageOff) {
  const int64_t off[] = {0, 1, 2, 0, 2, 1, 1, 0};
  const auto found = [&](int64_t step, int64_t size, Cycle& cycle) {
    RunLog log;
    for (int64_t i = 0; i < 8; ++i) log.Observe(Range(100 * kMiB + i * step + off[i] * 4096, size), kPage);
    return log.FindLine(cycle, kPage);
  };
  for (const int64_t step : {kMiB, -kMiB}) {
    Cycle cycle;
    ASSERT_TRUE(found(step, 128 * kKiB, cycle));
    EXPECT_EQ(cycle.period, step);
    EXPECT_EQ(cycle.offsets[0], 0) << "the last read was as early as any";
    EXPECT_EQ(cycle.lengths[0], 136 << 10) << "a page at each side";
  }
  Cycle cycle;
  EXPECT_FALSE(found(kMiB, 64 * kKiB, cycle)) << "two pages are more than a tenth";
  EXPECT_FALSE(found(140 * kKiB, 128 * kKiB, cycle)) << "hardly a page is spared";
}

TEST(StrideDoubtTest, DistancesThatAreEqualByChanceAreBelievedOnce) {
  Host host;
  int64_t at = 0;
  uint64_t seed = 1;
  for (int64_t i = 0; i < 900; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    host.Read(at + static_cast<int64_t>((seed >> 33) % 3) * 4096, 4096);
    at += 256 * kKiB;
  }
  EXPECT_LE(host.issued_pages_, 3 * 49) << "of 900 read";
}

TEST(StrideDoubtTest, AStrideThatStartsInAFirstWindowLeavesIt) {
  Host host;
  for (int64_t i = 0; i < 400; ++i) host.Read(i * 8192, 4096);
  host.policy_.Forget(host.facts_, host.Around());
  EXPECT_LE(host.issued_pages_, 400 + 32 + 128) << "the first window, and what is ahead";
  EXPECT_GE(host.Sum(Event::readahead_hit), 390);
}

// The farthest byte that a pass of 40 reads asks for, `step` apart, whose first lies at `begin`.
int64_t FarthestOfPass(Host& host, int64_t begin, int64_t step) {
  int64_t farthest = 0;
  for (int64_t row = 0; row < 40; ++row) {
    const Decision decision = host.Read(begin + row * step, 4096);
    for (int32_t i = 0; i < decision.pieces; ++i) farthest = std::max(farthest, decision.Piece(i).end.value);
  }
  return farthest;
}

TEST(StrideTest, NextColumnIsNotFetchedBeyondTheLastRowOfTheOneBefore) {
  constexpr int64_t kRow = 64 << 10;
  Host host;
  EXPECT_GT(FarthestOfPass(host, 0, kRow), 41 * kRow);
  for (int64_t column = 1; column < 6; ++column)
    EXPECT_LE(FarthestOfPass(host, column * 4096, kRow), 40 * kRow) << column;
}

TEST(StrideTest, ColumnThatIsLongerThanTheOneBeforeGoesOn) {
  constexpr int64_t kRow = 64 << 10;
  Host host;
  FarthestOfPass(host, 0, kRow);
  FarthestOfPass(host, 4096, kRow);
  EXPECT_GT(FarthestOfPass(host, 4096 + 40 * kRow, kRow), 81 * kRow);
}

TEST(StrideTest, ReaderThatGoesALittleToAndFroIsSeldomTakenForOneOfAStrideOrCycle) {
  int64_t pages = 0;
  int64_t read = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    Host host;
    host.facts_.kernel_leads = true;
    uint32_t noise = seed;
    for (int64_t block = 1; block < 1000; ++block) {
      noise = noise * 1664525 + 1013904223;
      host.Read(block * (16 << 10) + 4096 * (static_cast<int64_t>(noise >> 20) % 3 - 1), 16 << 10);
    }
    read += 999 * 4;
    pages += host.Sum(Event::readahead, Class::stride) + host.Sum(Event::readahead, Class::onseek);
  }
  EXPECT_LE(pages * 5, read);
}

}  // namespace
}  // namespace ahead::test
