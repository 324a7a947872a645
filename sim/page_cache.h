// Which pages of which files are in memory, in virtual time? The page cache of one machine, with or without a bound on
// its memory. It does not know when pages arrive: the mount (mount.h) says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/units.h"
#include "sim/page_lists.h"
#include "sim/workload.h"

namespace ahead::sim {

inline constexpr int64_t kPageBytes = 4096;

// Half-open, of one file.
struct PageRange {
  uint32_t file = 0;
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const PageRange&) const = default;
  bool Holds(uint32_t of, int64_t page) const { return file == of && begin <= page && page < end; }
};

// Returns the pages that the step's range touches, of those that the file has.
inline PageRange PagesOf(const Workload& work, const WorkStep& step) {
  const ByteRange range = Clipped(work, step);
  const int64_t begin = range.begin.value / kPageBytes;
  return {step.file, begin, range.empty() ? begin : (range.end.value - 1) / kPageBytes + 1};
}

// What came to memory and what became of it, in pages.
struct CacheCounts {
  int64_t fetched = 0;
  int64_t repeated = 0;     // of these, fetched before
  int64_t ahead = 0;        // fetched and not read yet
  int64_t peak_ahead = 0;   // the most of that
  int64_t lost_unread = 0;  // evicted or dropped before they were read
  int64_t evicted = 0;
  int64_t ahead_when_lowered = 0;  // was `ahead` whenever memory became less, together
};

// Memory: two bytes a page of each mebibyte that is touched, sixteen where memory is bounded.
// Thread safety: none.
class PageCache {
 public:
  // The least that a bounded memory has.
  static constexpr int64_t kLeastPages = 64;

  // Takes `memory`, 0: without bound.
  PageCache(const Workload& work, ByteCount memory);
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;

  // Memory has become another. REQUIRES: it was bounded, and is.
  void SetMemory(ByteCount memory);

  // Returns how many pages the file has.
  int64_t PagesOf(uint32_t file) const { return files_[file].pages; }

  // Returns the flags (page_lists.h) of a page of the file; 0 for one never heard of.
  uint16_t Flags(uint32_t file, int64_t page) const {
    const PageId id = Find(file, page);
    return id == kNoPage ? uint16_t{0} : flags_[id];
  }
  bool IsPresent(uint32_t file, int64_t page) const { return (Flags(file, page) & page::kPresent) != 0; }
  void SetFlags(uint32_t file, int64_t page, uint16_t set) { flags_[Make(file, page)] |= set; }
  void ClearFlags(uint32_t file, int64_t page, uint16_t clear) {
    const PageId id = Find(file, page);
    if (id != kNoPage) flags_[id] = static_cast<uint16_t>(flags_[id] & ~clear);
  }

  // Returns how many of the pages [begin, end) are there or on their way.
  int64_t CountPresent(uint32_t file, int64_t begin, int64_t end) const;
  // Returns the end of the pages from `begin` on that are there and not marked, or one more: the first that is on its
  // way or marked, if all before it are such. `flags` are those of the last of them. REQUIRES: `begin` is present.
  int64_t ReadyUntil(uint32_t file, int64_t begin, int64_t end, uint16_t& flags) const;

  enum class Locked : uint8_t { kYes, kWasPresent, kNoRoom };
  // Gives a page that is absent a place in memory, evicting others where it is full; kNoRoom when none can be evicted
  // and it is not `needed`.
  Locked Lock(uint32_t file, int64_t page, bool needed);
  // Pages [begin, end) that were locked: their request was sent. `is_ahead`: not for a read that waits for them.
  void Send(uint32_t file, int64_t begin, int64_t end, bool is_ahead);
  // They arrived.
  void Arrive(uint32_t file, int64_t begin, int64_t end);
  // It is not fetched after all.
  void Unlock(uint32_t file, int64_t page);
  // Pages that are there were read; `touch`: which counts for the stay in memory of the first of them, as it does of
  // the others.
  void Read(uint32_t file, int64_t begin, int64_t end, bool touch);
  // Keeps pages [begin, end) in memory until they are read, or it is full of such pages.
  void Pin(uint32_t file, int64_t begin, int64_t end) {
    for (int64_t page = begin; lists_ && page < end; ++page) flags_[Find(file, page)] |= page::kPinned;
  }
  // A page that is there was touched through a mapping.
  void TouchMapped(uint32_t file, int64_t page);
  // Takes the pages [begin, end) out of memory that are there. Cost: in proportion to what was ever touched.
  void Drop(uint32_t file, int64_t begin, int64_t end);

  // How often that was done.
  uint64_t drops() const { return drops_; }

  const CacheCounts& counts() const { return counts_; }
  struct Lost {
    uint32_t file;
    int64_t page;
  };
  // Keeps a list of pages evicted with kWanted or kAhead, to be taken away by the caller.
  void KeepLost() { keeps_lost_ = true; }
  std::vector<Lost>& lost() { return lost_; }
  // Null where memory is not bounded.
  const PageLists* lists() const { return lists_ ? &*lists_ : nullptr; }
  PageId IdOf(uint32_t file, int64_t page) const { return Find(file, page); }

 private:
  static constexpr int kChunkBits = 8;  // a mebibyte
  static constexpr int64_t kChunk = int64_t{1} << kChunkBits;
  // Chunks beyond are found by hashing: 1 TiB into a file.
  static constexpr int64_t kNearChunks = int64_t{1} << 20;

  struct File {
    int64_t pages = 0;
    std::vector<uint32_t> chunks;               // by number; kNoChunk, or from where in flags_ its pages are
    std::unordered_map<int64_t, uint32_t> far;  // chunks from kNearChunks on
  };
  static constexpr uint32_t kNoChunk = UINT32_MAX;

  PageId Find(uint32_t file, int64_t page) const {
    const std::vector<uint32_t>& chunks = files_[file].chunks;
    const auto chunk = static_cast<size_t>(page >> kChunkBits);
    if (chunk >= chunks.size()) return FindFar(file, page);
    return chunks[chunk] == kNoChunk ? kNoPage : chunks[chunk] + static_cast<uint32_t>(page & (kChunk - 1));
  }
  PageId FindFar(uint32_t file, int64_t page) const;
  // Calls `visit(id of the first, count)` for the pages [begin, end), chunk by chunk; kNoPage for those never heard of.
  template <typename Visit>
  void EachRun(uint32_t file, int64_t begin, int64_t end, Visit visit) const {
    while (begin < end) {
      const int64_t next = std::min(end, (begin | (kChunk - 1)) + 1);
      visit(Find(file, begin), next - begin);
      begin = next;
    }
  }
  PageId Make(uint32_t file, int64_t page);
  bool MakeRoom();
  void Leave(PageId id);

  std::vector<File> files_;
  std::vector<uint16_t> flags_;  // by PageId
  std::vector<Lost> homes_;      // by PageId / kChunk: whose first page that is
  int64_t limit_;                // pages; 0: none
  std::optional<PageLists> lists_;
  std::vector<PageId> evicted_;
  bool keeps_lost_ = false;
  std::vector<Lost> lost_;
  CacheCounts counts_;
  uint64_t drops_ = 0;
};

}  // namespace ahead::sim
