// What core says that threads may use at the same time, used by threads at the same time: for the thread sanitizer
// above all, and none loses what it must not lose.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "core/filter.h"
#include "core/holdings.h"
#include "core/learnt.h"

namespace ahead {
namespace {

constexpr int kThreads = 4;
constexpr int kSteps = 50'000;  // of a thread
constexpr ByteCount kMemory{64 << 20};

// Runs `body(thread, random)` in all threads, which begin together.
template <typename Body>
void InThreads(const Body& body) {
  std::latch begin(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      begin.arrive_and_wait();
      std::mt19937 random(static_cast<uint32_t>(thread));
      body(thread, random);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(SharedTest, HoldingsOfAllFilesAddUpWhoeverTellsThem) {
  Holdings holdings;
  std::atomic<int64_t> pages{0};
  InThreads([&](int thread, std::mt19937& random) {
    Holdings::Of of;
    for (int step = 0; step < kSteps; ++step) holdings.Tell(of, random() % 100, 1, {}, kMemory);
    holdings.Tell(of, thread + 1, thread + 1, {}, kMemory);
    pages += of.pages;
  });
  EXPECT_EQ(holdings.Get().pages, pages);
  EXPECT_EQ(holdings.Get().streams, kThreads * (kThreads + 1) / 2);
}

// Turns end all the time, in any thread. What was miscounted is forgotten with its turn.
TEST(SharedTest, HoldingsAreRightAgainThreeTurnsAfterARace) {
  Holdings holdings;
  std::atomic<int64_t> clock{0};
  InThreads([&](int, std::mt19937& random) {
    Holdings::Of of;
    for (int step = 0; step < kSteps; ++step)
      holdings.Tell(of, random() % 100, 1, {clock += kMemory.value / 16}, kMemory);
  });
  Holdings::Of of;
  for (int turn = 0; turn < 4; ++turn) holdings.Tell(of, 10, 1, {clock += kMemory.value}, kMemory);
  EXPECT_EQ(holdings.Get().pages, 10);
  EXPECT_EQ(holdings.Get().streams, 1);
}

// The threads read pages anywhere through one description. Each that does not pass arms it anew, under a lock.
TEST(SharedTest, NoScatteredReadInTheWindowPassesWhoeverArmsTheFilter) {
  constexpr int64_t kPage = 4096;
  constexpr int64_t kPages = 1 << 17;
  constexpr ByteRange kWindow{{kPages / 4 * kPage}, {kPages / 2 * kPage}};
  Filter filter;
  filter.ArmScattered({{0}, {kPage}}, kWindow);
  std::mutex lock;
  std::atomic<int> passed_in_window{0};
  std::atomic<int> wrong_mode{0};
  std::atomic<int> passed{0};
  InThreads([&](int, std::mt19937& random) {
    for (int step = 0; step < kSteps; ++step) {
      const ByteOffset begin{static_cast<int64_t>(random() % kPages) * kPage};
      if (filter.Passes(begin, {kPage})) {
        ++(begin >= kWindow.begin && begin < kWindow.end ? passed_in_window : passed);
        filter.Absorb(begin, {kPage});
        continue;
      }
      const std::scoped_lock guard(lock);
      if (filter.Settle().mode != Filter::Mode::kScattered) ++wrong_mode;
      filter.ArmScattered({begin, begin + ByteCount{kPage}}, kWindow);
    }
  });
  EXPECT_EQ(passed_in_window, 0);
  EXPECT_EQ(wrong_mode, 0) << "settled twice";
  EXPECT_GT(passed, 0);
}

TEST(SharedTest, WhatAProcessLearntStaysWithinItsBoundsWhoeverTeachesIt) {
  Options options;
  options.memory = kMemory.value;
  Learnt learnt;
  std::atomic<int> wrong{0};
  InThreads([&](int, std::mt19937& random) {
    for (int step = 0; step < kSteps; ++step) {
      const uint32_t folder = random() % 8;
      const ByteCount bytes{static_cast<int64_t>(random() % (1 << 20))};
      switch (random() % 6) {
        case 0:
          learnt.LearnInitial(folder, {128 << 10}, bytes, bytes * 2, step % 2 == 0);
          break;
        case 1: {
          FirstReads opening;
          opening.reads = 2;
          opening.is_from_end = step % 2 == 0;
          opening.back = bytes;
          learnt.LearnOpening(folder, opening);
          break;
        }
        case 2:
          learnt.safety.Advance(bytes);
          break;
        case 3:
          learnt.safety.OnLost(bytes, learnt.safety.Distance(kMemory));
          break;
        case 4:
          learnt.tap.OnWasted(random() % 512);
          learnt.tap.OnUsed(random() % 512);
          break;
        default: {
          Facts facts;
          learnt.Tell(facts, folder, kMemory, {bytes, bytes, 1, 2}, options);
          const int64_t opening = learnt.tap.opening();
          if (facts.safe <= ByteCount{} || facts.safe > kMemory || facts.allowance < ByteCount{} ||
              facts.initial <= ByteCount{} || facts.initial > ByteCount{options.initial} * 8 ||
              facts.habit.share <= 0 || facts.habit.back > Habit::kFarthest || opening < 0 || opening > Tap::kWhole)
            ++wrong;
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ahead
