#include "core/cycle.h"

namespace ahead {
namespace {

constexpr int64_t SizeOf(int64_t distance) { return distance < 0 ? -distance : distance; }
// How many times a place may move by `distance` from `begin` on before it is outside of [0, size).
constexpr int64_t MovesInside(int64_t begin, int64_t distance, int64_t size) {
  if (begin < 0 || begin >= size) return 0;
  return 1 + (distance > 0 ? FloorDivide(size - 1 - begin, distance) : FloorDivide(begin, -distance));
}

}  // namespace

int64_t Cycle::PagesOf(int32_t index, ByteOffset origin, ByteCount page) const {
  const int64_t length = lengths[index];
  // At distances of whole pages a run lies in its pages the same way each time.
  const bool is_steady = period % page.value == 0 && step % page.value == 0;
  const int64_t before = is_steady ? (origin.value + offsets[index]) & (page.value - 1) : page.value - 1;
  return (before + length - 1) / page.value + 1;
}

int64_t Cycle::SlotsPerRound(ByteOffset origin, ByteCount page) const {
  int64_t slots = 0;
  for (int32_t i = 0; i < runs; ++i) slots += PagesOf(i, origin, page);
  return slots;
}

Cycle::Run Cycle::RunOf(int64_t round, int32_t index, ByteOffset origin, ByteCount page) const {
  int64_t slot = round * SlotsPerRound(origin, page);
  for (int32_t i = 0; i < index; ++i) slot += PagesOf(i, origin, page);
  const int64_t cycle = FloorDivide(round, rounds);
  const ByteOffset begin = origin + ByteCount{cycle * period + (round - cycle * rounds) * step + offsets[index]};
  return {{begin, begin + ByteCount{lengths[index]}}, {slot, slot + PagesOf(index, origin, page)}};
}

Cycle::Run Cycle::At(int64_t slot, ByteOffset origin, ByteCount page) const {
  const int64_t per_round = SlotsPerRound(origin, page);
  if (per_round <= 0) return {};
  const int64_t round = FloorDivide(slot, per_round);
  int64_t rest = slot - round * per_round;
  int32_t index = 0;
  while (index + 1 < runs && rest >= PagesOf(index, origin, page)) rest -= PagesOf(index++, origin, page);
  return RunOf(round, index, origin, page);
}

SlotRange Cycle::Slots(ByteRange range, ByteOffset origin, ByteCount page) const {
  if (range.empty()) return {};
  // Where a cycle's lowest round begins.
  const int64_t lowest = step < 0 ? (rounds - 1) * step : 0;
  // A request begins with the page that its run begins in: up to a page before it.
  for (int64_t early = 0; early < page.value; early += page.value - 1) {
    for (int32_t i = 0; i < runs; ++i) {
      const int64_t place = range.begin.value + early - origin.value - offsets[i];
      const int64_t away = FloorDivide(place - lowest, SizeOf(period));
      const int64_t cycle = period < 0 ? -away : away;
      int64_t round = 0;
      if (rounds > 1) {
        const int64_t steps = FloorDivide(place - cycle * period, SizeOf(step));
        round = step < 0 ? -steps : steps;
        if (round < 0 || round >= rounds) continue;
      }
      const Run run = RunOf(cycle * rounds + round, i, origin, page);
      const int64_t first = AlignDown(run.range.begin.value, page.value);
      if (range.begin.value < first || range.begin >= run.range.end) continue;
      SlotRange slots{run.slots.begin + (range.begin.value - first) / page.value, run.slots.end};
      if (range.end < run.range.end) slots.end = run.slots.begin + (range.end.value - 1 - first) / page.value + 1;
      return slots;
    }
  }
  return {};
}

int64_t Cycle::EndSlot(ByteOffset origin, ByteCount file_size, ByteCount page) const {
  int64_t end = INT64_MAX;
  for (int32_t i = 0; i < runs; ++i) {
    // The first cycle of which a round begins outside: the first round, or the last.
    const int64_t begin = origin.value + offsets[i];
    const int64_t of_first = MovesInside(begin, period, file_size.value);
    const int64_t of_last = MovesInside(begin + (rounds - 1) * step, period, file_size.value);
    const int64_t cycle = of_first < of_last ? of_first : of_last;
    int64_t round = rounds > 1 ? MovesInside(begin + cycle * period, step, file_size.value) : 0;
    if (round >= rounds) round = 0;
    const int64_t slot = RunOf(cycle * rounds + round, i, origin, page).slots.begin;
    if (slot < end) end = slot;
  }
  return end;
}

}  // namespace ahead
