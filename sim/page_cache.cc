#include "sim/page_cache.h"

#include <algorithm>

namespace ahead::sim {
namespace {

using namespace page;

// The kernel takes at least so much at a time (SWAP_CLUSTER_MAX).
constexpr int kReclaim = 32;

constexpr uint16_t Without(uint16_t flags, int clear) { return static_cast<uint16_t>(flags & ~clear); }

}  // namespace

PageCache::PageCache(const Workload& work, ByteCount memory) : limit_(memory.value / kPageBytes) {
  if (memory.value > 0) limit_ = std::max(limit_, kLeastPages);
  files_.resize(work.files.size());
  for (size_t file = 0; file < files_.size(); ++file)
    files_[file].pages = work.files[file].size.value / kPageBytes + (work.files[file].size.value % kPageBytes != 0);
  if (limit_ > 0) lists_.emplace(flags_);
}

PageId PageCache::FindFar(uint32_t file, int64_t page) const {
  const auto& far = files_[file].far;
  if (far.empty()) return kNoPage;
  const auto found = far.find(page >> kChunkBits);
  return found == far.end() ? kNoPage : found->second + static_cast<uint32_t>(page & (kChunk - 1));
}

PageId PageCache::Make(uint32_t file, int64_t page) {
  PageId id = Find(file, page);
  if (id != kNoPage) return id;
  const int64_t chunk = page >> kChunkBits;
  const auto first = static_cast<uint32_t>(flags_.size());
  File& home = files_[file];
  if (chunk >= kNearChunks) {
    home.far.emplace(chunk, first);
  } else {
    const auto index = static_cast<size_t>(chunk);
    if (home.chunks.size() <= index) home.chunks.resize(index + 1, kNoChunk);
    home.chunks[index] = first;
  }
  flags_.resize(flags_.size() + kChunk);
  homes_.push_back({file, chunk << kChunkBits});
  return first + static_cast<uint32_t>(page & (kChunk - 1));
}

bool PageCache::MakeRoom() {
  while (lists_->size() >= limit_) {
    evicted_.clear();
    lists_->Reclaim(kReclaim, evicted_);
    if (evicted_.empty()) return false;
    for (const PageId id : evicted_) {
      ++counts_.evicted;
      if (keeps_lost_ && (flags_[id] & (kWanted | kAhead)) != 0) {
        const Lost& home = homes_[id >> kChunkBits];
        lost_.push_back({home.file, home.page + (id & (kChunk - 1))});
      }
      Leave(id);
    }
  }
  return true;
}

void PageCache::Leave(PageId id) {
  if ((flags_[id] & kAhead) != 0) {
    --counts_.ahead;
    ++counts_.lost_unread;
  }
  flags_[id] = Without(flags_[id], kPresent | kMarked | kAhead | kMapped | kYoung | kPinned);
}

bool PageCache::Lock(uint32_t file, int64_t page, bool needed) {
  // Where all is on its way, rather too much memory than none for a page that is needed.
  if (lists_ && !MakeRoom() && !needed) return false;
  const PageId id = Make(file, page);
  flags_[id] |= kLocked;
  if (lists_) lists_->Insert(id);
  return true;
}

void PageCache::Send(uint32_t file, int64_t page, bool is_ahead) {
  uint16_t& flags = flags_[Find(file, page)];
  ++counts_.fetched;
  if ((flags & kKnown) != 0) ++counts_.repeated;
  flags |= kKnown;
  if (!is_ahead) return;
  flags |= kAhead;
  counts_.peak_ahead = std::max(counts_.peak_ahead, ++counts_.ahead);
}

void PageCache::Arrive(uint32_t file, int64_t page) {
  uint16_t& flags = flags_[Find(file, page)];
  flags = static_cast<uint16_t>(Without(flags, kLocked) | kThere);
}

void PageCache::Unlock(uint32_t file, int64_t page) {
  const PageId id = Find(file, page);
  if (lists_) lists_->Remove(id);
  flags_[id] = Without(flags_[id], kPresent | kMarked | kPinned);
}

void PageCache::TouchMapped(uint32_t file, int64_t page) {
  Read(file, page, false);
  flags_[Find(file, page)] |= kMapped | kYoung;
}

void PageCache::Drop(uint32_t file, int64_t begin, int64_t end) {
  const auto drop = [&](int64_t chunk, uint32_t first) {
    const int64_t base = chunk << kChunkBits;
    for (int64_t page = std::max(begin, base); page < std::min(end, base + kChunk); ++page) {
      const PageId id = first + static_cast<uint32_t>(page - base);
      if ((flags_[id] & kThere) == 0) continue;
      if (lists_) lists_->Remove(id);
      Leave(id);
    }
  };
  const File& home = files_[file];
  for (size_t chunk = 0; chunk < home.chunks.size(); ++chunk)
    if (home.chunks[chunk] != kNoChunk) drop(static_cast<int64_t>(chunk), home.chunks[chunk]);
  for (const auto& [chunk, first] : home.far) drop(chunk, first);
}

}  // namespace ahead::sim
