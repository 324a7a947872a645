// Which page leaves memory next? The two lists of the kernel's page replacement, and what it remembers of pages that
// have left (mm/vmscan.c, mm/workingset.c of Linux 6.x, without generations and without swap):
//
// New pages enter the inactive list at its head. A second read of a page there makes it active. Memory is taken from
// the inactive list's tail; while the inactive list is the shorter one, active pages are moved back to its head, the
// oldest first. A page that comes back within a distance (pages evicted or activated since it left) no longer than the
// active list would have stayed, had the inactive list been that much longer: it becomes active at once. A page that
// was touched through a mapping since the tail last passed it stays for another round, and after a second one becomes
// active.
#pragma once

#include <cstdint>
#include <vector>

namespace ahead::sim {

// Numbers a page of a PageCache.
using PageId = uint32_t;
inline constexpr PageId kNoPage = UINT32_MAX;

// What is known of a page.
namespace page {
inline constexpr uint16_t kLocked = 1;  // on its way
inline constexpr uint16_t kThere = 2;   // has arrived
inline constexpr uint16_t kPresent = kLocked | kThere;
inline constexpr uint16_t kMarked = 4;        // reading it asks for the kernel's next window
inline constexpr uint16_t kAhead = 8;         // fetched, and not read yet
inline constexpr uint16_t kReferenced = 16;   // read once since it came or was moved
inline constexpr uint16_t kActive = 32;       // on the active list
inline constexpr uint16_t kMapped = 64;       // in a page table
inline constexpr uint16_t kYoung = 128;       // touched through it since it was last looked at
inline constexpr uint16_t kWorkingSet = 256;  // has been active
inline constexpr uint16_t kRemembered = 512;  // evicted, and it is remembered when
inline constexpr uint16_t kKnown = 1024;      // was fetched before
inline constexpr uint16_t kWanted = 2048;     // the oracle: will be read soon
inline constexpr uint16_t kPlanned = 4096;    // and stands on its list
inline constexpr uint16_t kPinned = 8192;     // a thread waits for it or for one that it reads with it
}  // namespace page

// Thread safety: none. Invariant: exactly the pages inserted and not taken out are on one of the lists.
class PageLists {
 public:
  // Takes the flags of all pages, by PageId; they outlive this.
  explicit PageLists(std::vector<uint16_t>& flags) : flags_(flags) {}

  // A page came to memory: to the active list if it is remembered to have left too early.
  void Insert(PageId page);
  // It is taken out for another reason than lack of memory, and forgotten.
  void Remove(PageId page);
  // It was read.
  void Touch(PageId page);
  // Takes up to `count` pages out of memory and appends them to `evicted`. Those on their way, or pinned, stay. The flags of an
  // evicted page are left as they were, but for kActive, kReferenced and kRemembered.
  void Reclaim(int count, std::vector<PageId>& evicted);

  int64_t size() const { return inactive_.size + active_.size; }
  int64_t active() const { return active_.size; }
  bool IsActive(PageId page) const { return (flags_[page] & page::kActive) != 0; }

 private:
  struct Node {
    PageId newer = kNoPage;
    PageId older = kNoPage;
    uint32_t left_at = 0;  // age_ when it was evicted
  };
  struct List {
    PageId head = kNoPage;
    PageId tail = kNoPage;
    int64_t size = 0;
  };

  void Push(List& list, PageId page);
  void Unlink(List& list, PageId page);
  void Activate(PageId page);
  void ShrinkActive(int count);
  List& ListOf(PageId page) { return IsActive(page) ? active_ : inactive_; }

  std::vector<uint16_t>& flags_;
  std::vector<Node> nodes_;
  List inactive_;
  List active_;
  uint32_t age_ = 0;  // pages evicted or activated so far
};

}  // namespace ahead::sim
