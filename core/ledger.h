// Counts events by row and class: the numbers behind the event tables. Which rows exist is said in events.def; how they
// are printed is the business of stats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

// A row of the event tables.
enum class Event : uint8_t {
#define AHEAD_EVENT(name, in_requests, in_pages) name,
#include "core/events.def"
};

// A column of the event tables: the method that made a request.
enum class Class : uint8_t {
#define AHEAD_CLASS(name) name,
#include "core/events.def"
};

inline constexpr size_t kEventCount = 0
#define AHEAD_EVENT(name, in_requests, in_pages) +1
#include "core/events.def"
    ;
inline constexpr size_t kClassCount = 0
#define AHEAD_CLASS(name) +1
#include "core/events.def"
    ;

// Thread safety: any number of writers and readers; every cell is exact, a set of cells is not a snapshot.
// Layout: part of the shared segment (stats/segment.h); a change needs a new segment version.
struct Ledger {
  struct Cell {
    uint64_t requests = 0;
    uint64_t pages = 0;
  };
  Cell cells[kEventCount][kClassCount];
  // Sum over requests of the square of their pages, for the variance of the request size.
  uint64_t readahead_square_pages[kClassCount] = {};

  // Counts one event of `pages` pages. `requests` is 0 where only pages are charged.
  void Add(Event event, Class cls, uint64_t pages, uint64_t requests = 1) {
    Cell& cell = cells[static_cast<size_t>(event)][static_cast<size_t>(cls)];
    if (requests != 0) __atomic_fetch_add(&cell.requests, requests, __ATOMIC_RELAXED);
    if (pages != 0) __atomic_fetch_add(&cell.pages, pages, __ATOMIC_RELAXED);
    if (event == Event::readahead && requests != 0)
      __atomic_fetch_add(&readahead_square_pages[static_cast<size_t>(cls)], pages * pages, __ATOMIC_RELAXED);
  }
  uint64_t requests(Event event, Class cls) const {
    return __atomic_load_n(&cells[static_cast<size_t>(event)][static_cast<size_t>(cls)].requests, __ATOMIC_RELAXED);
  }
  uint64_t pages(Event event, Class cls) const {
    return __atomic_load_n(&cells[static_cast<size_t>(event)][static_cast<size_t>(cls)].pages, __ATOMIC_RELAXED);
  }
};

}  // namespace ahead
