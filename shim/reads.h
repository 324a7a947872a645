// The read path: what every hooked read runs through. As long as the description's filter lets a read pass, it costs a
// table look-up and some loads and stores: no lock, no system call, no clock, no touch of errno.
//
// `call` is the host's own call, made exactly once whatever happens, with nothing of ours held: a thread that is
// cancelled in it never comes back, and neither does one whose signal handler jumps out.
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

// A read the filter did not let pass.
template <typename Call>
[[gnu::noinline]] ssize_t ObserveRead(int fd, int64_t offset, int64_t count, Call call) {
  Observation observation;
  Before(observation, fd, offset, count);
  const ssize_t returned = call();
  After(observation, returned);
  return returned;
}

// A read at the description's offset, as read(2).
template <typename Call>
inline ssize_t Read(int fd, size_t count, Call call) {
  const Slot slot = SlotOf(fd);
  if (slot.is_ignored() || !runtime.is_on()) return call();
  if (!slot.is_tracked()) return ObserveRead(fd, kAtOffset, ClampCount(count), call);
  Description& description = DescriptionOf(slot);
  const ByteOffset begin{description.offset.load(std::memory_order_relaxed)};
  if (!description.filter.Passes(begin, {ClampCount(count)}))
    return ObserveRead(fd, kAtOffset, ClampCount(count), call);
  const ssize_t returned = call();
  if (returned > 0) Absorb(description, begin, returned);
  return returned;
}

// A read at an offset of its own, as pread(2).
template <typename Call>
inline ssize_t ReadAt(int fd, int64_t offset, size_t count, Call call) {
  const Slot slot = SlotOf(fd);
  if (slot.is_ignored() || offset < 0 || !runtime.is_on()) return call();
  if (!slot.is_tracked()) return ObserveRead(fd, offset, ClampCount(count), call);
  Description& description = DescriptionOf(slot);
  if (!description.filter.Passes({offset}, {ClampCount(count)}))
    return ObserveRead(fd, offset, ClampCount(count), call);
  const ssize_t returned = call();
  if (returned > 0) {
    description.filter.Absorb({offset}, {returned});
    description.Count(returned);
  }
  return returned;
}

// A read as preadv2(2): at the offset where it says -1. One with flags has wishes that fetching ahead may counter.
template <typename Call>
inline ssize_t ReadWithFlags(int fd, int64_t offset, int flags, Call call) {
  if (flags != 0) return call();
  return offset == -1 ? Read(fd, kUnknownCount, call) : ReadAt(fd, offset, kUnknownCount, call);
}

}  // namespace ahead
