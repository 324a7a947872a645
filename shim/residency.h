// Is it in the page cache? Three ways of asking, each with holes (design, fact 6); which one works is found out per
// file and remembered there. Mincore is not among them: it claims that all pages of other users' files are there.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

enum class ResidencySource : uint8_t {
  kCachestat,  // counts the pages of a range; denied for files one neither owns nor may write; kernel 6.5
  kNowait,     // reads one byte if that does not wait (preadv2 with RWF_NOWAIT); not on FUSE
  kTiming,     // cannot be asked: how long the host's reads take must tell
};

// Returns how many pages of `range` are in the cache or on their way, or -1 when cachestat does not work on this file:
// then `source` says what to try instead. Cost: one system call, 0.2 to 0.7 us per 128 KiB cached.
int64_t CountResidentPages(int fd, ByteRange range, ResidencySource& source) noexcept;

// Says whether the page at `offset` can be read without waiting. False as well when that cannot be asked, and `source`
// is kTiming then. Cost: one system call.
bool IsReadableNow(int fd, ByteOffset offset, ResidencySource& source) noexcept;

}  // namespace ahead
