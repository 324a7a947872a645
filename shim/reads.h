// The read path: what every hooked read runs through. As long as the description's filter lets a read pass, it costs a
// table look-up and some loads and stores: no lock, no system call, no clock, no touch of errno.
//
// `kOriginal(arguments...)` is the host's own call, made exactly once whatever happens, with nothing of ours held: a
// thread that is cancelled in it never comes back, and neither does one whose signal handler jumps out. Where there is
// nothing to watch the functions end in it, so that it returns to the host; they take its arguments as they are and not
// as a closure, because that would have to be laid out on the stack first.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "shim/descriptors.h"
#include "shim/engine.h"
#include "shim/facts.h"
#include "shim/recorder.h"
#include "shim/runtime.h"

namespace ahead {

inline int64_t Clamped(size_t count) {
  return count < static_cast<size_t>(kMostPerRead) ? static_cast<int64_t>(count) : kMostPerRead;
}

// Returns how many bytes a read asks for. How long a vector of buffers is, is not known before the kernel has checked
// that the vector can be read: a page stands for it.
inline int64_t CountOf(void*, size_t count) { return Clamped(count); }
inline int64_t CountOf(const iovec*, int) { return 4096; }

// Counts a read at an offset of its own that the filter let pass.
inline void AbsorbAt(Description& description, ByteOffset begin, int64_t returned) {
  description.filter.Absorb(begin, {returned});
  description.Count(returned);
}

// The same for a read at the offset.
inline void Absorb(Description& description, ByteOffset begin, int64_t returned) {
  AbsorbAt(description, begin, returned);
  if (begin.value >= 0) description.offset.store(begin.value + returned, std::memory_order_relaxed);
}

// Sees to it that the reads after one that failed are looked at.
inline void AbsorbError(Description& description) { description.filter.Absorb({}, {-1}); }

// Says whether reads through the descriptor need no attention.
inline bool IsQuiet(Slot slot) { return slot.is_quiet() || !runtime.is_on(); }

// A read the filter did not let pass.
template <const auto& kOriginal, typename... Arguments>
[[gnu::noinline]] ssize_t ObserveRead(int fd, int64_t offset, int64_t count, Arguments... arguments) {
  if (runtime.trace() != nullptr) {
    recorder::Passage passage;
    if (passage.Begin(fd, offset, count, offset == kAtOffset ? TraceAccessKind::kRead : TraceAccessKind::kPread)) {
      const ssize_t returned = kOriginal(arguments...);
      passage.End(returned);
      return returned;
    }
  }
  Observation observation;
  Before(observation, fd, offset, count);
  const ssize_t returned = kOriginal(arguments...);
  After(observation, returned);
  return returned;
}

template <const auto& kOriginal, typename Target, typename Size, typename... Rest>
[[gnu::noinline]] ssize_t WatchRead(Slot slot, int fd, Target target, Size size, Rest... rest) {
  const int64_t count = CountOf(target, size);
  if (!slot.is_tracked()) return ObserveRead<kOriginal>(fd, kAtOffset, count, fd, target, size, rest...);
  Description& description = DescriptionOf(slot);
  const ByteOffset begin{description.offset.load(std::memory_order_relaxed)};
  if (!description.filter.Passes(begin, {count}))
    return ObserveRead<kOriginal>(fd, kAtOffset, count, fd, target, size, rest...);
  const ssize_t returned = kOriginal(fd, target, size, rest...);
  if (returned > 0) Absorb(description, begin, returned);
  if (returned < 0) AbsorbError(description);
  return returned;
}

template <const auto& kOriginal, typename Target, typename Size, typename... Rest>
[[gnu::noinline]] ssize_t WatchReadAt(Slot slot, int fd, Target target, Size size, off_t offset, Rest... rest) {
  const int64_t count = CountOf(target, size);
  if (!slot.is_tracked()) return ObserveRead<kOriginal>(fd, offset, count, fd, target, size, offset, rest...);
  Description& description = DescriptionOf(slot);
  if (!description.filter.Passes({offset}, {count}))
    return ObserveRead<kOriginal>(fd, offset, count, fd, target, size, offset, rest...);
  const ssize_t returned = kOriginal(fd, target, size, offset, rest...);
  if (returned > 0) AbsorbAt(description, {offset}, returned);
  if (returned < 0) AbsorbError(description);
  return returned;
}

// A read at the description's offset, as read(2) and readv(2).
template <const auto& kOriginal, typename Target, typename Size, typename... Rest>
inline ssize_t Read(int fd, Target target, Size size, Rest... rest) {
  const Slot slot = SlotOf(fd);
  if (IsQuiet(slot)) return kOriginal(fd, target, size, rest...);
  return WatchRead<kOriginal>(slot, fd, target, size, rest...);
}

// A read at an offset of its own, as pread(2) and preadv(2).
template <const auto& kOriginal, typename Target, typename Size, typename... Rest>
inline ssize_t ReadAt(int fd, Target target, Size size, off_t offset, Rest... rest) {
  const Slot slot = SlotOf(fd);
  if (IsQuiet(slot) || offset < 0) return kOriginal(fd, target, size, offset, rest...);
  return WatchReadAt<kOriginal>(slot, fd, target, size, offset, rest...);
}

// Moves data of `fd` without giving them to the host, as sendfile(2): from `at`, or at the offset with kAtOffset.
template <const auto& kOriginal, typename... Arguments>
[[gnu::noinline]] ssize_t WatchTransfer(Slot slot, int fd, int64_t at, int64_t count, Arguments... arguments) {
  if (slot.is_tracked()) {
    Description& description = DescriptionOf(slot);
    const ByteOffset begin{at == kAtOffset ? description.offset.load(std::memory_order_relaxed) : at};
    if (description.filter.Passes(begin, {count})) {
      const ssize_t moved = kOriginal(arguments...);
      if (moved > 0) at == kAtOffset ? Absorb(description, begin, moved) : AbsorbAt(description, begin, moved);
      return moved;
    }
  }
  if (runtime.trace() != nullptr) {
    recorder::Passage passage;
    if (passage.Begin(fd, at, count, TraceAccessKind::kTransfer)) {
      const ssize_t moved = kOriginal(arguments...);
      passage.End(moved);
      return moved;
    }
  }
  Observation observation;
  observation.is_transfer = true;
  Before(observation, fd, at, count);
  const ssize_t moved = kOriginal(arguments...);
  After(observation, moved);
  return moved;
}

// A transfer from `*offset`, or at the offset of `fd` where that is null.
template <const auto& kOriginal, typename... Arguments>
inline ssize_t Transfer(int fd, const off_t* offset, size_t count, Arguments... arguments) {
  const Slot slot = SlotOf(fd);
  if (IsQuiet(slot) || !runtime.MayCall()) return kOriginal(arguments...);
  const int64_t at = offset == nullptr ? kAtOffset : OffsetAt(offset);
  if (at < kAtOffset) return kOriginal(arguments...);
  return WatchTransfer<kOriginal>(slot, fd, at, Clamped(count), arguments...);
}

// A read as preadv2(2): at the offset where it says -1. One with flags has wishes that fetching ahead may counter.
template <const auto& kOriginal>
inline ssize_t ReadWithFlags(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (flags != 0) return kOriginal(fd, parts, count, offset, flags);
  if (offset == -1) return Read<kOriginal>(fd, parts, count, offset, flags);
  return ReadAt<kOriginal>(fd, parts, count, offset, flags);
}

}  // namespace ahead
