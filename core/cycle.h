// Where does a reader go that reads some runs, jumps, and does the same again a constant distance further? The chosen
// columns of each group of a table, fields of records, one run of each megabyte: a cycle of a few runs, each at its
// place from where the cycle began, and the next cycle one period on, in either direction. A cycle of many runs is one
// of few that is gone through several times, each time a step further: one column of the 32 rows of a group, and then
// on to the next group.
//
// The pages of the runs, in the order in which they are read, make a line of slots, as if the file had no others.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// The half-open interval of slots [begin, end).
struct SlotRange {
  int64_t begin = 0;
  int64_t end = 0;
  constexpr int64_t size() const { return end > begin ? end - begin : 0; }
};

// Returns what both have; of size 0 if they share nothing.
constexpr SlotRange Intersect(SlotRange a, SlotRange b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

constexpr int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}
constexpr int64_t AlignDown(int64_t value, int64_t unit) { return FloorDivide(value, unit) * unit; }
constexpr int64_t AlignUp(int64_t value, int64_t unit) { return -AlignDown(-value, unit); }

// Invariants of one that has runs: period is not 0; lengths are above 0 and, in sum, at most the period's size; rounds
// are above 0 and, where there are several, step is not 0 and they do not lie farther apart than cycles do.
struct Cycle {
  static constexpr int32_t kMost = 16;

  // A run of some cycle, and its slots.
  struct Run {
    ByteRange range;
    SlotRange slots;
  };

  int32_t runs = 0;
  int32_t rounds = 1;           // how often a cycle goes through its runs
  int64_t step = 0;             // bytes from one round to the next
  int64_t period = 0;           // bytes
  int32_t offsets[kMost] = {};  // bytes from the begin of the first run, either sign
  int32_t lengths[kMost] = {};  // bytes

  // In all of these `origin` is where the first run of the cycle of slot 0 begins.

  // Returns the run that slot `slot` belongs to.
  Run At(int64_t slot, ByteOffset origin, ByteCount page) const;
  // Returns the slots of the part of `range` that lies in the run which holds its begin; empty when none does.
  SlotRange Slots(ByteRange range, ByteOffset origin, ByteCount page) const;
  // Returns the first slot of the first run that begins outside of [0, file_size).
  int64_t EndSlot(ByteOffset origin, ByteCount file_size, ByteCount page) const;
  // Returns how many slots all of a cycle's runs take; or those of one round.
  int64_t SlotsPerCycle(ByteOffset origin, ByteCount page) const { return rounds * SlotsPerRound(origin, page); }
  int64_t SlotsPerRound(ByteOffset origin, ByteCount page) const;

 private:
  // How many pages run `index` takes wherever a cycle may lie.
  int64_t PagesOf(int32_t index, ByteOffset origin, ByteCount page) const;
  // Run `index` of round `round`, which are counted through all cycles.
  Run RunOf(int64_t round, int32_t index, ByteOffset origin, ByteCount page) const;
};

}  // namespace ahead
