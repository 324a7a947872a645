// Which parts of a file cannot be read? A bad sector takes the disk seconds, and what is asked for around it fails as
// well: it is not asked for twice (design, fact 14).
#pragma once

#include <cstdint>

#include "core/track.h"
#include "core/units.h"

namespace ahead {

// Thread safety: none.
class FailedRanges {
 public:
  // Notes that `range` could not be read. Where there are too many, two that lie near each other become one.
  void Add(ByteRange range);

  // Returns the part of the slots [begin, end) of `track` that may be asked for: up to the first that touches a failed
  // range.
  SlotRange Before(SlotRange slots, const Track& track) const;

  bool empty() const { return count_ == 0; }

 private:
  static constexpr int kRanges = 4;

  ByteRange ranges_[kRanges];
  int32_t count_ = 0;
};

}  // namespace ahead
