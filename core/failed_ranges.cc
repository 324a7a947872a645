#include "core/failed_ranges.h"

namespace ahead {
namespace {

constexpr ByteRange Hull(ByteRange a, ByteRange b) {
  return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

// The first slot from `slots.begin` on that touches `range`; slots.end if none does.
int64_t FirstTouching(SlotRange slots, const Track& track, ByteRange range) {
  // The slots' begins rise or fall with their numbers: those that touch the range are in a row.
  const int64_t step = track.step.value;
  const int64_t origin = track.origin.value;
  const int64_t low = range.begin.value - track.length.value + 1;  // of the begins that touch
  const int64_t high = range.end.value - 1;
  int64_t first = step > 0 ? -FloorDivide(origin - low, step) : -FloorDivide(high - origin, -step);
  const int64_t last = step > 0 ? FloorDivide(high - origin, step) : FloorDivide(origin - low, -step);
  if (first < slots.begin) first = slots.begin;
  return first <= last && first < slots.end ? first : slots.end;
}

}  // namespace

void FailedRanges::Add(ByteRange range) {
  if (range.empty()) return;
  int nearest = 0;
  ByteCount least{INT64_MAX};
  for (int i = 0; i < count_; ++i) {
    const ByteCount size = Hull(ranges_[i], range).size();
    if (size < least) least = size, nearest = i;
  }
  const bool touches = count_ > 0 && least <= ranges_[nearest].size() + range.size();
  if (touches || count_ == kRanges)
    ranges_[nearest] = Hull(ranges_[nearest], range);
  else
    ranges_[count_++] = range;
}

SlotRange FailedRanges::Before(SlotRange slots, const Track& track) const {
  for (int i = 0; i < count_; ++i) slots.end = FirstTouching(slots, track, ranges_[i]);
  return slots;
}

}  // namespace ahead
