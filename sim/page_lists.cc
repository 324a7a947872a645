#include "sim/page_lists.h"

#include <algorithm>
#include <cmath>

namespace ahead::sim {
namespace {

using namespace page;

// What is moved from the active list at a time (SWAP_CLUSTER_MAX).
constexpr int kCluster = 32;

// How many times the inactive list the active one may be: 1 below a GiB, then the root of ten times the GiB.
int64_t MostActivePerInactive(int64_t pages) {
  const int64_t gib = pages >> 18;
  return gib > 0 ? static_cast<int64_t>(std::sqrt(static_cast<double>(10 * gib))) : 1;
}

}  // namespace

void PageLists::Push(List& list, PageId page) {
  Node& node = nodes_[page];
  node.newer = kNoPage;
  node.older = list.head;
  if (list.head != kNoPage) nodes_[list.head].newer = page;
  list.head = page;
  if (list.tail == kNoPage) list.tail = page;
  ++list.size;
}

void PageLists::Unlink(List& list, PageId page) {
  const Node& node = nodes_[page];
  (node.newer != kNoPage ? nodes_[node.newer].older : list.head) = node.older;
  (node.older != kNoPage ? nodes_[node.older].newer : list.tail) = node.newer;
  --list.size;
}

void PageLists::Insert(PageId page) {
  if (nodes_.size() <= page) nodes_.resize(std::max<size_t>(flags_.size(), size_t{page} + 1));
  uint16_t& flags = flags_[page];
  bool returns_early = false;
  if ((flags & kRemembered) != 0) {
    returns_early = age_ - nodes_[page].left_at <= static_cast<uint64_t>(active_.size);
    flags = static_cast<uint16_t>(flags & ~kRemembered);
  }
  if (returns_early) {
    flags |= kActive;
    ++age_;
  }
  Push(returns_early ? active_ : inactive_, page);
}

void PageLists::Remove(PageId page) {
  Unlink(ListOf(page), page);
  flags_[page] = static_cast<uint16_t>(flags_[page] & ~(kActive | kReferenced | kWorkingSet));
}

void PageLists::Touch(PageId page) {
  uint16_t& flags = flags_[page];
  if ((flags & kReferenced) == 0) {
    flags |= kReferenced;
  } else if ((flags & kActive) == 0) {
    Unlink(inactive_, page);
    Activate(page);
  }
}

// The page is on no list.
void PageLists::Activate(PageId page) {
  flags_[page] = static_cast<uint16_t>((flags_[page] & ~kReferenced) | kActive);
  ++age_;
  Push(active_, page);
}

void PageLists::ShrinkActive(int count) {
  for (; count > 0 && active_.tail != kNoPage; --count) {
    const PageId page = active_.tail;
    Unlink(active_, page);
    // Touches through a mapping are forgotten, reads are not.
    flags_[page] = static_cast<uint16_t>((flags_[page] & ~(kActive | kYoung)) | kWorkingSet);
    Push(inactive_, page);
  }
}

void PageLists::Reclaim(int count, std::vector<PageId>& evicted) {
  if (inactive_.size * MostActivePerInactive(size()) < active_.size) ShrinkActive(kCluster);
  // Once through what may all be on its way, then once more through what was active until now.
  for (int pass = 0; pass < 2 && count > 0; ++pass) {
    for (int64_t left = inactive_.size; left > 0 && count > 0; --left) {
      const PageId page = inactive_.tail;
      uint16_t& flags = flags_[page];
      Unlink(inactive_, page);
      if ((flags & (kLocked | kPinned)) != 0) {
        Push(inactive_, page);
      } else if ((flags & kYoung) != 0) {
        const bool is_second = (flags & kReferenced) != 0;
        flags = static_cast<uint16_t>((flags & ~kYoung) | kReferenced);
        is_second ? Activate(page) : Push(inactive_, page);
      } else {
        flags = static_cast<uint16_t>((flags & ~kReferenced) | kRemembered);
        nodes_[page].left_at = age_++;
        evicted.push_back(page);
        --count;
      }
    }
    if (!evicted.empty()) return;
    ShrinkActive(kCluster);
  }
}

}  // namespace ahead::sim
