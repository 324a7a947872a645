#include "core/clusters.h"

namespace ahead {
namespace {

// The bits of those of `pages` that lie in block `index`.
uint32_t BitsOf(SlotRange pages, int64_t index) {
  const SlotRange part = Intersect(pages, {index * Clusters::kBlock, (index + 1) * Clusters::kBlock});
  if (part.size() <= 0) return 0;
  const uint32_t ones = (uint32_t{1} << part.size()) - 1;
  return ones << (part.begin - index * Clusters::kBlock);
}

}  // namespace

int32_t Clusters::Enough(const Block& block, int64_t rate) {
  return static_cast<int32_t>((block.size + rate - 1) / rate);
}

Clusters::Block* Clusters::Note(SlotRange pages, int64_t file_pages, int64_t rate, bool is_second) {
  const int64_t index = FloorDivide(pages.begin, kBlock);
  if (pages.size() <= 0 || FloorDivide(pages.end - 1, kBlock) != index) return nullptr;
  ++tick_;
  Block* oldest = &blocks_[0];
  for (Block& block : blocks_) {
    if (block.index == index) {
      Add(block, pages, rate);
      return &block;
    }
    if (block.tick < oldest->tick) oldest = &block;
  }
  End(*oldest, rate);
  const int64_t left = file_pages - index * kBlock;
  *oldest = {index, 0, 0, static_cast<int32_t>(left < 1 ? 1 : left < kBlock ? left : kBlock), 0, false, false};
  oldest->count = is_second && oldest->size > 1 ? 1 : 0;
  Add(*oldest, pages, rate);
  return oldest;
}

void Clusters::NoteInStream(SlotRange pages, int64_t rate) {
  for (Block& block : blocks_)
    if (block.index >= 0 && BitsOf(pages, block.index) != 0) Add(block, pages, rate);
}

void Clusters::Add(Block& block, SlotRange pages, int64_t rate) {
  block.tick = tick_;
  const int32_t before = block.count;
  for (uint32_t fresh = BitsOf(pages, block.index) & ~block.read; fresh != 0; fresh &= fresh - 1) ++block.count;
  block.read |= BitsOf(pages, block.index);
  // Said once, as soon as it is known.
  if (block.size < kBlock / 2 || before >= Enough(block, rate) || block.count < Enough(block, rate) || block.is_exempt)
    return;
  in_row_ = in_row_ < kMostNeeded ? in_row_ + 1 : kMostNeeded;
  if (block.is_fetched && kept_ < kBlocks) ++kept_;
  if (in_row_ == kMostNeeded) needed_ = 1;
}

void Clusters::End(Block& block, int64_t rate) {
  if (block.index < 0 || block.is_exempt || block.count >= Enough(block, rate)) return;
  if (block.is_fetched && needed_ < kMostNeeded) needed_ *= 2;
  if (block.is_fetched) kept_ = 0;
  in_row_ = 0;
}

bool Clusters::IsDue(const Block& block, int64_t rate) const {
  if (block.is_fetched || block.count >= block.size) return false;
  int32_t unread = 0;
  for (const Block& other : blocks_)
    unread += other.index >= 0 && other.is_fetched && !other.is_exempt && other.count * 2 < Enough(other, rate);
  if (unread >= kFewUnread + kept_) return false;
  return is_open() || (needed_ == 1 && in_row_ == 0 && block.count * 2 >= Enough(block, rate) && block.count > 4);
}

void Clusters::NoteCached(int64_t index) {
  for (Block& block : blocks_)
    if (block.index == index) block.is_exempt = true;
}

void Clusters::Interrupt() {
  for (Block& block : blocks_) block.is_exempt = true;
}

}  // namespace ahead
