// What does a FILE fetch from its descriptor? libc refills the buffer by calls that no hook sees, so the hooks of stdio
// look at the buffer's ends before and after the original: if it still ends where it ended, nothing was fetched; else
// what was returned and what is left over tell how much. That is exact, needs no system call and no strlen, and leaves
// the descriptor's offset known.
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

// What fgets fetched. Measuring the line costs more than the rest of the hook, and as long as the buffer's end stays
// and its position moves on, there was no refill (or one of a line as long as the buffer, which is missed).
inline int64_t FetchedByLine(const StdioView& before, const StdioView& after, const char* line) {
  if (after.end == before.end && after.next >= before.next) return 0;
  return FetchedBytes(before, after, line != nullptr ? static_cast<int64_t>(strlen(line)) : 0);
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

// A call that is sure to fetch. `fetched(result, before, after)` says how much it did.
template <typename Call, typename Fetched>
[[gnu::noinline]] auto ObserveFetch(FILE* file, int64_t most, Call call, Fetched fetched) {
  const StdioView before(file);
  Observation observation;
  Before(observation, DescriptorOf(file), kAtOffset, most);
  const auto result = call();
  After(observation, fetched(result, before, StdioView(file)));
  return result;
}

// A call that may fetch, which shows only afterwards.
template <typename Call, typename Fetched>
[[gnu::noinline]] auto ObserveMaybeFetch(FILE* file, Call call, Fetched fetched) {
  const StdioView before(file);
  const int fd = DescriptorOf(file);
  const Nanos started = Now();
  const auto result = call();
  if (const int64_t bytes = fetched(result, before, StdioView(file)); bytes > 0) AfterTheFact(fd, bytes, started);
  return result;
}

// A call that takes bytes from `file`; `wanted`: how many at most, 0 when that depends on what they are (a line).
template <typename Call, typename Fetched>
inline auto ReadStdio(FILE* file, size_t wanted, Call call, Fetched fetched) {
  const Slot slot = SlotOf(DescriptorOf(file));
  if (slot.is_ignored() || !runtime.is_on()) return call();
  const StdioView before(file);
  const int64_t need = ClampCount(wanted) - before.left();
  if (wanted != 0 && need <= 0) return call();
  const int64_t most = MostFetched(file, need);
  if (slot.is_tracked()) {
    Description& description = DescriptionOf(slot);
    const ByteOffset begin{description.offset.load(std::memory_order_relaxed)};
    if (description.filter.Passes(begin, {most})) {
      const auto result = call();
      if (const int64_t bytes = fetched(result, before, StdioView(file)); bytes > 0) Absorb(description, begin, bytes);
      return result;
    }
  }
  if (wanted != 0 || before.left() == 0) return ObserveFetch(file, most, call, fetched);
  return ObserveMaybeFetch(file, call, fetched);
}

// Calls of stdio as the hooks see them.
template <typename Call>
inline size_t ReadItems(FILE* file, size_t size, size_t count, Call call) {
  return ReadStdio(file, size * count, call, [size](size_t items, const StdioView& before, const StdioView& after) {
    return FetchedBytes(before, after, static_cast<int64_t>(items * size));
  });
}

template <typename Call>
inline char* ReadShortLine(FILE* file, Call call) {
  return ReadStdio(file, 0, call, [](const char* line, const StdioView& before, const StdioView& after) {
    return FetchedByLine(before, after, line);
  });
}

template <typename Call>
inline ssize_t ReadWholeLine(FILE* file, Call call) {
  return ReadStdio(file, 0, call, [](ssize_t bytes, const StdioView& before, const StdioView& after) {
    return FetchedBytes(before, after, bytes > 0 ? bytes : 0);
  });
}

// `taken`: whether the call also takes the character it returns.
template <typename Call>
inline int Refill(FILE* file, int64_t taken, Call call) {
  return ReadStdio(file, 0, call, [taken](int c, const StdioView& before, const StdioView& after) {
    return FetchedBytes(before, after, c != EOF ? taken : 0);
  });
}

// Returns the descriptor that `file` owns, -1 when it has none, as streams in memory. Keeps errno.
int OwnDescriptorOf(FILE* file) noexcept;

}  // namespace ahead
