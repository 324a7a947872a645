// Descriptors and what they stand for: fd -> open file description -> file.
//
// Each number has a slot, read by one load in every hooked call. Descriptions are what dup shares: the offset, and the
// filter that says which reads may pass unobserved. A description is made at the first read of a regular file, not at
// open: most descriptors are never read here, and numbers arrive by ways that no hook sees.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/access.h"
#include "core/filter.h"
#include "core/relaxed.h"
#include "shim/files.h"
#include "shim/pool.h"

namespace ahead {

// What is known about a number. A word without a description is one of those below, and what the host advised.
class Slot {
 public:
  static constexpr uint32_t kUnmet = 0;    // nothing
  static constexpr uint32_t kIgnored = 1;  // not a regular file, or not one to be read ahead: of no interest
  static constexpr uint32_t kLeft = 2;     // the same, but its reads are recorded
  static constexpr uint32_t kFresh = 3;    // opened by this process, and not read yet
  static constexpr uint32_t kSmall = 4;    // the same, and its first read took the whole file

  constexpr explicit Slot(uint32_t word) : word_(word) {}
  // Of a descriptor that this process opened when `stamp` was the time (handing_on.h).
  static constexpr Slot Fresh(uint32_t stamp) { return Slot(kFresh | stamp << kStampShift); }
  static constexpr Slot Of(size_t description, uint32_t generation) {
    return Slot(kTracked | (generation & kGenerations) << kIndexBits | static_cast<uint32_t>(description));
  }

  // The same, for a descriptor that is not ignored or tracked, with advice that stands.
  constexpr Slot With(HostAdvice advice) const {
    return Slot((word_ & ~kAdvices) | static_cast<uint32_t>(advice) << kKindBits);
  }
  // The same, when its first read took the whole file; when it is no longer this process's alone.
  constexpr Slot AsSmall() const { return Slot((word_ & ~kKinds) | kSmall); }
  constexpr Slot AsShared() const { return Slot(word_ & (kKinds | kAdvices)); }

  // Says whether no hook needs to look at it.
  constexpr bool is_quiet() const { return word_ == kIgnored; }
  constexpr bool is_ignored() const { return word_ == kIgnored || word_ == kLeft; }
  constexpr bool is_tracked() const { return (word_ & kTracked) != 0; }
  // REQUIRES of these four: not tracked.
  constexpr bool is_small() const { return (word_ & kKinds) == kSmall; }
  constexpr bool was_opened_here() const { return (word_ & kKinds) >= kFresh; }
  constexpr HostAdvice advice() const { return static_cast<HostAdvice>((word_ & kAdvices) >> kKindBits); }
  constexpr uint32_t stamp() const { return (word_ & ~kTracked) >> kStampShift; }
  constexpr size_t description() const { return word_ & ((1u << kIndexBits) - 1); }
  constexpr uint32_t generation() const { return word_ >> kIndexBits & kGenerations; }
  constexpr uint32_t word() const { return word_; }

  static constexpr uint32_t kIndexBits = 10;
  static constexpr uint32_t kGenerations = (1u << 20) - 1;

 private:
  static constexpr uint32_t kTracked = 1u << 31;
  static constexpr uint32_t kKindBits = 3;
  static constexpr uint32_t kKinds = (1u << kKindBits) - 1;
  static constexpr uint32_t kStampShift = 6;
  static constexpr uint32_t kAdvices = ((1u << kStampShift) - 1) & ~kKinds;
  uint32_t word_;
};

// Numbers beyond this are passed through and not watched. Not RLIMIT_NOFILE, which may be 2^30.
inline constexpr int kMaxFd = 65536;
inline constexpr size_t kDescriptions = size_t{1} << Slot::kIndexBits;

[[gnu::visibility("hidden")]] extern constinit std::atomic<uint32_t> slots[kMaxFd];

inline bool IsInTable(int fd) { return static_cast<unsigned>(fd) < static_cast<unsigned>(kMaxFd); }

// Returns what is known about `fd`, which may be any number.
inline Slot SlotOf(int fd) {
  if (!IsInTable(fd)) return Slot(Slot::kIgnored);
  // Acquire: what a slot leads to was made before.
  return Slot(slots[fd].load(std::memory_order_acquire));
}

inline constexpr int64_t kFirstLineReserve = 128;  // lines of 80 characters, and some
// The largest line_reserve of any description: what is enough for all of them.
[[gnu::visibility("hidden")]] extern constinit std::atomic<int64_t> most_line_reserve;

// An open file description. Thread safety: everything may be used without a lock, and a race costs an observation. Also
// what needs the file's lock for its sense: a thread that comes late finds the description of another file.
struct Description {
  static constexpr int64_t kUnknown = -1;

  std::atomic<int64_t> offset{kUnknown};  // where the next read without an offset of its own begins
  Filter filter;
  std::atomic<uint32_t> reads{0};  // absorbed since they were last counted
  std::atomic<uint64_t> bytes{0};
  std::atomic<HostAdvice> advice{HostAdvice::kNormal};  // standing
  Relaxed<FileRef> file;
  Relaxed<uint16_t> epoch;
  Relaxed<bool> opened_here;
  Relaxed<uint32_t> stamp;   // of when it was opened (handing_on.h)
  Relaxed<bool> is_own;      // as Access says
  Relaxed<bool> is_hinted;   // the same; a dup shares it
  Relaxed<bool> may_be_led;  // since then no stream was taken over from the kernel (issuer.cc)
  Relaxed<bool> was_read;

  // Makes it as new, while others may still be looking at what it was.
  Description& Renew() {
    offset.store(kUnknown, std::memory_order_relaxed);
    filter.Reset();
    reads.store(0, std::memory_order_relaxed);
    bytes.store(0, std::memory_order_relaxed);
    was_read = false;
    is_hinted = may_be_led = false;
    line_reserve_.store(kFirstLineReserve, std::memory_order_relaxed);
    return *this;
  }

  // How much a FILE's buffer must hold for the next line to be sure to be in it.
  int64_t line_reserve() const { return line_reserve_.load(std::memory_order_relaxed); }
  // Learns from a line of at least `length` bytes. One of twice the length of any before may be missed once.
  void NoteLine(int64_t length) {
    if (length * 3 <= line_reserve() * 2) return;
    line_reserve_.store(length * 2, std::memory_order_relaxed);
    if (length * 2 > most_line_reserve.load(std::memory_order_relaxed))
      most_line_reserve.store(length * 2, std::memory_order_relaxed);
  }

  // Counts a read that the filter let pass. A race with another reader loses a count.
  void Count(ssize_t returned) {
    reads.store(reads.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + static_cast<uint64_t>(returned), std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> line_reserve_{kFirstLineReserve};
};

// A description, and who may use it: its generation and how many descriptors share it (descriptors.cc).
struct DescriptionRoom {
  std::atomic<uint32_t> claim{0};
  Room<Description> description;
};

[[gnu::visibility("hidden")]] extern constinit DescriptionRoom descriptions[kDescriptions];

// Returns the description behind a tracked slot. It may have become another one's by now.
inline Description& DescriptionOf(Slot slot) { return *descriptions[slot.description()].description; }

// Says whether `fd` means what it meant when its slot was `seen`. If not, another thread closes it or has, and the
// number may be another file's.
inline bool IsStill(int fd, Slot seen) { return SlotOf(fd).word() == seen.word(); }

// Says whether the slot still means the description it meant when it was read.
bool IsCurrent(Slot slot) noexcept;

// Makes a description for `fd` of the file `identity`, if the slot is still `seen`. Returns the new slot, or kUnmet
// when there is no room or another thread was faster. REQUIRES: inside a Section.
Slot AddDescription(int fd, Slot seen, const FileIdentity& identity) noexcept;

// Says that the first read of `fd` takes the whole file, if the slot is still `seen`, a fresh one.
void NoteSmall(int fd, Slot seen) noexcept;

// Says that `fd` is of no interest until it is closed, if the slot is still `seen`. REQUIRES: inside a Section.
void Ignore(int fd, Slot seen) noexcept;

// The same of a regular file: whether it is recorded all the same depends on whether anything is.
void Leave(int fd, Slot seen) noexcept;

// Drops what is known about `fd`, if the slot is still `seen`. REQUIRES: inside a Section.
void Drop(int fd, Slot seen) noexcept;

// What the hooks report. Each leaves errno alone, and does nothing in a child of vfork.

// `fd`, the result of a call that opens, is a new description of this process.
void NoteOpened(int fd) noexcept;
// `fd` is about to be closed or replaced. Before the call, because after it the number may be another thread's.
void NoteClosing(int fd) noexcept;
// So are all descriptors from `first` to `last`.
void NoteClosingRange(unsigned first, unsigned last) noexcept;
// `copy`, the result of a call that duplicates, shares the description of `fd`.
void NoteDuplicated(int fd, int copy) noexcept;
// The host gave advice that stands for the description of `fd`. A program that says its reads are random is left alone,
// and looked at again when it says something else. Advice to read each page once does not take that back, as it does
// not in the kernel.
void NoteStandingAdvice(int fd, HostAdvice advice) noexcept;
// The offset of `fd` was set to `offset`; kUnknown: to somewhere.
void NoteMoved(int fd, int64_t offset) noexcept;

}  // namespace ahead
