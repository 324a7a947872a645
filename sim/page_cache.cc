#include "sim/page_cache.h"

#include <algorithm>
#include <span>

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

void PageCache::SetMemory(ByteCount memory) {
  const int64_t before = limit_;
  limit_ = std::max(memory.value / kPageBytes, kLeastPages);
  if (limit_ < before) counts_.ahead_when_lowered += counts_.ahead;
  // One more than asked for: what is on its way stays.
  if (lists_->size() > limit_) MakeRoom();
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

int64_t PageCache::CountPresent(uint32_t file, int64_t begin, int64_t end) const {
  int64_t present = 0;
  EachRun(file, begin, end, [&](PageId first, int64_t count) {
    if (first == kNoPage) return;
    for (const uint16_t flags : std::span(flags_).subspan(first, static_cast<size_t>(count)))
      present += (flags & kPresent) != 0 ? 1 : 0;
  });
  return present;
}

int64_t PageCache::ReadyUntil(uint32_t file, int64_t begin, int64_t end, uint16_t& flags) const {
  int64_t page = begin;
  while (page < end) {
    const PageId first = Find(file, page);
    if (first == kNoPage) break;
    const int64_t next = std::min(end, (page | (kChunk - 1)) + 1);
    for (PageId id = first; page < next; ++id) {
      if ((flags_[id] & kPresent) == 0) return page;
      flags = flags_[id];
      ++page;
      if ((flags & (kThere | kMarked)) != kThere) return page;
    }
  }
  return page;
}

PageCache::Locked PageCache::Lock(uint32_t file, int64_t page, bool needed) {
  PageId id = Find(file, page);
  if (id != kNoPage && (flags_[id] & kPresent) != 0) return Locked::kWasPresent;
  // Where all is on its way, rather too much memory than none for a page that is needed.
  if (lists_ && !MakeRoom() && !needed) return Locked::kNoRoom;
  if (id == kNoPage) id = Make(file, page);
  flags_[id] |= kLocked;
  if (lists_) lists_->Insert(id);
  return Locked::kYes;
}

void PageCache::Send(uint32_t file, int64_t begin, int64_t end, bool is_ahead) {
  if (begin >= end) return;
  const auto set = static_cast<uint16_t>(is_ahead ? kKnown | kAhead : kKnown);
  EachRun(file, begin, end, [&](PageId first, int64_t count) {
    for (uint16_t& flags : std::span(flags_).subspan(first, static_cast<size_t>(count))) {
      counts_.repeated += (flags & kKnown) != 0 ? 1 : 0;
      flags |= set;
    }
  });
  counts_.fetched += end - begin;
  if (is_ahead) counts_.ahead += end - begin;
  counts_.peak_ahead = std::max(counts_.peak_ahead, counts_.ahead);
}

void PageCache::Arrive(uint32_t file, int64_t begin, int64_t end) {
  EachRun(file, begin, end, [&](PageId first, int64_t count) {
    for (uint16_t& flags : std::span(flags_).subspan(first, static_cast<size_t>(count)))
      flags = static_cast<uint16_t>(Without(flags, kLocked) | kThere);
  });
}

void PageCache::Read(uint32_t file, int64_t begin, int64_t end, bool touch) {
  EachRun(file, begin, end, [&](PageId first, int64_t count) {
    for (PageId id = first; id < first + static_cast<PageId>(count); ++id) {
      uint16_t& flags = flags_[id];
      counts_.ahead -= (flags & kAhead) != 0 ? 1 : 0;
      flags = Without(flags, kAhead | kWanted | kPinned);
      if (lists_ && touch) lists_->Touch(id);
      touch = true;
    }
  });
}

void PageCache::Unlock(uint32_t file, int64_t page) {
  const PageId id = Find(file, page);
  if (lists_) lists_->Remove(id);
  flags_[id] = Without(flags_[id], kPresent | kMarked | kPinned);
}

void PageCache::TouchMapped(uint32_t file, int64_t page) {
  Read(file, page, page + 1, false);
  flags_[Find(file, page)] |= kMapped | kYoung;
}

void PageCache::Drop(uint32_t file, int64_t begin, int64_t end) {
  ++drops_;
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
