#include "shim/handing_on.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/descriptors.h"
#include "shim/guard.h"
#include "shim/hint.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// Advances the count; no time has the stamp of nobody's.
void CountHanding() {
  if ((handings.fetch_add(1, std::memory_order_seq_cst) & kStamps) == kStamps) handings.fetch_add(1);
}

// Marks `fd` as shared. Returns whether its description carries advice of ours.
bool Disown(int fd) {
  if (!IsInTable(fd)) return false;
  const Slot slot = SlotOf(fd);
  if (!slot.is_tracked()) {
    uint32_t expected = slot.word();
    if (slot.was_opened_here()) slots[fd].compare_exchange_strong(expected, slot.AsShared().word());
    return false;
  }
  Description& description = DescriptionOf(slot);
  description.stamp = kNobodysStamp;
  description.is_own = false;
  return description.is_hinted;
}

// In a child of vfork the numbers may mean other descriptions than in the tables, which are its parent's: there the
// advice is taken back, and the parent goes on to think that it stands, which costs a call to take it back again.
void Withdraw(int fd, bool is_owner) {
  if (is_owner) DescriptionOf(SlotOf(fd)).is_hinted = false;
  Advise(fd, POSIX_FADV_NORMAL);
}

}  // namespace

constinit std::atomic<uint32_t> handings{1};
constinit std::atomic<uint32_t> first_handing{1};
constinit std::atomic<int> highest_hinted{-1};

bool IsOfThisProcess(uint32_t stamp) noexcept {
  const uint32_t since = (stamp - first_handing.load(std::memory_order_relaxed)) & kStamps;
  return stamp != kNobodysStamp && since <= kStamps / 2;
}

void BeforeHandingOn() noexcept {
  CountHanding();
  const int highest = highest_hinted.load(std::memory_order_seq_cst);
  if (highest < 0) return;
  const ErrnoSaver errno_saver;
  const bool is_owner = runtime.IsStartedProcess();
  for (int fd = 0; fd <= highest; ++fd) {
    const Slot slot = SlotOf(fd);
    if (slot.is_tracked() && DescriptionOf(slot).is_hinted && IsInheritable(fd)) Withdraw(fd, is_owner);
  }
}

void NoteFork() noexcept {
  CountHanding();
  first_handing.store(CurrentStamp(), std::memory_order_seq_cst);
}

void NoteSent(const msghdr& message) noexcept {
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    // Kinds of sockets that pass no descriptors have not looked at what the length says.
    const auto* const end = static_cast<const unsigned char*>(message.msg_control) + message.msg_controllen;
    const auto room = static_cast<size_t>(end - reinterpret_cast<const unsigned char*>(part));
    if (part->cmsg_len < CMSG_LEN(0) || part->cmsg_len > room) return;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      WithdrawForGood(fd);
    }
  }
}

void WithdrawForGood(int fd) noexcept {
  if (!Disown(fd)) return;
  const ErrnoSaver errno_saver;
  Withdraw(fd, runtime.IsStartedProcess());
}

void NoteFlags(int fd) noexcept {
  const Slot slot = SlotOf(fd);
  const bool is_tracked = slot.is_tracked();
  if (!is_tracked && !slot.was_opened_here()) return;
  if ((is_tracked ? uint32_t{DescriptionOf(slot).stamp} : slot.stamp()) != CurrentStamp()) WithdrawForGood(fd);
}

void WithdrawAll() noexcept {
  const int highest = highest_hinted.exchange(-1);
  for (int fd = 0; fd <= highest; ++fd) WithdrawForGood(fd);
}

}  // namespace ahead
