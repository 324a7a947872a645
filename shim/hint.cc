#include "shim/hint.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/guard.h"

namespace ahead {
namespace {

bool Advise(int fd, int advice) { return syscall(SYS_fadvise64, fd, off_t{0}, off_t{0}, advice) == 0; }

bool IsInheritable(int fd) { return (syscall(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC) == 0; }

void NoteHinted(int fd) {
  int highest = highest_hinted.load(std::memory_order_relaxed);
  while (fd > highest && !highest_hinted.compare_exchange_weak(highest, fd, std::memory_order_relaxed)) {
  }
}

}  // namespace

constinit std::atomic<int> highest_hinted{-1};

void Heed(int fd, const LockedFile& file, Slot slot, Decision::Hint hint) noexcept {
  Description& description = DescriptionOf(slot);
  if (hint == Decision::Hint::kNormal) {
    description.is_hinted = false;
    Advise(fd, POSIX_FADV_NORMAL);
    return;
  }
  if (IsInheritable(fd)) {
    description.is_own = false;
    return;
  }
  NoteHinted(fd);
  description.is_hinted = Advise(fd, POSIX_FADV_RANDOM);
  if (!description.is_hinted) file->refuses_hints = true;
}

void WithdrawForGood(int fd) noexcept {
  if (highest_hinted.load(std::memory_order_relaxed) < 0) return;
  const Slot slot = SlotOf(fd);
  if (!slot.is_tracked()) return;
  Description& description = DescriptionOf(slot);
  description.is_own = false;
  if (!description.is_hinted) return;
  const ErrnoSaver errno_saver;
  description.is_hinted = false;
  Advise(fd, POSIX_FADV_NORMAL);
}

void WithdrawAll() noexcept {
  const int highest = highest_hinted.load(std::memory_order_relaxed);
  for (int fd = 0; fd <= highest; ++fd) WithdrawForGood(fd);
}

}  // namespace ahead
