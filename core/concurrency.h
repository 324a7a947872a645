// Did a reader have the file to itself? What one reader has the kernel fetch may be what another is about to read; so
// how long a read took says how fast the device answers only if no other read went on beside it.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Concurrency {
 public:
  // A read begins at `now`.
  void OnBegin(Nanos now) {
    // One that never ended, for its thread did, is forgotten when nothing was heard for as long as few reads take.
    if (now - heard_at_ > kLong) under_way_ = 0;
    ++under_way_;
    heard_at_ = now;
  }

  // Returns whether another read is under way beside the one that began last.
  bool has_company() const { return under_way_ > 1; }

  // A read is over, at `now`, after `duration`. Returns whether no other was under way meanwhile.
  bool OnEnd(Nanos now, Nanos duration) {
    const bool was_alone = under_way_ <= 1 && now - duration >= ended_at_;
    under_way_ -= under_way_ > 0 ? 1 : 0;
    heard_at_ = ended_at_ = now;
    return was_alone;
  }

 private:
  static constexpr Nanos kLong{1'000'000'000};

  int32_t under_way_ = 0;
  Nanos heard_at_;
  Nanos ended_at_;
};

}  // namespace ahead
