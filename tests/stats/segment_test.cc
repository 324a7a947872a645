#include "stats/segment.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "stats/snapshot.h"
#include "tests/stats/processes.h"

namespace ahead {
namespace {

constexpr Event kEvent = Event::readahead;
constexpr Class kClass = Class::state;

uint64_t TotalPages(SegmentView segment) { return ReadSnapshot(segment).total.ledger.pages(kEvent, kClass); }

std::string NameOf(const Block& block) {
  char name[sizeof(block.name)];
  std::memcpy(name, block.name, sizeof(name));
  return name;
}

// Claims a block and counts `pages`; 1 when there was no block.
int Count(SegmentView segment, uint64_t pages) {
  Block* block = ClaimBlock(segment, getpid());
  if (block == nullptr) return 1;
  block->ledger.Add(kEvent, kClass, pages);
  return 0;
}

TEST(SegmentTest, BlocksAreSeparateCacheLinesInsideTheSegment) {
  SharedSegment segment(3);
  const auto begin = reinterpret_cast<uintptr_t>(segment.get());
  for (uint32_t i = 0; i < 3; ++i) {
    const auto block = reinterpret_cast<uintptr_t>(&segment.blocks()[i]);
    EXPECT_EQ(block % 64, 0u);
    EXPECT_LE(block + sizeof(Block), begin + SegmentBytes(3));
    EXPECT_GE(block, reinterpret_cast<uintptr_t>(segment.owners() + 3));
  }
}

TEST(SegmentTest, NothingButASegmentOfThisLayoutIsOpened) {
  SharedSegment segment(2);
  const size_t bytes = SegmentBytes(2);
  EXPECT_EQ(CheckSegment(segment.get(), bytes), SegmentFault::kNone);
  EXPECT_EQ(CheckSegment(segment.get(), bytes - 1), SegmentFault::kTooShort);
  EXPECT_EQ(CheckSegment(segment.get(), 16), SegmentFault::kTooShort);
  const uint64_t magic = segment->magic;
  segment->magic = magic ^ (uint64_t{1} << 60);
  EXPECT_EQ(CheckSegment(segment.get(), bytes), SegmentFault::kOtherVersion);
  EXPECT_FALSE(InitSegment(segment.get(), bytes, 2, 0, nullptr));
  segment->magic = magic ^ 1;
  EXPECT_EQ(CheckSegment(segment.get(), bytes), SegmentFault::kForeign);
  EXPECT_FALSE(OpenSegment(segment.get(), bytes));
  segment->magic = 0;
  EXPECT_EQ(CheckSegment(segment.get(), bytes), SegmentFault::kBlank);
  segment->magic = magic;
  segment->block_count = 0;
  EXPECT_EQ(CheckSegment(segment.get(), bytes), SegmentFault::kForeign);
}

TEST(SegmentTest, WhoeverScribblesOverTheHeaderLeadsNobodyOutOfTheMemory) {
  SharedSegment segment(3);
  for (const uint32_t block_count : {0u, 1u, 70'000u, UINT32_MAX}) {
    segment->block_count = block_count;
    Block* block = ClaimBlock(segment, getpid());
    ASSERT_NE(block, nullptr);
    EXPECT_GE(block, segment.blocks());
    EXPECT_LT(block, segment.blocks() + 3);
    EXPECT_EQ(ReadSnapshot(segment).processes.size(), 1u);
  }
}

TEST(SegmentTest, OptionsAreCutAndTerminated) {
  const size_t bytes = SegmentBytes(1);
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const SegmentView segment = InitSegment(base, bytes, 1, 77, std::string(5000, 'x').c_str());
  ASSERT_TRUE(segment);
  EXPECT_EQ(std::strlen(segment->options), sizeof(segment->options) - 1);
  EXPECT_EQ(segment->session_pid, 77);
  munmap(base, bytes);
}

TEST(ClaimTest, TheFirstClaimTakesTheBlockOfItsNumber) {
  SharedSegment segment(64);
  Block* block = ClaimBlock(segment, getpid());
  EXPECT_EQ(block, &segment.blocks()[getpid() % 64]);
  EXPECT_EQ(segment.owner(static_cast<uint32_t>(getpid()) % 64).pid, getpid());
  EXPECT_FALSE(NameOf(*block).empty());
}

TEST(ClaimTest, AThreadNamesTheBlockAfterItsProcess) {
  SharedSegment segment(4);
  Block* block = nullptr;
  std::thread thread([&] {
    pthread_setname_np(pthread_self(), "somebody");
    block = ClaimBlock(segment, getpid());
  });
  thread.join();
  ASSERT_NE(block, nullptr);
  EXPECT_NE(NameOf(*block), "somebody");
  EXPECT_EQ(NameOf(*block).find('\n'), std::string::npos);
}

TEST(ClaimTest, AProcessThatClaimsAgainCarriesOn) {
  SharedSegment segment(4);
  Block* first = ClaimBlock(segment, getpid());
  first->ledger.Add(kEvent, kClass, 5);
  EXPECT_EQ(ClaimBlock(segment, getpid()), first);
  EXPECT_EQ(first->ledger.pages(kEvent, kClass), 5u);
  EXPECT_EQ(segment->retired.processes, 0u);
}

TEST(ClaimTest, ANumberUsedAgainStartsWithAnEmptyBlock) {
  SharedSegment segment(1);
  ClaimBlock(segment, getpid())->ledger.Add(kEvent, kClass, 5);
  segment.owners()[0] = Owner{Owner::State::kLive, getpid(), StartTicks("/proc/self/stat") - 1}.Encode();
  Block* block = ClaimBlock(segment, getpid());
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->ledger.pages(kEvent, kClass), 0u);
  EXPECT_EQ(segment->retired.ledger.pages(kEvent, kClass), 5u);
  EXPECT_EQ(ReadSnapshot(segment).total.processes, 2u);
}

TEST(ClaimTest, AForkedChildHasABlockOfItsOwn) {
  SharedSegment segment(8);
  Block* parent = ClaimBlock(segment, getpid());
  const pid_t child = Spawn([&] { return ClaimBlock(segment, getpid()) == parent ? 1 : 0; });
  EXPECT_EQ(Wait(child), 0);
  EXPECT_EQ(ReadSnapshot(segment).total.processes, 2u);
}

TEST(ClaimTest, ProcessesOneAfterTheOtherLoseNothing) {
  SharedSegment segment(4);
  constexpr uint64_t kProcesses = 120;
  for (uint64_t i = 1; i <= kProcesses; ++i)
    ASSERT_EQ(Wait(Spawn([&] { return Count(segment, i); })), 0) << "process " << i;
  const Snapshot snapshot = ReadSnapshot(segment);
  EXPECT_EQ(snapshot.total.ledger.pages(kEvent, kClass), kProcesses * (kProcesses + 1) / 2);
  EXPECT_EQ(snapshot.total.ledger.requests(kEvent, kClass), kProcesses);
  EXPECT_EQ(snapshot.total.processes, kProcesses);
  EXPECT_EQ(snapshot.processes.size(), 4u);
}

TEST(ClaimTest, WithoutABlockLeftTheProcessCountsForItself) {
  SharedSegment segment(3);
  Pipe claimed, release;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i)
    children.push_back(Spawn([&] {
      release.CloseWrite();
      const int status = Count(segment, 1);
      claimed.Put();
      release.Get();
      return status;
    }));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(claimed.Get());
  EXPECT_EQ(ClaimBlock(segment, getpid()), nullptr);
  release.CloseWrite();
  for (const pid_t child : children) EXPECT_EQ(Wait(child), 0);
  EXPECT_NE(ClaimBlock(segment, getpid()), nullptr);
  EXPECT_EQ(TotalPages(segment), 3u);
}

TEST(ClaimTest, TwoHundredAtOnceCountExactlyWhatTheyCounted) {
  SharedSegment segment(64);
  constexpr int kChildren = 200;
  Pipe start;
  std::vector<pid_t> children;
  for (int i = 0; i < kChildren; ++i)
    children.push_back(Spawn([&] {
      start.CloseWrite();
      start.Get();
      Block* block = ClaimBlock(segment, getpid());
      if (block == nullptr) return 1;
      for (int n = 0; n < 1000; ++n) block->ledger.Add(kEvent, kClass, 3);
      return 0;
    }));
  start.CloseWrite();
  uint64_t counted = 0;
  for (const pid_t child : children) {
    const int status = Wait(child);
    ASSERT_LE(status, 1);
    counted += status == 0;
  }
  EXPECT_GE(counted, 64u);
  EXPECT_EQ(TotalPages(segment), counted * 3000);
  EXPECT_EQ(ReadSnapshot(segment).total.processes, counted);
}

TEST(ClaimTest, NoTwoLivingProcessesShareABlock) {
  SharedSegment segment(16);
  Pipe claimed, release;
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i)
    children.push_back(Spawn([&] {
      release.CloseWrite();
      const int status = Count(segment, 1);
      claimed.Put();
      release.Get();
      return status;
    }));
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(claimed.Get());
  std::set<pid_t> owners;
  for (uint32_t i = 0; i < 16; ++i) owners.insert(segment.owner(i).pid);
  EXPECT_EQ(owners, std::set<pid_t>(children.begin(), children.end()));
  release.CloseWrite();
  for (const pid_t child : children) EXPECT_EQ(Wait(child), 0);
}

TEST(HeldTest, WhatLivingProcessesHoldIsSeenAndThatOfAKilledOneComesBack) {
  SharedSegment segment(4);
  Block* const own = ClaimBlock(segment, getpid());
  ASSERT_NE(own, nullptr);
  TellHeld(*own, {7, 1});
  Pipe told;
  const pid_t child = Spawn([&] {
    Block* const block = ClaimBlock(segment, getpid());
    if (block == nullptr) return 1;
    TellHeld(*block, {5 << 20, 3});
    told.Put();
    pause();
    return 0;
  });
  ASSERT_TRUE(told.Get());
  const Held held = HeldByOthers(segment, own);
  EXPECT_EQ(held.bytes, 5 << 20);
  EXPECT_EQ(held.streams, 3);
  kill(child, SIGKILL);
  EXPECT_EQ(Wait(child), 128 + SIGKILL);
  EXPECT_EQ(HeldByOthers(segment, own).bytes, 0);
  EXPECT_EQ(HeldByOthers(segment, own).streams, 0);
  EXPECT_EQ(HeldByOthers(segment, nullptr).bytes, 7);
}

TEST(HeldTest, WhoClaimsABlockHoldsNothing) {
  SharedSegment segment(1);
  EXPECT_EQ(Wait(Spawn([&] {
              TellHeld(*ClaimBlock(segment, getpid()), {1 << 20, 9});
              return 0;
            })),
            0);
  Block* const own = ClaimBlock(segment, getpid());
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->held.bytes, 0);
  EXPECT_EQ(own->held.streams, 0);
  TellHeld(*own, {1 << 20, 9});
  EXPECT_EQ(ClaimBlock(segment, getpid()), own) << "as after an exec";
  EXPECT_EQ(own->held.bytes, 0);
}

TEST(HeldTest, NonsenseOfAnotherIsBounded) {
  SharedSegment segment(3);
  Pipe told;
  const pid_t child = Spawn([&] {
    TellHeld(*ClaimBlock(segment, getpid()), {INT64_MAX, INT64_MIN});
    told.Put();
    pause();
    return 0;
  });
  ASSERT_TRUE(told.Get());
  const Held held = HeldByOthers(segment, nullptr);
  EXPECT_GT(held.bytes, 0);
  EXPECT_LE(held.bytes, int64_t{1} << 50);
  EXPECT_EQ(held.streams, 0);
  kill(child, SIGKILL);
  EXPECT_EQ(Wait(child), 128 + SIGKILL);
}

TEST(ClaimTest, TheBlockOfAClaimerThatDiedIsFoldedByTheNext) {
  SharedSegment segment(1);
  ASSERT_EQ(Wait(Spawn([&] { return Count(segment, 40); })), 0);
  // It had moved a part to `retired`.
  segment.blocks()[0].ledger.cells[static_cast<size_t>(kEvent)][static_cast<size_t>(kClass)].pages -= 15;
  segment->retired.ledger.Add(kEvent, kClass, 15, 0);
  segment->folds_begun = 1;
  segment.owners()[0] = Owner{Owner::State::kClaiming, EndedProcess(), NowTicks()}.Encode();
  EXPECT_EQ(Count(segment, 2), 0);
  EXPECT_EQ(TotalPages(segment), 42u);
  EXPECT_EQ(segment.owner(0).pid, getpid());
}

TEST(ClaimTest, AClaimerThatLivesIsLeftAlone) {
  SharedSegment segment(1);
  Pipe end;
  const pid_t child = Spawn([&] {
    end.CloseWrite();
    return end.Get() ? 1 : 0;
  });
  segment.owners()[0] = Owner{Owner::State::kClaiming, child, NowTicks()}.Encode();
  EXPECT_EQ(ClaimBlock(segment, getpid()), nullptr);
  end.CloseWrite();
  EXPECT_EQ(Wait(child), 0);
}

TEST(ClaimTest, AProcessWronglyTakenForDeadLosesNoCount) {
  SharedSegment segment(1);
  Pipe claimed, stolen;
  const pid_t child = Spawn([&] {
    stolen.CloseWrite();
    Block* block = ClaimBlock(segment, getpid());
    block->ledger.Add(kEvent, kClass, 100);
    claimed.Put();
    stolen.Get();
    block->ledger.Add(kEvent, kClass, 10);
    return 0;
  });
  ASSERT_TRUE(claimed.Get());
  // As a process of another pid namespace would see it.
  segment.owners()[0] = Owner{Owner::State::kLive, EndedProcess(), NowTicks()}.Encode();
  EXPECT_EQ(Count(segment, 1), 0);
  stolen.CloseWrite();
  EXPECT_EQ(Wait(child), 0);
  EXPECT_EQ(TotalPages(segment), 111u);
}

TEST(ClaimTest, ManyFoldersOfOneBlockLoseNothing) {
  SharedSegment segment(2);
  constexpr int kWriters = 8, kClaims = 200;
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i)
    children.push_back(Spawn([&] {
      int counted = 0;
      for (int n = 0; n < kClaims; ++n) {
        // Whoever holds the block is declared dead, so that all writers fold all the time.
        const Owner owner = segment.owner(static_cast<uint32_t>(n) % 2);
        if (owner.state == Owner::State::kLive) {
          uint64_t word = owner.Encode();
          __atomic_compare_exchange_n(&segment.owners()[n % 2], &word, Owner{Owner::State::kLive, getpid(), 1}.Encode(),
                                      false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
        }
        counted += Count(segment, 1) == 0;
      }
      Bump(segment->resets, static_cast<uint64_t>(counted));
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(Wait(child), 0);
  EXPECT_GT(segment->resets, 0u);
  EXPECT_EQ(TotalPages(segment), segment->resets);
}

}  // namespace
}  // namespace ahead
