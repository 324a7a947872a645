#include "stats/snapshot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/stats/processes.h"

namespace ahead {
namespace {

TEST(SnapshotTest, SumsLivingEndedAndRetiredProcesses) {
  SharedSegment segment(1);
  const auto count = [&] {
    Block* block = ClaimBlock(segment, getpid());
    if (block == nullptr) return 1;
    block->ledger.Add(Event::cache_miss, Class::none, 7);
    Bump(block->counters.read_bytes, 4096);
    return 0;
  };
  EXPECT_EQ(Wait(Spawn(count)), 0);
  EXPECT_EQ(Wait(Spawn(count)), 0);
  const Snapshot snapshot = ReadSnapshot(segment);
  EXPECT_EQ(snapshot.total.processes, 2u);
  EXPECT_EQ(snapshot.total.counters.read_bytes, 8192u);
  EXPECT_EQ(snapshot.total.ledger.pages(Event::cache_miss, Class::none), 14u);
  ASSERT_EQ(snapshot.processes.size(), 1u);
  EXPECT_FALSE(snapshot.processes[0].is_running);
  EXPECT_EQ(snapshot.processes[0].counts.counters.read_bytes, 4096u);
}

TEST(SnapshotTest, OfOneProcessLeavesOthersOut) {
  SharedSegment segment(4);
  ClaimBlock(segment, getpid())->counters.reads_seen = 3;
  const pid_t child = Spawn([&] {
    ClaimBlock(segment, getpid())->counters.reads_seen = 5;
    return 0;
  });
  EXPECT_EQ(Wait(child), 0);
  EXPECT_EQ(ReadSnapshot(segment, child).total.counters.reads_seen, 5u);
  EXPECT_EQ(TakeSnapshot(segment, child).total.counters.reads_seen, 5u);
  EXPECT_EQ(ReadSnapshot(segment).total.counters.reads_seen, 3u);
}

TEST(SnapshotTest, AResetEmptiesEverythingButTheNumberOfLivingProcesses) {
  SharedSegment segment(2);
  EXPECT_EQ(Wait(Spawn([&] {
              ClaimBlock(segment, getpid())->ledger.Add(Event::readahead, Class::state, 3);
              return 0;
            })),
            0);
  ClaimBlock(segment, getpid())->ledger.Add(Event::readahead, Class::state, 4);
  const Snapshot taken = TakeSnapshot(segment);
  EXPECT_EQ(taken.total.ledger.pages(Event::readahead, Class::state), 7u);
  EXPECT_EQ(taken.total.ledger.readahead_square_pages[static_cast<size_t>(Class::state)], 25u);
  EXPECT_EQ(taken.total.processes, 2u);
  EXPECT_EQ(taken.reset_unix_ns, 0);
  const Snapshot rest = ReadSnapshot(segment);
  EXPECT_EQ(rest.total.ledger.pages(Event::readahead, Class::state), 0u);
  EXPECT_EQ(rest.total.ledger.readahead_square_pages[static_cast<size_t>(Class::state)], 0u);
  EXPECT_EQ(rest.total.processes, 1u);
  EXPECT_EQ(rest.processes.size(), 1u) << "the ended process has nothing left to show";
  EXPECT_GT(rest.reset_unix_ns, 0);
}

TEST(SnapshotTest, ResetsDuringCountingTakeEachCountOnce) {
  SharedSegment segment(2);
  constexpr uint64_t kCounts = 300'000;
  const pid_t writer = Spawn([&] {
    Block* block = ClaimBlock(segment, getpid());
    for (uint64_t i = 0; i < kCounts; ++i) {
      block->ledger.Add(Event::readahead, Class::context, 2);
      Bump(block->counters.reads_seen);
    }
    return 0;
  });
  uint64_t requests = 0, pages = 0, squares = 0, reads = 0;
  const auto take = [&] {
    const Snapshot taken = TakeSnapshot(segment);
    requests += taken.total.ledger.requests(Event::readahead, Class::context);
    pages += taken.total.ledger.pages(Event::readahead, Class::context);
    squares += taken.total.ledger.readahead_square_pages[static_cast<size_t>(Class::context)];
    reads += taken.total.counters.reads_seen;
  };
  int status = 0;
  while (waitpid(writer, &status, WNOHANG) == 0) take();
  EXPECT_EQ(status, 0);
  take();
  EXPECT_EQ(requests, kCounts);
  EXPECT_EQ(pages, 2 * kCounts);
  EXPECT_EQ(squares, 4 * kCounts);
  EXPECT_EQ(reads, kCounts);
}

TEST(SnapshotTest, CountsOnTheirWayToRetiredAreWaitedFor) {
  SharedSegment segment(1);
  Block* block = ClaimBlock(segment, getpid());
  block->ledger.Add(Event::readahead, Class::state, 9);
  __atomic_fetch_add(&segment->folds_begun, 1, __ATOMIC_SEQ_CST);
  Block in_flight;
  MoveCounts(*block, in_flight, MoveProcesses::kYes);
  uint64_t seen = 0;
  std::thread reader([&] { seen = ReadSnapshot(segment).total.ledger.pages(Event::readahead, Class::state); });
  MoveCounts(in_flight, segment->retired, MoveProcesses::kYes);
  __atomic_fetch_add(&segment->folds_done, 1, __ATOMIC_SEQ_CST);
  reader.join();
  EXPECT_EQ(seen, 9u);
}

TEST(SnapshotTest, AFoldThatNeverEndsDoesNotBlockReaders) {
  SharedSegment segment(1);
  ClaimBlock(segment, getpid())->ledger.Add(Event::readahead, Class::state, 9);
  segment->folds_begun = 1;
  EXPECT_EQ(ReadSnapshot(segment).total.ledger.pages(Event::readahead, Class::state), 9u);
}

TEST(SnapshotTest, ADifferenceAcrossAResetIsNotNegative) {
  SharedSegment segment(1);
  Block* block = ClaimBlock(segment, getpid());
  Bump(block->counters.reads_seen, 10);
  block->ledger.Add(Event::cache_miss, Class::none, 10);
  const Snapshot before = ReadSnapshot(segment);
  TakeSnapshot(segment);
  Bump(block->counters.reads_seen, 4);
  block->ledger.Add(Event::random_read, Class::none, 6);
  const Snapshot difference = Difference(before, ReadSnapshot(segment));
  EXPECT_EQ(difference.total.counters.reads_seen, 4u);
  EXPECT_EQ(difference.total.ledger.pages(Event::cache_miss, Class::none), 0u);
  EXPECT_EQ(difference.total.ledger.pages(Event::random_read, Class::none), 6u);
}

}  // namespace
}  // namespace ahead
