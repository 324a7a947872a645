// What of a stream is outstanding far beyond its reader, where bits for each slot would take too much room: as runs of
// slots, of which there are few, because what is far ahead was asked for in one go and lies side by side.
//
// Where there are more runs than places, two of them are moved together: their number of slots stays exact, which of
// the slots between them they are does not. So issued = hit + wasted + outstanding holds for any number of runs.
#pragma once

#include <cstdint>

#include "core/ledger.h"
#include "core/track.h"

namespace ahead {

// Thread safety: none. Invariant: runs are in ascending order, disjoint, not empty.
class FarRuns {
 public:
  struct Run {
    SlotRange range;
    Class method = Class::none;
  };

  // Adds what of `range` lies in no run. Returns how many slots that is.
  int64_t Add(SlotRange range, Class method);

  // Takes out what of `range` is outstanding, and adds it to `slots`, by class. Returns how many slots that is.
  int64_t Take(SlotRange range, int32_t (&slots)[kClassCount]);

  bool empty() const { return count_ == 0; }
  // The nearest run. REQUIRES: !empty().
  const Run& front() const { return runs_[0]; }
  int64_t Outstanding(Class cls) const;
  bool Any(SlotRange range) const;

 private:
  static constexpr int kRuns = 4;

  void Insert(SlotRange range, Class method);
  void Erase(int index);

  Run runs_[kRuns + 1];  // one more while another is made room for
  int32_t count_ = 0;
};

}  // namespace ahead
