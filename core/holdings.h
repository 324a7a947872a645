// What do the files of a process hold in memory: pages fetched and not read, and streams that will want more?
//
// A file that is left open and not read any more holds nothing: what was fetched for it is gone once as much has come
// since as memory holds (core/safety.h), and whoever comes back to it begins anew. So a file counts from its last read
// until memory was filled once more, or one and a half times: time is cut into turns of half of memory, and what was
// not told in this turn or the two before is forgotten. Without, one that reads a file of 512 MiB in 64 MiB of memory,
// after 800 others that it leaves open, has the 800th part for all of it (tests/sim/memory_test.cc).
#pragma once

#include <atomic>
#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: all. A race with the end of a turn may miscount one file for two turns.
class Holdings {
 public:
  // What one file was last said to hold. Guarded by its lock.
  struct Of {
    int64_t pages = 0;
    int32_t streams = 0;
    uint32_t turn = 0;

    bool is_nothing() const { return pages == 0 && streams == 0; }
  };
  struct Sum {
    int64_t pages = 0;
    int64_t streams = 0;
  };

  // The file holds so much now. Returns whether the sum may be another for that, or for the time that passed. `clock`:
  // the bytes that have come to memory, which holds `memory` of them.
  bool Tell(Of& of, int64_t pages, int32_t streams, ByteCount clock, ByteCount memory) {
    EndTurn(clock, memory);
    const uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (of.turn == turn && of.pages == pages && of.streams == streams) return false;
    if (turn - of.turn < kCounted) Add(of.turn, -of.pages, -of.streams);
    Add(turn, pages, streams);
    of = {pages, streams, turn};
    return true;
  }

  Sum Get() const {
    const uint32_t turn = turn_.load(std::memory_order_relaxed);
    Sum sum;
    for (uint32_t back = 0; back < kCounted; ++back) {
      const Place& place = places_[(turn - back) % kPlaces];
      sum.pages += place.pages.load(std::memory_order_relaxed);
      sum.streams += place.streams.load(std::memory_order_relaxed);
    }
    return {sum.pages > 0 ? sum.pages : 0, sum.streams > 0 ? sum.streams : 0};
  }

 private:
  static constexpr uint32_t kCounted = 3;  // turns: this one and those before
  static constexpr uint32_t kPlaces = 8;   // divides 2^32; what is told late to a turn before those meets nobody

  struct Place {
    std::atomic<int64_t> pages{0};
    std::atomic<int64_t> streams{0};
  };

  void EndTurn(ByteCount clock, ByteCount memory) {
    int64_t began = began_.load(std::memory_order_relaxed);
    if (clock.value - began < memory.value / 2) return;
    if (!began_.compare_exchange_strong(began, clock.value, std::memory_order_relaxed)) return;
    const uint32_t turn = turn_.load(std::memory_order_relaxed) + 1;
    Place& next = places_[(turn + 1) % kPlaces];
    next.pages.store(0, std::memory_order_relaxed);
    next.streams.store(0, std::memory_order_relaxed);
    turn_.store(turn, std::memory_order_relaxed);
  }

  void Add(uint32_t turn, int64_t pages, int64_t streams) {
    Place& place = places_[turn % kPlaces];
    if (pages != 0) place.pages.fetch_add(pages, std::memory_order_relaxed);
    if (streams != 0) place.streams.fetch_add(streams, std::memory_order_relaxed);
  }

  std::atomic<uint32_t> turn_{0};
  std::atomic<int64_t> began_{0};  // on the clock, of this turn
  Place places_[kPlaces];
};

}  // namespace ahead
