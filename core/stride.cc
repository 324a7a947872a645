#include "core/stride.h"

namespace ahead {

ByteCount StrideDetector::Observe(ByteOffset begin) {
  const int64_t delta = (begin - last_).value;
  last_ = begin;
  if (seen_++ == 0) return {};
  for (int i = kDeltas - 1; i > 0; --i) deltas_[i] = deltas_[i - 1];
  deltas_[0] = delta;
  equal_ = deltas_[1] != delta ? 1 : equal_ < kMostNeeded ? equal_ + 1 : kMostNeeded;
  if (delta == 0) return {};
  if (equal_ >= needed_) return {delta};
  if (needed_ > kNeeded) return {};
  int votes = 0;
  for (const int64_t other : deltas_) votes += other == delta ? 1 : 0;
  return {votes >= 3 ? delta : 0};
}

}  // namespace ahead
