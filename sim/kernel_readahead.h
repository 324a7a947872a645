// What does the kernel read ahead by itself? The on-demand readahead of Linux 6.16 to 6.18 (mm/readahead.c, and its
// callers in mm/filemap.c and mm/fadvise.c) for files without large folios, such as those of FUSE, restated as
// functions of one description's state and of what is cached. They only say which pages to ask for; order.count 0:
// none.
//
// Left out: congestion of block cgroups, huge pages, executable mappings, large folios. Of 6.12 to 6.15 it differs in
// one point: there the end of a window is not rounded down to four pages (kNaturalEnd).
//
// Source: reference in docs/simulator.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ahead::sim {

// Of a mount, in pages.
struct ReadaheadLimits {
  int64_t window = 32;  // read_ahead_kb
  int64_t most = 32;    // the most that one call of readahead(2) takes where that is more (io_pages)
};

// Pages to ask for: [begin, begin + count) so far as the file has them and they are absent. Of those the one at
// begin + count - async is marked, if async > 0 and it is absent. Where the file ends before, count is less and so is
// the place of the mark; when less is left than `async`, there is none.
struct PageOrder {
  int64_t begin = 0;
  int64_t count = 0;
  int64_t async = 0;
};

// The state of one open file description (struct file_ra_state).
struct ReaderState {
  int64_t start = 0;  // the newest window and, at start + size - async_size, its mark
  int64_t size = 0;
  int64_t async_size = 0;
  int64_t ra_pages = 32;
  int64_t mmap_miss = 0;
  int64_t prev_pos = -1;   // where the last read ended
  bool is_random = false;  // FADV_RANDOM

  static ReaderState Opened(const ReadaheadLimits& limits) {
    ReaderState state;
    state.ra_pages = limits.window;
    return state;
  }
};

// Windows begin a quarter to the whole of `max`, and grow two- or fourfold.
constexpr int64_t InitialWindow(int64_t request, int64_t max) {
  const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(request, 1))));
  return size <= max / 32 ? size * 4 : size <= max / 4 ? size * 2 : max;
}
constexpr int64_t NextWindow(int64_t current, int64_t max) {
  return current < max / 16 ? current * 4 : current <= max / 2 ? current * 2 : max;
}

// The largest window for a read that wants `request` more pages.
constexpr int64_t LargestWindow(const ReaderState& state, const ReadaheadLimits& limits, int64_t request) {
  return request > state.ra_pages && limits.most > state.ra_pages ? std::min(request, limits.most) : state.ra_pages;
}

// What readahead(2) and FADV_WILLNEED, a read under FADV_RANDOM, take of `count` pages.
constexpr PageOrder ForcedOrder(const ReaderState& state, const ReadaheadLimits& limits, int64_t index, int64_t count) {
  return {index, std::min(count, std::max(limits.most, state.ra_pages)), 0};
}

// A read, of which `request` pages are left, finds page `index` absent. `is_cached(page)` says whether a page is
// cached or on its way.
template <typename IsCached>
PageOrder OnMiss(ReaderState& state, const ReadaheadLimits& limits, int64_t index, int64_t request,
                 IsCached is_cached) {
  if (state.ra_pages == 0) return {index, 1, 0};
  if (state.is_random) return ForcedOrder(state, limits, index, request);
  const int64_t max = LargestWindow(state, limits, request);
  // Unsigned as there: before the first read the last one ended where no file reaches.
  const uint64_t gap = static_cast<uint64_t>(index) - (static_cast<uint64_t>(state.prev_pos) >> 12);
  if (index == 0 || request > max || gap <= 1) {
    state.start = index;
    state.size = InitialWindow(request, max);
    state.async_size = state.size > request ? state.size - request : state.size / 2;
    return {state.start, state.size, state.async_size};
  }
  // Pages that a stream would have left behind. The search ends on a cached page when all `max` are.
  int64_t miss = index - max;
  for (int64_t page = index - 1; page >= std::max<int64_t>(index - max, -1); --page) {
    if (page >= 0 && is_cached(page)) continue;
    miss = page;
    break;
  }
  const int64_t history = index - miss - 1;
  if (history <= request) return {index, request, 0};
  state.start = index;
  state.size = std::min((miss == -1 ? 2 * history : history) + request, max);
  state.async_size = 1;
  return {state.start, state.size, state.async_size};
}

// A read, of which `request` pages are left from page `index` on, meets that page's mark, which is gone by now.
template <typename IsCached>
PageOrder OnMark(ReaderState& state, const ReadaheadLimits& limits, int64_t index, int64_t request,
                 IsCached is_cached) {
  constexpr int64_t kNaturalEnd = 4;
  if (state.ra_pages == 0) return {};
  const int64_t max = LargestWindow(state, limits, request);
  if (index == state.start + state.size - state.async_size) {
    state.start += state.size;
    state.size = std::max(state.size, NextWindow(state.size, max));
  } else {
    // The state is another stream's: go on where the cached pages end.
    int64_t end = index + 1;
    while (end <= index + max && is_cached(end)) ++end;
    if (end > index + max) return {};
    state.start = end;
    state.size = NextWindow(end - index + request, max);
  }
  // No coarser than the window itself, whose size may be that of an odd request.
  const int64_t align = std::min(kNaturalEnd, max & -max);
  const int64_t end = state.start + state.size;
  const int64_t aligned = end - end % align;
  if (aligned > state.start) state.size = aligned - state.start;
  state.async_size = state.size;
  return {state.start, state.size, state.async_size};
}

// A touch of a mapping finds page `index` absent.
inline PageOrder OnFault(ReaderState& state, int64_t index) {
  // What MMAP_LOTSAMISS stands for, and ten times it.
  constexpr int64_t kManyMisses = 100;
  if (state.ra_pages == 0) return {};
  state.mmap_miss = std::min(state.mmap_miss + 1, 10 * kManyMisses);
  if (state.mmap_miss > kManyMisses) return {};
  state.start = std::max<int64_t>(0, index - state.ra_pages / 2);
  state.size = state.ra_pages;
  state.async_size = state.ra_pages / 4;
  return {state.start, state.size, state.async_size};
}

}  // namespace ahead::sim
