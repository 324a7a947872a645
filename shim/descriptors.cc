#include "shim/descriptors.h"

#include "shim/handing_on.h"
#include "shim/recorder.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// What the claim of a description says: its generation and how many descriptors share it. Free: 0 of them.
// Thread safety: any thread, by compare and exchange.
class Claim {
 public:
  static constexpr uint32_t kMostSharers = 4094;
  static constexpr uint32_t kClosing = 4095;  // nobody refers to it any more, it is not cleared yet

  constexpr explicit Claim(uint32_t word) : word_(word) {}
  constexpr Claim(uint32_t generation, uint32_t sharers) : word_(generation << 12 | sharers) {}
  constexpr uint32_t generation() const { return word_ >> 12; }
  constexpr uint32_t sharers() const { return word_ & 4095; }
  constexpr uint32_t word() const { return word_; }

 private:
  uint32_t word_;
};

Claim ClaimOf(size_t index) { return Claim(descriptions[index].claim.load(std::memory_order_acquire)); }

bool Change(size_t index, Claim from, Claim to) {
  uint32_t expected = from.word();
  return descriptions[index].claim.compare_exchange_strong(expected, to.word(), std::memory_order_acq_rel);
}

// The highest number that something was ever known about. In .data, as the table of files.cc.
[[gnu::section(".data")]] constinit std::atomic<int> highest_fd{-1};

void NoteNumber(int fd) {
  int highest = highest_fd.load(std::memory_order_relaxed);
  while (fd > highest && !highest_fd.compare_exchange_weak(highest, fd, std::memory_order_relaxed)) {
  }
}

bool Replace(int fd, Slot seen, Slot by) {
  uint32_t expected = seen.word();
  NoteNumber(fd);
  return slots[fd].compare_exchange_strong(expected, by.word(), std::memory_order_acq_rel);
}

// Settles what passed the filter of a description that nobody refers to, and frees it. Leaves it for later when its
// file is busy.
void Clear(size_t index) {
  const Claim claim = ClaimOf(index);
  if (claim.sharers() != Claim::kClosing) return;
  Description& description = *descriptions[index].description;
  const FileRef ref = description.file;
  {
    LockedFile file(ref);
    if (!file) return;
    const Facts facts{.file_size = {file->size_bytes}, .page = {static_cast<int64_t>(runtime.page_bytes())}};
    recorder::Settling settling(index);
    uint64_t sequence = 0;
    if (!file.is_renewed() && description.epoch == runtime.epoch())
      file.WithSurroundings([&](const Surroundings& around) {
        sequence = recorder::Called();
        file.policy().Detach(settling.filter(), facts, around);
      });
    recorder::Closed(file, Slot::Of(index, claim.generation()), sequence, facts, settling.run());
    ProcessCounters& counters = runtime.block().counters;
    Bump(counters.reads_seen, description.reads.exchange(0, std::memory_order_relaxed));
    Bump(counters.read_bytes, description.bytes.exchange(0, std::memory_order_relaxed));
  }
  if (Change(index, claim, Claim((claim.generation() + 1) & Slot::kGenerations, 0))) ReleaseFile(ref);
}

// Takes a free description. Returns its index, or -1 when there is none.
int Allocate() {
  for (size_t index = 0; index < kDescriptions; ++index) {
    if (ClaimOf(index).sharers() == Claim::kClosing) Clear(index);
    const Claim claim = ClaimOf(index);
    if (claim.sharers() == 0 && Change(index, claim, Claim(claim.generation(), 1))) return static_cast<int>(index);
  }
  return -1;
}

// Gives back one use of the description that `slot` means. Without `may_clear` a last one is left to Allocate.
void Unshare(Slot slot, bool may_clear = true) {
  for (;;) {
    const Claim claim = ClaimOf(slot.description());
    if (claim.generation() != slot.generation() || claim.sharers() == 0 || claim.sharers() == Claim::kClosing) return;
    const bool last = claim.sharers() == 1;
    if (!Change(slot.description(), claim, Claim(claim.generation(), last ? Claim::kClosing : claim.sharers() - 1)))
      continue;
    if (last && may_clear) Clear(slot.description());
    return;
  }
}

bool Share(Slot slot) {
  for (;;) {
    const Claim claim = ClaimOf(slot.description());
    if (claim.generation() != slot.generation() || claim.sharers() == 0 || claim.sharers() >= Claim::kMostSharers)
      return false;
    if (Change(slot.description(), claim, Claim(claim.generation(), claim.sharers() + 1))) return true;
  }
}

// Returns what stands when `advice` is given: advice to read each page once does not take back that reads are random.
HostAdvice StandingAfter(HostAdvice standing, HostAdvice advice) {
  return advice == HostAdvice::kNoReuse && standing == HostAdvice::kRandom ? standing : advice;
}

// Stores a plain word; a tracked slot that is there ends first.
void Overwrite(int fd, uint32_t word) {
  recorder::ClosedUnseen(fd);
  const Slot seen(slots[fd].load(std::memory_order_relaxed));
  if (!seen.is_tracked()) {
    if (seen.word() == word) return;
    NoteNumber(fd);
    slots[fd].store(word, std::memory_order_relaxed);
    return;
  }
  const ErrnoSaver errno_saver;
  if (!runtime.OwnsTables()) return;
  if (!Replace(fd, seen, Slot(word))) return;
  const Section section;
  Unshare(seen, section.entered());
}

// Advice of length 0 stands for the description.
void RecordStandingAdvice(int fd, HostAdvice advice) {
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return;
  const Section section;
  if (section.entered()) recorder::AdvisedUnseen(fd, advice, 0, 0);
}

}  // namespace

constinit std::atomic<uint32_t> slots[kMaxFd] = {};
constinit std::atomic<int64_t> most_line_reserve{kFirstLineReserve};
constinit DescriptionRoom descriptions[kDescriptions] = {};

bool IsCurrent(Slot slot) noexcept {
  const Claim claim = ClaimOf(slot.description());
  return claim.generation() == slot.generation() && claim.sharers() != 0 && claim.sharers() != Claim::kClosing;
}

Slot AddDescription(int fd, Slot seen, const FileIdentity& identity) noexcept {
  FileRef file;
  const Acquired acquired = AcquireFile(identity, file);
  if (acquired == Acquired::kBusy) {
    Bump(runtime.block().counters.observations_dropped);
    return Slot(Slot::kUnmet);
  }
  const int index = acquired == Acquired::kYes ? Allocate() : -1;
  if (index < 0) {
    // Not to be asked again at each read: looking through a full table takes longer than most reads.
    if (acquired == Acquired::kYes) ReleaseFile(file);
    Bump(runtime.block().counters.files_untracked);
    Leave(fd, seen);
    return Slot(Slot::kUnmet);
  }
  Room<Description>& room = descriptions[index].description;
  const uint32_t generation = ClaimOf(static_cast<size_t>(index)).generation();
  // The first description in a room is the only one that nobody can be looking at yet.
  Description& description = generation == 0 ? room.Make() : room->Renew();
  description.file = file;
  description.epoch = runtime.epoch();
  description.stamp = seen.was_opened_here() ? seen.stamp() : kNobodysStamp;
  description.is_own = IsOfThisProcess(description.stamp);
  description.opened_here = seen.was_opened_here();
  description.advice.store(seen.advice(), std::memory_order_relaxed);
  const Slot made = Slot::Of(static_cast<size_t>(index), generation);
  if (Replace(fd, seen, made)) return made;
  Unshare(made);
  return Slot(Slot::kUnmet);
}

void NoteSmall(int fd, Slot seen) noexcept { Replace(fd, seen, seen.AsSmall()); }

void Ignore(int fd, Slot seen) noexcept {
  if (Replace(fd, seen, Slot(Slot::kIgnored)) && seen.is_tracked()) Unshare(seen);
}

void Leave(int fd, Slot seen) noexcept {
  const Slot left(runtime.is_recording() ? Slot::kLeft : Slot::kIgnored);
  if (Replace(fd, seen, left) && seen.is_tracked()) Unshare(seen);
}

void Drop(int fd, Slot seen) noexcept {
  if (Replace(fd, seen, Slot(Slot::kUnmet)) && seen.is_tracked()) Unshare(seen);
}

void NoteOpened(int fd) noexcept {
  if (!IsInTable(fd)) return;
  runtime.PrepareToRead();
  Overwrite(fd, Slot::Fresh(CurrentStamp()).word());
}

void NoteClosing(int fd) noexcept {
  if (IsInTable(fd)) Overwrite(fd, Slot::kUnmet);
}

void NoteClosingRange(unsigned first, unsigned last) noexcept {
  // A child of vfork closes what it was given, and its parent goes on with it.
  if (!runtime.is_on() || !runtime.IsStartedProcess()) return;
  const auto end = static_cast<unsigned>(highest_fd.load(std::memory_order_relaxed));
  for (unsigned fd = first; fd <= last && fd <= end; ++fd) NoteClosing(static_cast<int>(fd));
}

void NoteDuplicated(int fd, int copy) noexcept {
  if (!IsInTable(copy) || fd == copy) return;
  Overwrite(copy, Slot::kUnmet);
  const Slot slot = SlotOf(fd);
  if (!slot.is_tracked()) {
    // Not from a child of vfork: the number is another one's in its parent, which would not be looked at again.
    if (slot.word() != Slot::kUnmet && IsInTable(fd) && runtime.is_on() && runtime.IsStartedProcess()) {
      Overwrite(copy, slot.word());
      recorder::DuplicatedUnseen(fd, copy);
    }
    return;
  }
  // Before the section, which may ask the kernel for the stack: under a filter of the host's own nothing is asked.
  if (!runtime.is_on()) return;
  const ErrnoSaver errno_saver;
  const Section section;
  if (!section.entered() || !runtime.OwnsTables() || !Share(slot)) return;
  if (!Replace(copy, Slot(Slot::kUnmet), slot)) Unshare(slot);
}

void NoteStandingAdvice(int fd, HostAdvice advice) noexcept {
  if (!IsInTable(fd) || !runtime.is_on()) return;
  runtime.CountStandingAdvice();
  if (runtime.is_recording()) RecordStandingAdvice(fd, advice);
  const Slot slot = SlotOf(fd);
  const bool is_random = advice == HostAdvice::kRandom;
  // It has replaced what the engine gave, and is not replaced by it.
  if (slot.is_tracked()) DescriptionOf(slot).is_own = false, DescriptionOf(slot).is_hinted = false;
  if (slot.is_ignored()) {
    // Of no interest, or said to be random earlier: only other advice makes it worth another look.
    if (!is_random && advice != HostAdvice::kNoReuse) Replace(fd, slot, Slot(Slot::kUnmet).With(advice));
    return;
  }
  if (is_random) {
    const ErrnoSaver errno_saver;
    const Section section;
    if (section.entered() && (!slot.is_tracked() || runtime.OwnsTables())) Leave(fd, slot);
    return;
  }
  if (!slot.is_tracked()) {
    Replace(fd, slot, slot.With(StandingAfter(slot.advice(), advice)));
    return;
  }
  std::atomic<HostAdvice>& standing = DescriptionOf(slot).advice;
  standing.store(StandingAfter(standing.load(std::memory_order_relaxed), advice), std::memory_order_relaxed);
}

void NoteMoved(int fd, int64_t offset) noexcept {
  const Slot slot = SlotOf(fd);
  if (runtime.trace() != nullptr) recorder::Moved(fd, slot, offset);
  if (slot.is_tracked()) DescriptionOf(slot).offset.store(offset, std::memory_order_relaxed);
}

}  // namespace ahead
