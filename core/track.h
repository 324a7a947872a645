// A stream's direction of travel as a line of slots, so that the sizing and the account of what was fetched need not
// know whether a reader goes forward, backward or in strides. Slot s covers [origin + s * step, origin + s * step +
// length); a reader moves from lower to higher slots. The slots of runs are told in cycle.h.
#pragma once

#include <cstdint>

#include "core/cycle.h"
#include "core/units.h"

namespace ahead {

enum class Shape : uint8_t { kForward, kBackward, kStride, kRuns };

struct Track {
  Shape shape = Shape::kForward;
  ByteOffset origin;
  ByteCount step;    // forward: a page; backward: minus a page; stride: the distance between reads, either sign
  ByteCount length;  // a page, or the length of one strided read
  Cycle cycle;       // of runs only

  static constexpr Track Forward(ByteCount page) { return {Shape::kForward, {0}, page, page, {}}; }
  // `end`: where the first read ends; slot 0 is the page that holds the byte before it.
  static constexpr Track Backward(ByteOffset end, ByteCount page) {
    return {Shape::kBackward, {AlignUp(end.value, page.value) - page.value}, -page, page, {}};
  }
  static constexpr Track Strided(ByteOffset first, ByteCount step, ByteCount length) {
    return {Shape::kStride, first, step, length, {}};
  }
  // `first`: where the cycle's first run begins in the cycle of slot 0.
  static constexpr Track Runs(ByteOffset first, const Cycle& cycle, ByteCount page) {
    return {Shape::kRuns, first, page, page, cycle};
  }

  // Returns where a slot begins; of a run's first slot, where the run does.
  ByteOffset Begin(int64_t slot) const {
    if (shape != Shape::kRuns) return origin + step * slot;
    const Cycle::Run run = RunAt(slot);
    if (slot == run.slots.begin) return run.range.begin;
    return {AlignDown(run.range.begin.value, length.value) + (slot - run.slots.begin) * length.value};
  }
  // Returns what lies between two slots, both of them included, whichever lies farther in the file.
  ByteRange Between(int64_t one, int64_t other) const {
    const ByteOffset a = Begin(one);
    const ByteOffset b = Begin(other);
    return a < b ? ByteRange{a, b + length} : ByteRange{b, a + length};
  }
  // Of a track of runs: the one that `slot` belongs to.
  Cycle::Run RunAt(int64_t slot) const { return cycle.At(slot, origin, length); }

  // Returns the slots that `range` touches; empty when a strided track does not meet it.
  SlotRange Slots(ByteRange range) const {
    if (range.empty()) return {};
    switch (shape) {
      case Shape::kForward:
        return {FloorDivide(range.begin.value, length.value), FloorDivide(range.end.value - 1, length.value) + 1};
      case Shape::kBackward: {
        const int64_t top = AlignDown(range.end.value - 1, length.value);
        const int64_t bottom = AlignDown(range.begin.value, length.value);
        return {FloorDivide(origin.value - top, length.value), FloorDivide(origin.value - bottom, length.value) + 1};
      }
      case Shape::kStride: {
        const int64_t distance = range.begin.value - origin.value;
        if (distance % step.value != 0) return {};
        return {distance / step.value, distance / step.value + 1};
      }
      case Shape::kRuns:
        return cycle.Slots(range, origin, length);
    }
    return {};
  }

  // Returns how many pages one slot stands for.
  constexpr int64_t PagesPerSlot(ByteCount page) const {
    if (shape != Shape::kStride) return 1;
    return FloorDivide(origin.value + length.value - 1, page.value) - FloorDivide(origin.value, page.value) + 1;
  }

  // Returns the first slot that lies wholly outside [0, file_size) in the direction of travel.
  int64_t EndSlot(ByteCount file_size) const {
    switch (shape) {
      case Shape::kForward:
        return AlignUp(file_size.value, length.value) / length.value;
      case Shape::kBackward:
        return origin.value / length.value + 1;
      case Shape::kStride:
        return step.value > 0 ? FloorDivide(file_size.value - 1 - origin.value, step.value) + 1
                              : FloorDivide(origin.value, -step.value) + 1;
      case Shape::kRuns:
        return cycle.EndSlot(origin, file_size, length);
    }
    return 0;
  }
};

}  // namespace ahead
