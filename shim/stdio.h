// What does a FILE fetch from its descriptor? libc refills the buffer by calls that no hook sees, so the hooks of stdio
// look at the buffer before and after the original: what was returned and what is left over tell how much was fetched.
// That is exact, needs no system call, and leaves the descriptor's offset known.
//
// The three pointers and the descriptor are fields of the public structure in bits/types/struct_FILE.h. Their places
// cannot change: getc_unlocked and its kin are macros, so the offsets are compiled into programs since 1997.
#pragma once

#include <stdio.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

#include "shim/facts.h"
#include "shim/reads.h"

namespace ahead {

// The state of a FILE's buffer at one moment. Another thread may be using the FILE: a torn picture gives a wrong
// observation, never a wrong access.
struct StdioView {
  const char* next;
  const char* end;

  explicit StdioView(const FILE* file)
      : next(__atomic_load_n(&file->_IO_read_ptr, __ATOMIC_RELAXED)),
        end(__atomic_load_n(&file->_IO_read_end, __ATOMIC_RELAXED)) {}

  int64_t left() const { return end - next; }
};

// What a call fetched that gave `taken` bytes to the host.
inline int64_t FetchedBytes(const StdioView& before, const StdioView& after, int64_t taken) {
  return taken + after.left() - before.left();
}

// The descriptor of a FILE that is read from.
inline int DescriptorOf(const FILE* file) { return __atomic_load_n(&file->_fileno, __ATOMIC_RELAXED); }

// Returns how much a call fetches at most that wants `need` bytes more than the buffer holds; 0: one refill.
inline int64_t MostFetched(const FILE* file, int64_t need) {
  constexpr int64_t kUsualBuffer = 4096;  // not allocated before the first refill
  const int64_t size = file->_IO_buf_end - file->_IO_buf_base;
  const int64_t refill = size > 0 ? size : kUsualBuffer;
  if (need <= 0) return refill;
  // Whole blocks are read past the buffer, the rest by a refill.
  return (refill & (refill - 1)) == 0 ? (need + refill - 1) & -refill : need + refill;
}

// How the functions of stdio say what they gave to the host. Fetched() tells from a result how much came from the
// descriptor; kIsLine: how much is taken depends on what there is.
template <typename Result>
struct Taking;

// fread: `size` bytes an item. What there is of an unfinished item at the end of the file does not count.
template <>
struct Taking<size_t> {
  static constexpr bool kIsLine = false;
  size_t size;
  int64_t Fetched(size_t items, const StdioView& before, const StdioView& after) const {
    return FetchedBytes(before, after, static_cast<int64_t>(items * size));
  }
};

// fgets. Where the buffer's end stays and its position moves on, the line is what lies between, and ends there; unless
// there was a refill all the same, as with a line as long as the buffer: then it is measured.
template <>
struct Taking<char*> {
  static constexpr bool kIsLine = true;
  int64_t Fetched(const char* line, const StdioView& before, const StdioView& after) const {
    if (line == nullptr) return FetchedBytes(before, after, 0);
    if (after.end == before.end && after.next > before.next && line[after.next - before.next] == 0) return 0;
    return FetchedBytes(before, after, static_cast<int64_t>(strlen(line)));
  }
};

// getline.
template <>
struct Taking<ssize_t> {
  static constexpr bool kIsLine = true;
  int64_t Fetched(ssize_t bytes, const StdioView& before, const StdioView& after) const {
    return FetchedBytes(before, after, bytes > 0 ? bytes : 0);
  }
};

// __uflow, which takes the character it returns, and __underflow, which does not.
template <>
struct Taking<int> {
  static constexpr bool kIsLine = true;
  int64_t taken;
  int64_t Fetched(int c, const StdioView& before, const StdioView& after) const {
    return FetchedBytes(before, after, c != EOF ? taken : 0);
  }
};

// Learns how long lines are from one during which `fetched` bytes were.
inline void NoteLine(Slot slot, const StdioView& before, const StdioView& after, int64_t fetched) {
  const int64_t length = fetched > 0 ? fetched + before.left() - after.left() : after.next - before.next;
  if (slot.is_tracked()) DescriptionOf(slot).NoteLine(length);
}

// A call that is sure to fetch.
template <const auto& kOriginal, typename Result, typename... Arguments>
[[gnu::noinline]] Result ObserveFetch(FILE* file, int64_t most, Taking<Result> taking, Arguments... arguments) {
  const StdioView before(file);
  Observation observation;
  Before(observation, DescriptorOf(file), kAtOffset, most);
  const Result result = kOriginal(arguments...);
  After(observation, taking.Fetched(result, before, StdioView(file)));
  return result;
}

// A call that may fetch, which shows only afterwards.
template <const auto& kOriginal, typename Result, typename... Arguments>
[[gnu::noinline]] Result ObserveMaybeFetch(FILE* file, Taking<Result> taking, Arguments... arguments) {
  const StdioView before(file);
  const int fd = DescriptorOf(file);
  const uint64_t ticks = recorder::Ticks();
  const Nanos started = Now();
  const Result result = kOriginal(arguments...);
  const StdioView after(file);
  const int64_t bytes = taking.Fetched(result, before, after);
  if (bytes > 0) AfterTheFact(fd, bytes, started, ticks);
  NoteLine(SlotOf(fd), before, after, bytes);
  return result;
}

template <const auto& kOriginal, typename Result, typename... Arguments>
[[gnu::noinline]] Result WatchStdio(FILE* file, Slot slot, int64_t need, Taking<Result> taking,
                                    Arguments... arguments) {
  const StdioView before(file);
  const int64_t most = MostFetched(file, need);
  if (slot.is_tracked()) {
    Description& description = DescriptionOf(slot);
    const ByteOffset begin{description.offset.load(std::memory_order_relaxed)};
    if (description.filter.Passes(begin, {most})) {
      const Result result = kOriginal(arguments...);
      const StdioView after(file);
      const int64_t bytes = taking.Fetched(result, before, after);
      if (bytes > 0) Absorb(description, begin, bytes);
      if (taking.kIsLine) NoteLine(slot, before, after, bytes);
      return result;
    }
  }
  if (runtime.trace() != nullptr) {
    recorder::Passage passage;
    if (passage.Begin(DescriptorOf(file), kAtOffset, most, TraceAccessKind::kStdio)) {
      const Result result = kOriginal(arguments...);
      const StdioView after(file);
      const int64_t bytes = taking.Fetched(result, before, after);
      passage.End(bytes);
      if (taking.kIsLine) NoteLine(slot, before, after, bytes);
      return result;
    }
  }
  if (need > 0 || before.left() == 0) return ObserveFetch<kOriginal>(file, most, taking, arguments...);
  return ObserveMaybeFetch<kOriginal>(file, taking, arguments...);
}

// A call that takes `wanted` bytes.
template <const auto& kOriginal, typename Result, typename... Arguments>
inline Result ReadItems(FILE* file, size_t wanted, Taking<Result> taking, Arguments... arguments) {
  const Slot slot = SlotOf(DescriptorOf(file));
  if (IsQuiet(slot)) return kOriginal(arguments...);
  const int64_t need = Clamped(wanted) - StdioView(file).left();
  if (need <= 0) return kOriginal(arguments...);
  return WatchStdio<kOriginal>(file, slot, need, taking, arguments...);
}

// A call that takes a line, or what else ends where the data say. While the buffer holds much more than lines have been
// long, in this description or in any, no line will need a refill, and the call is not looked at.
template <const auto& kOriginal, typename Result, typename... Arguments>
[[gnu::noinline]] Result LookAtLine(FILE* file, Taking<Result> taking, Arguments... arguments) {
  const Slot slot = SlotOf(DescriptorOf(file));
  if (slot.is_tracked() ? StdioView(file).left() >= DescriptionOf(slot).line_reserve() : IsQuiet(slot))
    return kOriginal(arguments...);
  return WatchStdio<kOriginal>(file, slot, 0, taking, arguments...);
}

template <const auto& kOriginal, typename Result, typename... Arguments>
inline Result ReadLine(FILE* file, Taking<Result> taking, Arguments... arguments) {
  if (__builtin_expect(StdioView(file).left() >= most_line_reserve.load(std::memory_order_relaxed), 1))
    return kOriginal(arguments...);
  return LookAtLine<kOriginal>(file, taking, arguments...);
}

// Returns the descriptor that `file` owns, -1 when it has none, as streams in memory. Keeps errno.
int OwnDescriptorOf(FILE* file) noexcept;

}  // namespace ahead
