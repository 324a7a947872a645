// Is the distance between reads constant, or the same for the majority of them? Either direction.
// Source: the majority vote over recent deltas of Leap (Maruf, Chowdhury, USENIX ATC 2020), over four deltas: three
// equal ones of four survive one odd read. Two equal in a row start a stride.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class StrideDetector {
 public:
  // Takes the begin of each read in turn; returns the distance that prevails, 0 if none does.
  ByteCount Observe(ByteOffset begin);

 private:
  static constexpr int kDeltas = 4;
  int64_t deltas_[kDeltas] = {};
  uint32_t seen_ = 0;
  ByteOffset last_;
};

}  // namespace ahead
