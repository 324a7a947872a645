// Is the distance between reads constant, or the same for the majority of them? Either direction.
// Source: the majority vote over recent deltas of Leap (Maruf, Chowdhury, USENIX ATC 2020), over four deltas: three
// equal ones of four survive one odd read. Two equal in a row start a stride, more of them where strides that were seen
// before did not go on.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class StrideDetector {
 public:
  // Takes the begin of each read in turn; returns the distance that prevails, 0 if none does.
  ByteCount Observe(ByteOffset begin);

  // A stride that was found here did not go on; one did.
  void Doubt() { needed_ = needed_ < kMostNeeded ? needed_ * 2 : kMostNeeded; }
  void Trust() { needed_ = kNeeded; }

 private:
  static constexpr int kDeltas = 4;
  static constexpr int32_t kNeeded = 2;
  static constexpr int32_t kMostNeeded = 16;
  int64_t deltas_[kDeltas] = {};
  int32_t equal_ = 0;  // of the newest deltas
  int32_t needed_ = kNeeded;
  uint32_t seen_ = 0;
  ByteOffset last_;
};

}  // namespace ahead
