// How much may pass through memory before a page that was fetched ahead, and not read yet, is gone?
//
// The kernel evicts what came first, whoever it was for. So age is not time, but what came to memory since: the clock
// of a process counts the bytes that were fetched for it, and a page is safe while less than the memory has passed. How
// much memory there is says the caller (a cgroup, the machine); where that is more than is really there, pages that
// were lost tell.
//
// Source: Wu Fengguang, Adaptive readahead V15 (2006): the thrashing threshold, from consumption and the ageing of the
// inactive list, kept as an average that is quick to fall and slow to rise. Here the age is counted in what the process
// itself fetched; that others fetched as well shows as a shorter distance.
#pragma once

#include <cstdint>

#include "core/relaxed.h"
#include "core/units.h"

namespace ahead {

// Of the limit of a memory cgroup, what is left to the data of files: a quarter is for the memory of programs, and of
// the kernel for them. 800 slow streams in 64 MiB (bench/sizing/run.py --rows slow-streams --quick): of the bytes from
// the disk 3.9 % come twice when told all, 1.8 % three quarters, 2.9 % half.
constexpr int64_t LeftToFiles(int64_t limit) { return limit - limit / 4; }

// What a process knows about it. Thread safety: used under different files' locks: a lost update costs one lesson, or
// sets the clock back by what one request fetched.
class Safety {
 public:
  // Returns the bytes that have come to memory through the process.
  ByteCount clock() const { return {clock_}; }
  // So many more came.
  void Advance(ByteCount bytes) {
    clock_ = clock_ + bytes.value;
    Recover(bytes);
  }

  // Returns the safe distance on the clock where memory is said to hold `memory`.
  ByteCount Distance(ByteCount memory) const {
    const int64_t distance = distance_;
    return distance != 0 && distance < memory.value ? ByteCount{distance} : memory;
  }
  // Pages were found gone when `passed` bytes had come since they were asked for. `distance`: what was safe by then.
  void OnLost(ByteCount passed, ByteCount distance);

 private:
  void Recover(ByteCount bytes);

  Relaxed<int64_t> clock_ = 0;
  Relaxed<int64_t> distance_ = 0;  // 0: nothing was lost yet
};

// Since when the slots ahead of a reader are in memory: the clock and the reader's place when they were asked for.
class IssueLog {
 public:
  // Slots up to `end` were asked for at `clock`, when the reader was at `position`.
  void Note(int64_t end, ByteCount clock, int64_t position);
  void Clear() { count_ = 0; }

  struct Entry {
    int64_t end = 0;
    ByteCount clock;
    int64_t position = 0;
  };
  // Returns what is known of `slot`; null where nothing is. Entries that lie behind it are forgotten.
  const Entry* At(int64_t slot);

 private:
  static constexpr int kEntries = 4;
  Entry entries_[kEntries];
  int count_ = 0;
};

}  // namespace ahead
