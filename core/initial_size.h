// How large should the first window of a new file be? Learnt per process from what became of earlier first windows.
// Source: Wu Fengguang, Adaptive readahead V12-V15 (2006), initial-size learning: slowly up by 1/8 when a first window
// was read to its end, fast down by half when more than half of it was not. Here per folder, and per process for folders that are not known yet, not per device.
#pragma once

#include "core/units.h"

namespace ahead {

// Thread safety: none needed: a lost update costs one lesson.
class InitialSize {
 public:
  static constexpr int32_t kWhole = 1024;

  constexpr InitialSize() = default;
  constexpr explicit InitialSize(int32_t share) : share_(share) {}

  // Returns the first window to use when `option` is the configured size.
  ByteCount Get(ByteCount option) const;
  // A first window of `fetched` bytes was given up after `used` of them were read.
  void Learn(ByteCount fetched, ByteCount used);
  int32_t share() const { return static_cast<int32_t>(share_); }

 private:
  int64_t share_ = kWhole;  // of the configured size, in 1/kWhole
};

}  // namespace ahead
