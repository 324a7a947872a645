#include "shim/guard.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/runtime.h"

namespace ahead {
namespace {

// The thread's open section. Its address names the thread, too: no two living threads of a process share it, and the
// thread that goes on in a child of fork keeps it.
constinit thread_local std::atomic<Section*> open_section{nullptr};

constexpr uint64_t kNonce = 0x9e3779b97f4a7c15;
// Stack frames further apart than this are taken to lie on different stacks.
constexpr uintptr_t kOneStack = 1 << 20;
// About a microsecond: a lock that is not free again by then is held across a system call, or its owner was preempted.
constexpr int kLooks = 500;

uintptr_t Address(const volatile void* of) { return reinterpret_cast<uintptr_t>(of); }

// Where the thread's last section lay: on the same stack nothing needs to be asked.
constinit thread_local uintptr_t last_place = 0;

// What a section needs of a stack, with some to spare (measured with -fstack-usage: 1.8 KiB).
constexpr uintptr_t kRoom = 4096;

bool IsOnSignalStack(stack_t& stack) {
  return syscall(SYS_sigaltstack, nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

// A handler's stack may be just large enough for what the handler itself does.
bool HasRoom(uintptr_t place) {
  const ErrnoSaver errno_saver;
  stack_t stack;
  return !IsOnSignalStack(stack) || place - Address(stack.ss_sp) >= kRoom;
}

// A coroutine's stack may be gone with the section that was on it.
bool IsMapped(const Section* section) {
  const uintptr_t page = runtime.page_bytes();
  unsigned char residency[2];
  return syscall(SYS_mincore, Address(section) & ~(page - 1), 1, residency) == 0;
}

uint64_t MyWord() { return (Address(&open_section) & 0xffff'ffff'ffff) | uint64_t{runtime.epoch()} << 48; }

}  // namespace

Section::Section() noexcept {
  Section* open = open_section.load(std::memory_order_relaxed);
  if (open != nullptr && !IsAbandoned(open)) return;
  const uintptr_t place = Address(this);
  if (place - last_place + kRoom > 2 * kRoom) {
    if (!HasRoom(place)) return;
    last_place = place;
  }
  nonce_.store(kNonce ^ Address(this), std::memory_order_relaxed);
  entered_ = true;
  open_section.store(this, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

Section::~Section() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!entered_) return;
  open_section.store(nullptr, std::memory_order_relaxed);
  nonce_.store(0, std::memory_order_relaxed);
}

// Says whether the frame of `open` is gone. A live section is either further up this stack, or on another stack: a
// signal handler's own, or that of a coroutine, whose handler is then the only way to get here.
bool Section::IsAbandoned(const Section* open) const noexcept {
  if (open == this) return true;
  const ErrnoSaver errno_saver;
  if (stack_t stack; IsOnSignalStack(stack)) return false;
  if (Address(open) < Address(this)) return Address(this) - Address(open) < kOneStack;
  return IsMapped(open) && open->nonce_.load(std::memory_order_relaxed) != (kNonce ^ Address(open));
}

OwnedLock::Got OwnedLock::TryLock() noexcept {
  const uint64_t mine = MyWord();
  uint64_t seen = word_.load(std::memory_order_relaxed);
  // Ours and yet not in a section: abandoned. Of another epoch: copied by fork from a thread that is not here.
  const bool is_stale = seen == mine || seen >> 48 != mine >> 48;
  if (seen != 0 && !is_stale) return Got::kBusy;
  if (!word_.compare_exchange_strong(seen, mine, std::memory_order_acquire, std::memory_order_relaxed))
    return Got::kBusy;
  return seen == 0 ? Got::kFree : Got::kAbandoned;
}

OwnedLock::Got OwnedLock::SpinLock() noexcept {
  for (int look = 0; look < kLooks; ++look) {
    const Got got = TryLock();
    if (got != Got::kBusy) return got;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  return Got::kBusy;
}

// Only what is still ours: another thread may have taken it over from a section that it thought abandoned.
void OwnedLock::Unlock() noexcept {
  uint64_t mine = MyWord();
  word_.compare_exchange_strong(mine, 0, std::memory_order_release, std::memory_order_relaxed);
}

}  // namespace ahead
