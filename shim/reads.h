// The read path: what every hooked read runs through. As long as the description's filter lets a read pass, it costs a
// table look-up and some loads and stores: no lock, no system call, no clock, no touch of errno.
//
// `kOriginal(arguments...)` is the host's own call, made exactly once whatever happens, with nothing of ours held: a
// thread that is cancelled in it never comes back, and neither does one whose signal handler jumps out. Where there is
// nothing to watch the functions end in it, so that it returns to the host; they take its arguments one by one and not
// as a closure, because that would have to be laid out on the stack first.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "shim/descriptors.h"
#include "shim/engine.h"
#include "shim/runtime.h"

namespace ahead {

// The length of a vector of buffers is not known before the kernel has checked that the vector can be read.
inline constexpr size_t kUnknownCount = 4096;

inline int64_t ClampCount(size_t count) {
  return count < static_cast<size_t>(kMostPerRead) ? static_cast<int64_t>(count) : kMostPerRead;
}

// Counts a read at the offset that the filter let pass.
inline void Absorb(Description& description, ByteOffset begin, int64_t returned) {
  description.filter.Absorb(begin, {returned});
  description.Count(returned);
  if (begin.value >= 0) description.offset.store(begin.value + returned, std::memory_order_relaxed);
}

// Says whether reads through the descriptor need no attention.
inline bool IsQuiet(Slot slot) { return slot.is_ignored() || !runtime.is_on(); }

// A read the filter did not let pass.
template <const auto& kOriginal, typename... Arguments>
[[gnu::noinline]] ssize_t ObserveRead(int fd, int64_t offset, int64_t count, Arguments... arguments) {
  Observation observation;
  Before(observation, fd, offset, count);
  const ssize_t returned = kOriginal(arguments...);
  After(observation, returned);
  return returned;
}

template <const auto& kOriginal, typename... Arguments>
[[gnu::noinline]] ssize_t WatchRead(int fd, Slot slot, int64_t count, Arguments... arguments) {
  if (!slot.is_tracked()) return ObserveRead<kOriginal>(fd, kAtOffset, count, arguments...);
  Description& description = DescriptionOf(slot);
  const ByteOffset begin{description.offset.load(std::memory_order_relaxed)};
  if (!description.filter.Passes(begin, {count})) return ObserveRead<kOriginal>(fd, kAtOffset, count, arguments...);
  const ssize_t returned = kOriginal(arguments...);
  if (returned > 0) Absorb(description, begin, returned);
  return returned;
}

template <const auto& kOriginal, typename... Arguments>
[[gnu::noinline]] ssize_t WatchReadAt(int fd, Slot slot, int64_t offset, int64_t count, Arguments... arguments) {
  if (!slot.is_tracked()) return ObserveRead<kOriginal>(fd, offset, count, arguments...);
  Description& description = DescriptionOf(slot);
  if (!description.filter.Passes({offset}, {count})) return ObserveRead<kOriginal>(fd, offset, count, arguments...);
  const ssize_t returned = kOriginal(arguments...);
  if (returned > 0) {
    description.filter.Absorb({offset}, {returned});
    description.Count(returned);
  }
  return returned;
}

// A read at the description's offset, as read(2).
template <const auto& kOriginal, typename... Arguments>
inline ssize_t Read(int fd, size_t count, Arguments... arguments) {
  const Slot slot = SlotOf(fd);
  if (IsQuiet(slot)) return kOriginal(arguments...);
  return WatchRead<kOriginal>(fd, slot, ClampCount(count), arguments...);
}

// A read at an offset of its own, as pread(2).
template <const auto& kOriginal, typename... Arguments>
inline ssize_t ReadAt(int fd, int64_t offset, size_t count, Arguments... arguments) {
  const Slot slot = SlotOf(fd);
  if (IsQuiet(slot) || offset < 0) return kOriginal(arguments...);
  return WatchReadAt<kOriginal>(fd, slot, offset, ClampCount(count), arguments...);
}

// A read as preadv2(2): at the offset where it says -1. One with flags has wishes that fetching ahead may counter.
template <const auto& kOriginal, typename... Arguments>
inline ssize_t ReadWithFlags(int fd, int64_t offset, int flags, Arguments... arguments) {
  if (flags != 0) return kOriginal(arguments...);
  if (offset == -1) return Read<kOriginal>(fd, kUnknownCount, arguments...);
  return ReadAt<kOriginal>(fd, offset, kUnknownCount, arguments...);
}

}  // namespace ahead
