// How do the reads of one reader lie to each other? Each is told by the one or two before it: the shares of
// `ahead trace`. The counters are those of Darshan's POSIX module (consecutive, sequential, strides, sizes; Carns et
// al., 24/7 Characterization of Petascale I/O Workloads, 2009), taken apart further: Darshan calls sequential whatever
// lies higher than the read before, which half of all random reads do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/units.h"

namespace ahead {

enum class Step : uint8_t {
  kFirst,        // no read came before
  kConsecutive,  // begins where the one before ended
  kSequential,   // skips at most kNearGap forwards
  kStrided,      // as far from the one before as that was from its own
  kBackward,     // ends where the one before began, or overlaps it from below
  kRandom,       // anything else
};
inline constexpr size_t kStepCount = 6;
inline constexpr const char* kStepNames[kStepCount] = {"first",   "consecutive", "sequential",
                                                       "strided", "backward",    "random"};

// What one request of the kernel's default window brings along anyway.
inline constexpr ByteCount kNearGap{128 << 10};

// Thread safety: none.
class AccessPattern {
 public:
  // Takes the next read, which is not empty, and says how it lies.
  Step Next(ByteRange range) {
    const Step step = Classify(range);
    distance_ = range.begin - last_.begin;
    has_distance_ = step != Step::kFirst;
    last_ = range;
    has_last_ = true;
    return step;
  }

  // From the begin of the read before the last to that of the last. REQUIRES: Next was called and said not kFirst.
  ByteCount distance() const { return distance_; }

 private:
  Step Classify(ByteRange range) const {
    if (!has_last_) return Step::kFirst;
    if (range.begin == last_.end) return Step::kConsecutive;
    if (range.begin < last_.begin && range.end >= last_.begin && range.end <= last_.end) return Step::kBackward;
    if (has_distance_ && range.begin - last_.begin == distance_ && distance_.value != 0) return Step::kStrided;
    if (range.begin > last_.end && range.begin - last_.end <= kNearGap) return Step::kSequential;
    return Step::kRandom;
  }

  ByteRange last_;
  ByteCount distance_;
  bool has_last_ = false;
  bool has_distance_ = false;
};

}  // namespace ahead
