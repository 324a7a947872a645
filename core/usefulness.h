// What became of what was fetched: which slots of a stream were asked for and not read yet, and by which method. From
// here come readahead_hit and readahead_waste, and the invariant of the event tables: issued = hit + wasted +
// outstanding. The slots are kept in a ring of bits, so a page is counted exactly once whatever order it is read in.
#pragma once

#include <cstdint>

#include "core/ledger.h"
#include "core/track.h"

namespace ahead {

// Thread safety: none. Invariant: every set bit lies in exactly one segment.
class Usefulness {
 public:
  static constexpr int64_t kSlots = 8192;  // 32 MiB of 4 KiB pages: the largest distance ahead of a stream

  // Slots per class, the result of settling.
  struct Count {
    int32_t slots[kClassCount] = {};
    int64_t total = 0;
  };

  // Notes that the slots of `range` were fetched by `method`. Returns what was added, and in `lost` what had to be
  // forgotten to make room. Slots between those of an older request are charged to that one.
  Count Add(SlotRange range, Class method, Count& lost);

  // The slots of `range` were read, or are given up: takes them out and returns what was outstanding of them.
  Count Take(SlotRange range);

  // Takes out everything below `slot`.
  Count TakeBelow(int64_t slot) { return Take({base_, slot}); }
  Count TakeAll() { return Take({base_, base_ + kSlots}); }

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

  // Counts the bits of `range` within the ring, and clears or sets them.
  enum class Then : uint8_t { kKeep, kClear, kSet };
  int64_t CountBits(SlotRange range, Then then);
  void Append(SlotRange range, Class method);

  uint64_t bits_[kSlots / 64] = {};
  Segment segments_[kSegments];
  int segment_count_ = 0;
  int64_t base_ = 0;  // no outstanding slot lies below
  int64_t outstanding_ = 0;
};

}  // namespace ahead
