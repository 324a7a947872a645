#include "shim/hint.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/handing_on.h"

namespace ahead {
namespace {

void NoteHinted(int fd) {
  int highest = highest_hinted.load(std::memory_order_relaxed);
  while (fd > highest && !highest_hinted.compare_exchange_weak(highest, fd, std::memory_order_seq_cst)) {
  }
}

}  // namespace

bool Advise(int fd, int advice) noexcept { return syscall(SYS_fadvise64, fd, off_t{0}, off_t{0}, advice) == 0; }

bool IsInheritable(int fd) noexcept { return (syscall(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC) == 0; }

void Heed(int fd, const LockedFile& file, Slot slot, Decision::Hint hint) noexcept {
  if (!IsStill(fd, slot)) return;
  Description& description = DescriptionOf(slot);
  const auto take_back = [&] {
    description.is_hinted = false;
    Advise(fd, POSIX_FADV_NORMAL);
  };
  if (hint == Decision::Hint::kNormal) return take_back();
  const uint32_t now = CurrentStamp();
  const auto may_be_shared = [&] {
    return !IsOfThisProcess(description.stamp) || (description.stamp != CurrentStamp() && IsInheritable(fd));
  };
  if (may_be_shared()) {
    description.is_own = false;
    return;
  }
  // Before the call: who hands it on from here on finds it, or is found below.
  description.is_hinted = description.may_be_led = true;
  NoteHinted(fd);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!Advise(fd, POSIX_FADV_RANDOM)) {
    description.is_hinted = false;
    file->refuses_hints = IsStill(fd, slot);
  } else if (!IsStill(fd, slot)) {
    take_back();
  } else if (CurrentStamp() != now && may_be_shared()) {
    description.is_own = false;
    take_back();
  }
}

}  // namespace ahead
