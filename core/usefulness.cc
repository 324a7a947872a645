#include "core/usefulness.h"

namespace ahead {
namespace {

// Returns how many bits of `word` are set. Without a processor that is known to have an instruction for it, the
// compiler calls libgcc, which looks up each byte in a table.
constexpr int64_t CountOnes(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int64_t>(word * 0x0101010101010101 >> 56);
}
static_assert(CountOnes(0) == 0 && CountOnes(~uint64_t{0}) == 64 && CountOnes(0x8000000000000001) == 2);

// Visits the words of the ring that `range` touches with the mask of its bits in each. REQUIRES: range.size() <=
// kSlots.
template <typename Visit>
void ForEachWord(SlotRange range, Visit visit) {
  for (int64_t slot = range.begin; slot < range.end;) {
    const int64_t bit = slot & 63;
    const int64_t taken = 64 - bit < range.end - slot ? 64 - bit : range.end - slot;
    const uint64_t mask = (taken == 64 ? ~uint64_t{0} : (uint64_t{1} << taken) - 1) << bit;
    visit(static_cast<uint64_t>(slot) % Usefulness::kSlots / 64, mask);
    slot += taken;
  }
}

}  // namespace

int64_t Usefulness::Turn(SlotRange range, To to) {
  int64_t count = 0;
  ForEachWord(Intersect(range, {base_, base_ + kSlots}), [&](uint64_t word, uint64_t mask) {
    count += CountOnes(bits_[word] & mask);
    bits_[word] = to == To::kSet ? bits_[word] | mask : bits_[word] & ~mask;
  });
  return count;
}

bool Usefulness::Any(SlotRange range) const {
  bool any = false;
  ForEachWord(Intersect(range, {base_, base_ + kSlots}),
              [&](uint64_t word, uint64_t mask) { any = any || (bits_[word] & mask) != 0; });
  return any || far_.Any(range);
}

int64_t Usefulness::Held(SlotRange range) const {
  int64_t count = 0;
  ForEachWord(Intersect(range, {base_, base_ + kSlots}),
              [&](uint64_t word, uint64_t mask) { count += CountOnes(bits_[word] & mask); });
  return count;
}

void Usefulness::Rename(SlotRange range, Class method) {
  Segment parts[2 * kSegments + 1];
  int count = 0;
  for (int i = 0; i < segment_count_; ++i) {
    const Segment& old = segments_[i];
    const SlotRange common = Intersect(old.range, range);
    if (common.size() == 0) {
      parts[count++] = old;
      continue;
    }
    if (old.range.begin < common.begin) parts[count++] = {{old.range.begin, common.begin}, old.method};
    if (count > 0 && parts[count - 1].method == method && parts[count - 1].range.end == common.begin)
      parts[count - 1].range.end = common.end;
    else
      parts[count++] = {common, method};
    if (common.end < old.range.end) parts[count++] = {{common.end, old.range.end}, old.method};
  }
  if (count > kSegments) return;
  for (int i = 0; i < count; ++i) segments_[i] = parts[i];
  segment_count_ = count;
}

// Moves the ring on to where it holds `range`, if that costs nothing that is outstanding.
void Usefulness::MakeRoom(SlotRange range) {
  const int64_t base = range.end - kSlots;
  if (base <= base_ || base > range.begin || !far_.empty() || Any({base_, base})) return;
  base_ = base;
}

int64_t Usefulness::AddFar(SlotRange range, Class method, Count& added) {
  const int64_t ring_end = base_ + kSlots;
  if (range.end <= ring_end) return range.end;
  const int64_t count = far_.Add({range.begin > ring_end ? range.begin : ring_end, range.end}, method);
  added.slots[static_cast<int>(method)] += static_cast<int32_t>(count);
  added.total += count;
  far_outstanding_ += count;
  outstanding_ += count;
  return ring_end;
}

// Lets the ring go on with the nearest runs when it is empty.
void Usefulness::Refill() {
  if (far_.empty() || outstanding_ > far_outstanding_) return;
  base_ = far_.front().range.begin;
  segment_count_ = 0;
  Count moved;
  while (!far_.empty() && far_.front().range.begin < base_ + kSlots) {
    const FarRuns::Run run = far_.front();
    const SlotRange part = Intersect(run.range, {base_, base_ + kSlots});
    const int64_t end = segment_count_ != 0 ? segments_[segment_count_ - 1].range.end : part.begin;
    Append({end, part.end}, run.method);
    Turn(part, To::kSet);
    far_outstanding_ -= far_.Take(part, moved.slots);
  }
}

Usefulness::Count Usefulness::Add(SlotRange range, Class method) {
  Count added;
  if (range.size() == 0) return added;
  if (outstanding_ == 0) base_ = range.begin, segment_count_ = 0;
  MakeRoom(range);
  if (range.begin < base_) {
    // Room behind the base is room at the far end of the ring: move back as far as nothing outstanding is hit.
    const int64_t top = segment_count_ != 0 ? segments_[segment_count_ - 1].range.end : base_;
    if (top - range.begin <= kSlots && segment_count_ != 0)
      base_ = segments_[0].range.begin = range.begin;
    else
      range.begin = base_;
  }
  range.end = AddFar(range, method, added);
  if (range.size() == 0) return added;
  int64_t fresh_in_ring = 0;
  const int64_t end = segment_count_ != 0 ? segments_[segment_count_ - 1].range.end : range.begin;
  if (range.end > end) Append({end, range.end}, method);
  for (int i = 0; i < segment_count_; ++i) {
    const SlotRange part = Intersect(range, segments_[i].range);
    const int64_t fresh = part.size() - Turn(part, To::kSet);
    added.slots[static_cast<int>(segments_[i].method)] += static_cast<int32_t>(fresh);
    fresh_in_ring += fresh;
  }
  added.total += fresh_in_ring;
  outstanding_ += fresh_in_ring;
  return added;
}

// Segments tile [first.begin, last.end): a gap between two requests belongs to the later one and holds no bits.
void Usefulness::Append(SlotRange range, Class method) {
  if (segment_count_ != 0 && segments_[segment_count_ - 1].method == method) {
    segments_[segment_count_ - 1].range.end = range.end;
    return;
  }
  if (segment_count_ == kSegments) {
    int spent = 0;
    while (spent < segment_count_ && Held(segments_[spent].range) == 0) ++spent;
    if (spent == 0) {
      // Too many methods at once: the new request goes by the name of the one before it.
      segments_[segment_count_ - 1].range.end = range.end;
      return;
    }
    for (int i = spent; i < segment_count_; ++i) segments_[i - spent] = segments_[i];
    segment_count_ -= spent;
  }
  segments_[segment_count_++] = {range, method};
}

Usefulness::Count Usefulness::Take(SlotRange range) {
  Count count;
  if (outstanding_ == 0) return count;
  for (int i = 0; i < segment_count_; ++i) {
    const int64_t taken = Turn(Intersect(range, segments_[i].range), To::kClear);
    count.slots[static_cast<int>(segments_[i].method)] += static_cast<int32_t>(taken);
    count.total += taken;
  }
  const int64_t far = far_.Take(range, count.slots);
  count.total += far;
  far_outstanding_ -= far;
  outstanding_ -= count.total;
  Refill();
  return count;
}

int64_t Usefulness::Outstanding(Class cls) const {
  int64_t count = far_.Outstanding(cls);
  for (int i = 0; i < segment_count_; ++i)
    if (segments_[i].method == cls) count += Held(segments_[i].range);
  return count;
}

}  // namespace ahead
