// How large should the first window of a new file be? Learnt per process from what became of earlier first windows.
// Source: Wu Fengguang, Adaptive readahead V12-V15 (2006), initial-size learning: slowly up by 1/8 when a first window
// was read to its end, fast down by half when more than half of it was not. Here per folder, and per process for
// folders that are not known yet, not per device; and where files are read on to at least twice the window, or beyond
// it to their end, it grows beyond the configured size, by a half each time, up to eight times. A file that is no
// larger than the window says nothing of larger ones.
// Simulated (ahead replay --model net-2ms): tar of 400 files, a quarter of them 0.1 to 1 MiB, takes 1.04 s, 1.25 if it
// does not grow, 1.06 if by an eighth; grep of 500 files up to 256 KiB 1.17 s, 1.25 where only twice the window counts.
#pragma once

#include "core/relaxed.h"
#include "core/units.h"

namespace ahead {

// Thread safety: that of a process is used under different files' locks: a lost update costs one lesson.
class InitialSize {
 public:
  static constexpr int32_t kWhole = 1024;
  static constexpr int32_t kMost = 8 * kWhole;

  constexpr InitialSize() = default;
  constexpr explicit InitialSize(int32_t share) : share_(share) {}

  // Returns the first window to use when `option` is the configured size.
  ByteCount Get(ByteCount option) const;
  // A first window of `fetched` bytes was given up after `used` of them were read; `run`: what its reader read in a
  // row, `is_whole`: up to the end of the file.
  void Learn(ByteCount fetched, ByteCount used, ByteCount run, bool is_whole);
  int32_t share() const { return static_cast<int32_t>(share_); }

 private:
  void Grow(int64_t part, int64_t most);

  Relaxed<int64_t> share_ = kWhole;  // of the configured size, in 1/kWhole
};

}  // namespace ahead
