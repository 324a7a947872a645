// What goes from a page cache to a device, and when? A mount as FUSE's: at most so many requests are at the device, one
// more blocks whoever makes it; and what the kernel reads ahead asynchronously is dropped, silently, once three
// quarters of them are there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.h"
#include "sim/devices/device.h"
#include "sim/kernel_readahead.h"
#include "sim/lab.h"
#include "sim/page_cache.h"
#include "sim/workload.h"

namespace ahead::sim {

// Absent pages in a row that have a place in memory and are to be fetched.
struct Fetch {
  PageRange pages;
  PageRange read;                // what the read under way wants: not fetched ahead of it
  ReaderState* state = nullptr;  // of the description; null: never dropped
};

// Thread safety: none.
class Mount {
 public:
  Mount(const Workload& work, const LabDevice& device);
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  PageCache& cache() { return cache_; }
  const PageCache& cache() const { return cache_; }
  const ReadaheadLimits& limits() const { return limits_; }

  // Gives the absent pages of `order` places in memory, marks the one to be marked, and appends their runs to
  // `fetches`, as `like` but for the pages; up to one for which there is no memory, unless a read waits for just that.
  // Returns how many pages there are.
  int64_t Lock(uint32_t file, const PageOrder& order, const Fetch& like, std::vector<Fetch>& fetches);

  // Sends what fits of fetches[first, ...) at `now`, in order, and moves `first` on. Returns whether all was sent or
  // dropped; what was dropped is appended to dropped().
  bool Send(Nanos now, std::vector<Fetch>& fetches, size_t& first);
  std::vector<PageRange>& dropped() { return dropped_; }

  bool is_full() const { return in_flight_ >= most_in_flight_; }
  // When the next answer comes; kNever when nothing is at the device.
  Nanos next_answer() const { return next_answer_; }
  // Takes it: the pages are there. REQUIRES: next_answer() < kNever.
  PageRange TakeAnswer();

  int64_t requests() const { return requests_; }
  ByteCount bytes() const { return bytes_; }
  // Appends to `log` for how long nothing was at the device, each time when that is over.
  void LogIdleTo(std::vector<Nanos>* log) { idle_log_ = log; }
  Nanos idle_since() const { return idle_since_; }  // where nothing is at the device
  // Appends all requests to `log` from now on.
  void LogTo(std::vector<PageRange>* log) { log_ = log; }

 private:
  bool Drops(const Fetch& fetch) const;
  void Drop(Fetch& fetch);
  void SendOne(Nanos now, PageRange pages, const PageRange& read);

  const Workload& work_;
  PageCache cache_;
  Device device_;
  ReadaheadLimits limits_;
  int64_t max_request_;  // pages
  int32_t most_in_flight_;
  bool drops_silently_;
  int32_t in_flight_ = 0;
  Nanos next_answer_ = kNever;
  std::vector<PageRange> sent_;  // by number
  std::vector<uint32_t> free_;   // numbers
  std::vector<PageRange> dropped_;
  std::vector<MemoryStep> steps_;
  size_t next_step_ = 0;
  int64_t requests_ = 0;
  ByteCount bytes_;
  std::vector<PageRange>* log_ = nullptr;
  std::vector<Nanos>* idle_log_ = nullptr;
  Nanos idle_since_;  // where nothing is in flight
};

}  // namespace ahead::sim
