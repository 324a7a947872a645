#include "core/cycle.h"

namespace ahead {

int64_t Cycle::PagesOf(int32_t index, ByteOffset origin, ByteCount page) const {
  const int64_t length = lengths[index];
  // At a period of whole pages a run lies in its pages the same way each time.
  const int64_t before = period % page.value == 0 ? (origin.value + offsets[index]) & (page.value - 1) : page.value - 1;
  return (before + length - 1) / page.value + 1;
}

int64_t Cycle::SlotsPerCycle(ByteOffset origin, ByteCount page) const {
  int64_t slots = 0;
  for (int32_t i = 0; i < runs; ++i) slots += PagesOf(i, origin, page);
  return slots;
}

Cycle::Run Cycle::RunOf(int64_t cycle, int32_t index, ByteOffset origin, ByteCount page) const {
  int64_t slot = cycle * SlotsPerCycle(origin, page);
  for (int32_t i = 0; i < index; ++i) slot += PagesOf(i, origin, page);
  const ByteOffset begin = origin + ByteCount{cycle * period + offsets[index]};
  return {{begin, begin + ByteCount{lengths[index]}}, {slot, slot + PagesOf(index, origin, page)}};
}

Cycle::Run Cycle::At(int64_t slot, ByteOffset origin, ByteCount page) const {
  const int64_t per_cycle = SlotsPerCycle(origin, page);
  if (per_cycle <= 0) return {};
  const int64_t cycle = FloorDivide(slot, per_cycle);
  int64_t rest = slot - cycle * per_cycle;
  int32_t index = 0;
  while (index + 1 < runs && rest >= PagesOf(index, origin, page)) rest -= PagesOf(index++, origin, page);
  return RunOf(cycle, index, origin, page);
}

SlotRange Cycle::Slots(ByteRange range, ByteOffset origin, ByteCount page) const {
  if (range.empty()) return {};
  const int64_t size = period < 0 ? -period : period;
  // A request begins with the page that its run begins in: up to a page before it.
  for (int64_t early = 0; early < page.value; early += page.value - 1) {
    for (int32_t i = 0; i < runs; ++i) {
      const int64_t away = FloorDivide(range.begin.value + early - origin.value - offsets[i], size);
      const Run run = RunOf(period < 0 ? -away : away, i, origin, page);
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
    const int64_t begin = origin.value + offsets[i];
    int64_t inside = 0;  // cycles of which this run begins in the file
    if (begin >= 0 && begin < file_size.value)
      inside = 1 + (period > 0 ? FloorDivide(file_size.value - 1 - begin, period) : FloorDivide(begin, -period));
    const int64_t slot = RunOf(inside, i, origin, page).slots.begin;
    if (slot < end) end = slot;
  }
  return end;
}

}  // namespace ahead
