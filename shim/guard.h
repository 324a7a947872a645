// Who is inside our code, and what may be left behind there? A signal handler may call a hook while its thread is in
// the middle of one, may fork there, or jump out with siglongjmp and never come back. So nothing here waits: what is
// busy is left alone, what was abandoned is recognised and taken over.
#pragma once

#include <errno.h>

#include <atomic>
#include <cstdint>

namespace ahead {

// Gives errno back as it was found.
class ErrnoSaver {
 public:
  ErrnoSaver() noexcept : saved_(errno) {}
  ~ErrnoSaver() { errno = saved_; }
  ErrnoSaver(const ErrnoSaver&) = delete;
  ErrnoSaver& operator=(const ErrnoSaver&) = delete;

 private:
  const int saved_;
};

// A stretch of our own code, from construction to destruction, that a hook called from a signal handler does not enter.
// Not held across the host's call. Thread safety: belongs to the thread's stack.
class Section {
 public:
  Section() noexcept;
  ~Section();
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  // Returns false when this thread is inside another section: touch nothing.
  bool entered() const noexcept { return entered_; }

 private:
  bool IsAbandoned(const Section* open) const noexcept;

  // Tells a living frame from one that was jumped out of and written over since.
  std::atomic<uint64_t> nonce_{0};
  bool entered_ = false;
};

// A lock that is only ever tried. Its word names the thread and the epoch (runtime.h: a number per fork), so a lock
// that a fork copied, or whose section was abandoned, is known for what it is.
// REQUIRES: tried and held inside an entered Section only.
class OwnedLock {
 public:
  enum class Got : uint8_t {
    kBusy,
    kFree,
    kAbandoned,  // taken over: what it protects may be half-written
  };

  Got TryLock() noexcept;
  void Unlock() noexcept;
  // Tries for about a microsecond.
  Got SpinLock() noexcept;

 private:
  std::atomic<uint64_t> word_{0};
};

}  // namespace ahead
