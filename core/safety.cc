#include "core/safety.h"

namespace ahead {
namespace {

// The distance grows again by this part of what passes: as much as it is after 16 times that has passed without a loss.
constexpr int64_t kRecovery = 16;
// A loss within the distance says that memory is less than that, by how much it does not say.
constexpr int64_t kCut = 8;
constexpr ByteCount kLeast{1 << 20};

}  // namespace

void Safety::OnLost(ByteCount passed, ByteCount distance) {
  // It was asked for under a longer distance, and this one would have kept it: nothing new. Without this, the losses of
  // one turn of memory each took an eighth: 800 slow streams in 64 MiB came to 6 MiB, where no window was left.
  if (passed > distance) return;
  int64_t next = distance.value - distance.value / kCut;
  if (passed.value < next) next = passed.value;
  const int64_t half = distance.value / 2;
  if (next < half) next = half;
  distance_ = next > kLeast.value ? next : kLeast.value;
}

void Safety::Recover(ByteCount bytes) {
  const int64_t distance = distance_;
  if (distance != 0) distance_ = distance + bytes.value / kRecovery;
}

void IssueLog::Note(int64_t end, ByteCount clock, int64_t position) {
  // Of two requests that share a place the older counts.
  if (count_ == kEntries)
    entries_[count_ - 1].end = end;
  else
    entries_[count_++] = {end, clock, position};
}

const IssueLog::Entry* IssueLog::At(int64_t slot) {
  int passed = 0;
  while (passed < count_ && entries_[passed].end <= slot) ++passed;
  for (int i = passed; i < count_ && passed > 0; ++i) entries_[i - passed] = entries_[i];
  count_ -= passed;
  return count_ > 0 ? &entries_[0] : nullptr;
}

}  // namespace ahead
