#include "sim/schedule.h"

#include <gmock/gmock.h>

namespace ahead::sim {
namespace {

using testing::ElementsAre;

// Reads given as {thread, begin, end}.
struct When {
  uint32_t thread;
  int64_t begin;
  int64_t end;
};

Workload Reads(std::initializer_list<When> reads) {
  Workload work;
  work.files.push_back({"file", 1, 1, 1_MiB});
  for (const When& when : reads) {
    WorkStep read;
    read.thread = read.reader = when.thread;
    read.begin = {when.begin};
    read.end = {when.end};
    work.steps.push_back(read);
    work.threads = work.readers = std::max(work.threads, when.thread + 1);
  }
  return work;
}

TEST(ScheduleTest, ThreadsThatFollowEachOtherShareALane) {
  const auto lanes = MakeLanes(Reads({{0, 0, 1}, {0, 2, 3}, {1, 3, 4}, {2, 10, 11}}));
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_THAT(lanes[0].reads, ElementsAre(0, 1, 2, 3));
}

TEST(ScheduleTest, ThreadsThatOverlapRunSideBySide) {
  const auto lanes = MakeLanes(Reads({{0, 0, 5}, {1, 1, 4}, {0, 6, 7}, {1, 6, 8}}));
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_THAT(lanes[0].reads, ElementsAre(0, 2));
  EXPECT_THAT(lanes[1].reads, ElementsAre(1, 3));
}

TEST(ScheduleTest, ThreadBeginsWhenWhatHadEndedBeforeItHasEnded) {
  // Thread 1 begins after two of thread 0's three reads.
  const auto lanes = MakeLanes(Reads({{0, 0, 1}, {0, 2, 3}, {0, 4, 9}, {1, 5, 6}, {1, 7, 8}}));
  ASSERT_EQ(lanes.size(), 2u);
  ASSERT_EQ(lanes[1].gates.size(), 1u);
  EXPECT_EQ(lanes[1].gates[0].read, 0u);
  ASSERT_GE(lanes[1].gates[0].done_reads.size(), 1u);
  EXPECT_EQ(lanes[1].gates[0].done_reads[0], 2u);
}

TEST(ScheduleTest, FreeLaneIsTheOneThatEndedLast) {
  // Threads 0 and 1 side by side; thread 2 follows both, and 1 ended last.
  const auto lanes = MakeLanes(Reads({{0, 0, 3}, {1, 1, 5}, {2, 6, 7}}));
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_THAT(lanes[1].reads, ElementsAre(1, 2));
  ASSERT_EQ(lanes[1].gates.size(), 2u);
  EXPECT_THAT(lanes[1].gates[1].done_reads, ElementsAre(1, 1));
}

// No gate may wait for a read that comes after it: the reads can always be performed in the recorded order.
TEST(ScheduleTest, GatesNeverWaitForEachOther) {
  uint32_t seed = 1;
  const auto next = [&seed](uint32_t below) { return (seed = seed * 1664525 + 1013904223) >> 8 & 0xffff % below; };
  for (int round = 0; round < 50; ++round) {
    Workload work;
    work.files.push_back({"file", 1, 1, 1_MiB});
    work.threads = work.readers = 12;
    std::vector<int64_t> free_at(work.threads);
    int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      const uint32_t thread = next(work.threads);
      now = std::max(now + next(3), free_at[thread]);
      WorkStep read;
      read.thread = thread;
      read.begin = {now};
      read.end = {now + 1 + next(20)};
      free_at[thread] = read.end.value;
      work.steps.push_back(read);
    }
    const auto lanes = MakeLanes(work);
    size_t total = 0;
    for (const Lane& lane : lanes) {
      total += lane.reads.size();
      for (const Gate& gate : lane.gates)
        for (size_t other = 0; other < gate.done_reads.size(); ++other)
          for (uint32_t i = 0; i < gate.done_reads[other]; ++i) ASSERT_LT(lanes[other].reads[i], lane.reads[gate.read]);
    }
    EXPECT_EQ(total, work.steps.size());
  }
}

TEST(ScheduleTest, ThinkTimeIsWhatAThreadDidBetweenItsReads) {
  const auto think = ThinkTimes(Reads({{0, 100, 110}, {0, 115, 120}, {1, 118, 130}, {1, 128, 131}, {2, 150, 151}}));
  // Thread 1 began 8 after the last read that had ended by then; its second overlaps its first.
  EXPECT_THAT(think, ElementsAre(Nanos{0}, Nanos{5}, Nanos{8}, Nanos{0}, Nanos{19}));
}

}  // namespace
}  // namespace ahead::sim
