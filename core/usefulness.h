// What became of what was fetched: which slots of a stream were asked for and not read yet, and by which method. From
// here come readahead_hit and readahead_waste, and the invariant of the event tables: issued = hit + wasted +
// outstanding. The slots are kept in a ring of bits, so a page is counted exactly once whatever order it is read in;
// what lies beyond the ring, of a burst, in runs (far_runs.h), which come into the ring as it empties.
#pragma once

#include <cstdint>

#include "core/far_runs.h"
#include "core/ledger.h"
#include "core/track.h"

namespace ahead {

// Thread safety: none. Invariants: every set bit lies in exactly one segment; runs lie beyond the ring.
class Usefulness {
 public:
  static constexpr int64_t kSlots = 8192;  // of the ring: 32 MiB of 4 KiB pages

  // Slots per class, the result of settling.
  struct Count {
    int32_t slots[kClassCount] = {};
    int64_t total = 0;
  };

  // Notes that the slots of `range` were fetched by `method`. Returns what was added: what was outstanding already, or
  // lies behind what the ring can hold, is not. Slots between those of an older request are charged to that one.
  Count Add(SlotRange range, Class method);

  // The slots of `range` were read, or are given up: takes them out and returns what was outstanding of them.
  Count Take(SlotRange range);

  // Takes out everything below `slot`.
  Count TakeBelow(int64_t slot) { return Take({base_, slot}); }
  Count TakeAll() { return Take({base_, INT64_MAX}); }

  // Returns how many slots of `range` are outstanding in the ring. Cost: O(range / 64).
  int64_t Held(SlotRange range) const;
  // What is added to `range` from now on is `method`'s, also between the slots of older requests; unless there are too
  // many methods at once. REQUIRES: nothing is outstanding there.
  void Rename(SlotRange range, Class method);

  // Returns whether any slot of `range` is outstanding. Cost: O(range / 64).
  bool Any(SlotRange range) const;
  int64_t outstanding() const { return outstanding_; }
  int64_t Outstanding(Class cls) const;

 private:
  struct Segment {
    SlotRange range;
    Class method = Class::none;
  };
  static constexpr int kSegments = 8;

  // Clears or sets the bits of `range` within the ring. Returns how many were set.
  enum class To : uint8_t { kClear, kSet };
  int64_t Turn(SlotRange range, To to);
  void Append(SlotRange range, Class method);
  void MakeRoom(SlotRange range);
  int64_t AddFar(SlotRange range, Class method, Count& added);
  void Refill();

  uint64_t bits_[kSlots / 64] = {};
  Segment segments_[kSegments];
  int segment_count_ = 0;
  int64_t base_ = 0;         // no outstanding slot lies below
  int64_t outstanding_ = 0;  // in the ring and beyond
  FarRuns far_;
  int64_t far_outstanding_ = 0;
};

}  // namespace ahead
