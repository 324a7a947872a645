// How large should the first window of a new file be? Learnt per process from what became of earlier first windows.
// Source: Wu Fengguang, Adaptive readahead V12-V15 (2006), initial-size learning: slowly up by 1/8 when a first window
// was read to its end, fast down by half when more than half of it was not. Here per folder, and per process for
// folders that are not known yet, not per device; and where files are read on to at least twice the window it grows
// beyond the configured size, up to eight times: tar of 400 files, a quarter of them 0.1 to 1 MiB, takes 1.10 s instead
// of 1.25 (ahead replay --model net-2ms bench/traces/tar.trace).
#pragma once

#include "core/units.h"

namespace ahead {

// Thread safety: none needed: a lost update costs one lesson.
class InitialSize {
 public:
  static constexpr int32_t kWhole = 1024;
  static constexpr int32_t kMost = 8 * kWhole;

  constexpr InitialSize() = default;
  constexpr explicit InitialSize(int32_t share) : share_(share) {}

  // Returns the first window to use when `option` is the configured size.
  ByteCount Get(ByteCount option) const;
  // A first window of `fetched` bytes was given up after `used` of them were read; `run`: what its reader read in a
  // row.
  void Learn(ByteCount fetched, ByteCount used, ByteCount run);
  int32_t share() const { return static_cast<int32_t>(share_); }

 private:
  void Grow(int64_t most);

  int64_t share_ = kWhole;  // of the configured size, in 1/kWhole
};

}  // namespace ahead
