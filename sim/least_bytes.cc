// The lower bound of lab.h: distinct pages, and with bounded memory those that must come again even if the page is
// evicted that is wanted again last (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer",
// IBM Systems Journal 5(2), 1966; algorithm MIN). Of a workload with several threads the order of the recording counts.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "sim/lab.h"
#include "sim/page_cache.h"

namespace ahead::sim {
namespace {

// Calls `visit(file, page)` for each page of each read, in order.
template <typename Visit>
void ForEachPage(const Workload& work, Visit visit) {
  for (const WorkStep& step : work.steps) {
    if (!Reads(step)) continue;
    const PageRange pages = PagesOf(work, step);
    for (int64_t page = pages.begin; page < pages.end; ++page) visit(pages.file, page);
  }
}

// The last page of a file may be a part of one.
int64_t BytesOf(const Workload& work, uint32_t file, int64_t page) {
  return std::min(kPageBytes, work.files[file].size.value - page * kPageBytes);
}

int64_t DistinctBytes(const Workload& work) {
  PageCache seen(work, {});
  int64_t bytes = 0;
  ForEachPage(work, [&](uint32_t file, int64_t page) {
    if ((seen.Flags(file, page) & page::kKnown) != 0) return;
    seen.SetFlags(file, page, page::kKnown);
    bytes += BytesOf(work, file, page);
  });
  return bytes;
}

struct Use {
  PageId page = 0;
  uint32_t bytes = 0;
  size_t next = SIZE_MAX;  // when the page is read again
};

std::vector<Use> Uses(const Workload& work) {
  PageCache pages(work, {});
  std::vector<Use> uses;
  std::vector<size_t> last;  // use of each page
  ForEachPage(work, [&](uint32_t file, int64_t page) {
    pages.SetFlags(file, page, page::kKnown);
    const PageId id = pages.IdOf(file, page);
    if (last.size() <= id) last.resize(size_t{id} + 1, SIZE_MAX);
    if (last[id] != SIZE_MAX) uses[last[id]].next = uses.size();
    last[id] = uses.size();
    uses.push_back({id, static_cast<uint32_t>(BytesOf(work, file, page)), SIZE_MAX});
  });
  return uses;
}

int64_t MinBytes(const std::vector<Use>& uses, size_t room) {
  std::set<std::pair<size_t, PageId>> kept;  // by when they are read again
  int64_t bytes = 0;
  for (size_t now = 0; now < uses.size(); ++now) {
    const Use& use = uses[now];
    const auto found = kept.find({now, use.page});
    if (found != kept.end()) {
      kept.erase(found);
    } else {
      bytes += use.bytes;
      if (kept.size() == room) kept.erase(std::prev(kept.end()));
    }
    kept.insert({use.next, use.page});
  }
  return bytes;
}

}  // namespace

ByteCount LeastBytes(const Workload& work, ByteCount memory) {
  if (memory.value <= 0) return {DistinctBytes(work)};
  return {
      MinBytes(Uses(work), static_cast<size_t>(std::max<int64_t>(PageCache::kLeastPages, memory.value / kPageBytes)))};
}

}  // namespace ahead::sim
