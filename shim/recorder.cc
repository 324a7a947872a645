#include "shim/recorder.h"

#include <errno.h>
#include <fcntl.h>

#include <atomic>
#include <iterator>

#include "shim/advice.h"
#include "shim/facts.h"
#include "shim/pool.h"

namespace ahead::recorder {
namespace {

// Zero bytes are a closed filter.
constinit Room<Filter> filters[kDescriptions] = {};

// The number in the trace of what is open under a descriptor that has no description; 0: none yet. A description's is
// the word of its slot, which is above these.
constinit std::atomic<uint32_t> numbers[kMaxFd] = {};
// Several descriptors have the number: the end of one is not the end of what is open.
constexpr uint32_t kIsShared = 1u << 30;

// The slot of each description that was recorded last.
constinit std::atomic<uint32_t> opened_slots[kDescriptions] = {};

// The same of folders. Those under higher numbers than these are not recorded.
constinit std::atomic<TraceId> folders[256] = {};

// Records the file that `facts` is about under a number of its own, which is returned.
TraceId RecordFile(int fd, const FileIdentity& identity, ByteCount size, uint32_t mount, Nanos now) {
  TraceFileFacts found;
  found.number = NextTraceId(runtime.trace());
  found.device = identity.device;
  found.inode = identity.inode;
  found.size = size;
  found.mount = mount;
  return TraceFile(runtime.trace(), fd, found, now) ? found.number : kNoTraceId;
}

// Returns the file's number, recording the file if it has none yet.
TraceId NumberOf(int fd, LockedFile& file, Nanos now) noexcept {
  if (file->trace != kNoTraceId) return file->trace;
  return file->trace = RecordFile(fd, file.identity(), {file->size_bytes}, file->mount, now);
}

// Records that the description of `slot` was opened, unless that is recorded already.
void Introduce(Slot slot, TraceId file, Nanos now) {
  if (opened_slots[slot.description()].exchange(slot.word(), std::memory_order_relaxed) == slot.word()) return;
  TraceEventFacts open;
  open.kind = TraceKind::kOpen;
  open.description = slot.word();
  open.file = file;
  open.opened_here = DescriptionOf(slot).opened_here;
  TraceEvent(runtime.trace(), open, now);
}

bool IsIntroduced(Slot slot) { return opened_slots[slot.description()].load(std::memory_order_relaxed) == slot.word(); }

// Returns the number of a description without its file's lock, which others may hold from its first read to its last;
// 0 when there is no file any more.
uint32_t NumberOfTracked(int fd, Slot slot) {
  if (IsIntroduced(slot)) return slot.word();
  DescriptorFacts facts;
  if (!LookAt(fd, facts) || !facts.is_regular) return 0;
  const Nanos now = Now();
  const TraceId file = RecordFile(fd, facts.identity, facts.size, 0, now);
  if (file == kNoTraceId) return 0;
  Introduce(slot, file, now);
  return slot.word();
}

// Returns the number of what is open as `fd`, which is not watched, recording it if it has none yet. 0 when that is no
// file.
uint32_t NumberOfUnseen(int fd) noexcept {
  if (!IsInTable(fd)) return 0;
  const Slot slot = SlotOf(fd);
  if (slot.is_tracked()) return NumberOfTracked(fd, slot);
  if (const uint32_t known = numbers[fd].load(std::memory_order_relaxed); known != 0) return known & ~kIsShared;
  DescriptorFacts facts;
  if (!LookAt(fd, facts)) return 0;
  if (!facts.is_regular) {
    if (slot.is_ignored()) Ignore(fd, slot);
    return 0;
  }
  // Files of procfs and their like; what they give is on no disk.
  if (facts.size.value == 0) return 0;
  Trace* const trace = runtime.trace();
  const Nanos now = Now();
  TraceEventFacts open;
  open.kind = TraceKind::kOpen;
  open.file = RecordFile(fd, facts.identity, facts.size, 0, now);
  if (open.file == kNoTraceId) return 0;
  open.description = NextTraceId(trace);
  open.opened_here = !slot.is_ignored() && slot.was_opened_here();
  TraceEvent(trace, open, now);
  numbers[fd].store(open.description, std::memory_order_relaxed);
  return open.description;
}

// What concerns a range of a file, and no description.
void RecordRange(TraceKind kind, TraceId file, int64_t offset, int64_t length) {
  if (file == kNoTraceId || runtime.trace() == nullptr) return;
  TraceEventFacts event;
  event.kind = kind;
  event.file = file;
  event.offset = offset;
  event.length = length;
  TraceEvent(runtime.trace(), event, Now());
}

// Says whether this process may record, beginning to if it is to and does not yet. Cost without a trace: a load.
bool MayRecord() { return runtime.is_recording() && runtime.OwnsTablesSoon() && runtime.trace() != nullptr; }

// Says whether what this thread appends is this process's: the writer of a child of fork that was not met yet would go
// on in its parent's chunk. Meets it. Cost: a load. Keeps errno.
bool MayAppend() {
  if (runtime.StillOwnsTables() && runtime.TellsForks()) return true;
  const ErrnoSaver errno_saver;
  return runtime.OwnsTablesSoon();
}

bool MayRecordFolder(int fd) { return fd >= 0 && static_cast<size_t>(fd) < std::size(folders) && MayRecord(); }

}  // namespace

bool Passage::Begin(int fd, int64_t offset, int64_t count, TraceAccessKind kind) noexcept {
  // A child of fork is met now instead of at its next decision, which makes no difference to that. One of vfork reads
  // in its parent's name, which waits for it.
  is_ours_ = MayAppend();
  slot_ = SlotOf(fd);
  moves_offset_ = offset == kAtOffset;
  if (slot_.is_tracked()) {
    const Description& description = DescriptionOf(slot_);
    read_.offset = moves_offset_ ? description.offset.load(std::memory_order_relaxed) : offset;
    if (!filters[slot_.description()]->Passes({read_.offset}, {count})) return false;
    read_.description = slot_.word();
    read_.advice = description.advice.load(std::memory_order_relaxed);
  } else {
    const uint32_t number = slot_.is_ignored() && IsInTable(fd) ? numbers[fd].load(std::memory_order_relaxed) : 0;
    if (number == 0) return false;
    read_.offset = offset;
    read_.description = number & ~kIsShared;
    read_.is_unseen = true;
  }
  fd_ = fd;
  read_.kind = kind;
  read_.asked = count;
  read_.begin_ticks = TraceTicks(*runtime.trace());
  return true;
}

void Passage::End(int64_t returned) noexcept {
  Trace* const trace = runtime.trace();
  read_.end_ticks = TraceTicks(*trace);
  read_.returned = returned;
  if (!read_.is_unseen) {
    if (returned < 0) filters[slot_.description()]->Absorb({}, {returned});
    if (returned > 0) {
      Description& description = DescriptionOf(slot_);
      filters[slot_.description()]->Absorb({read_.offset}, {returned});
      description.Count(returned);
      if (moves_offset_ && read_.offset >= 0)
        description.offset.store(read_.offset + returned, std::memory_order_relaxed);
    } else if (read_.kind == TraceAccessKind::kStdio) {
      return;  // nothing was fetched
    }
  }
  // Nor is it in a child of fork that a signal handler made in the call.
  if (!is_ours_ || !runtime.StillOwnsTables()) return;
  const ErrnoSaver errno_saver;
  if (read_.is_unseen && moves_offset_) {
    const int64_t end = OffsetOf(fd_);
    read_.offset = end - (returned > 0 ? returned : 0);
    if (end < 0 || read_.offset < 0) return;
  }
  if (read_.offset >= 0) TraceRead(trace, read_);
}

Filter& FilterOf(size_t description) noexcept {
  return runtime.trace() != nullptr ? *filters[description] : descriptions[description].description->filter;
}

Filter& Settling::filter() noexcept {
  if (runtime.trace() == nullptr) return FilterOf(description_);
  run_ = FilterOf(description_).Settle();
  Filter& copy = copy_.Make();
  copy.Restore(run_);
  return copy;
}

void Planned(int fd, LockedFile& file, const Observation& observation, TraceAccessKind kind, const Access& access,
             const Filter::Run& run) noexcept {
  Trace* const trace = runtime.trace();
  if (trace == nullptr) return;
  TracePlanFacts plan;
  plan.file = NumberOf(fd, file, access.time);
  plan.description = observation.slot.word();
  Introduce(observation.slot, plan.file, access.time);
  plan.sequence = observation.plan;
  plan.kind = kind;
  plan.access = access;
  plan.run = run;
  plan.decision = observation.decision;
  TracePlan(trace, plan, observation.facts);
}

void Issued(uint64_t sequence, uint64_t plan, int32_t first, int32_t count, const PieceOutcome* outcomes,
            const Nanos* asked_at) noexcept {
  if (sequence != 0) TraceIssued(runtime.trace(), sequence, plan, first, count, outcomes, asked_at);
}

void Finished(uint64_t sequence, const Observation& observation, const Completion& completion, int error) noexcept {
  if (observation.plan != 0) TraceFinish(runtime.trace(), sequence, observation.plan, completion, error);
}

void Unseen(Observation& observation, int fd, int64_t offset, int64_t count) noexcept {
  if (!MayRecord()) return;
  observation.unseen = NumberOfUnseen(fd);
  if (observation.unseen == 0) return;
  observation.unseen_offset = offset;
  observation.unseen_fd = fd;
  observation.asked = count;
  observation.begin_ticks = TraceTicks(*runtime.trace());
}

void EndUnseen(const Observation& observation, int64_t returned) noexcept {
  Trace* const trace = runtime.trace();
  TraceReadFacts read;
  read.end_ticks = TraceTicks(*trace);
  read.begin_ticks = observation.begin_ticks;
  read.description = observation.unseen;
  read.is_unseen = true;
  read.asked = observation.asked;
  read.returned = returned;
  read.offset = observation.unseen_offset;
  read.kind = observation.is_transfer    ? TraceAccessKind::kTransfer
              : read.offset == kAtOffset ? TraceAccessKind::kRead
                                         : TraceAccessKind::kPread;
  if (read.offset == kAtOffset) read.offset = OffsetOf(observation.unseen_fd) - (returned > 0 ? returned : 0);
  if (read.offset >= 0) TraceRead(trace, read);
}

void UnseenAfterTheFact(int fd, int64_t returned, uint64_t begin_ticks) noexcept {
  if (!MayRecord()) return;
  TraceReadFacts read;
  read.description = NumberOfUnseen(fd);
  read.end_ticks = TraceTicks(*runtime.trace());
  read.begin_ticks = begin_ticks != 0 ? begin_ticks : read.end_ticks;
  read.is_unseen = true;
  read.kind = TraceAccessKind::kStdio;
  read.asked = read.returned = returned;
  read.offset = OffsetOf(fd) - returned;
  if (read.description != 0 && read.offset >= 0) TraceRead(runtime.trace(), read);
}

TraceId Mapped(int fd, LockedFile& file, ByteRange range, const Facts& facts, const Decision& decision, Nanos now,
               uint64_t sequence) noexcept {
  Trace* const trace = runtime.trace();
  if (trace == nullptr) return kNoTraceId;
  TraceEventFacts event;
  event.kind = TraceKind::kMapping;
  event.file = NumberOf(fd, file, now);
  event.offset = range.begin.value;
  event.length = range.size().value;
  TraceEvent(trace, event, now);
  if (sequence == 0) return event.file;
  TracePlanFacts plan;
  plan.sequence = sequence;
  plan.file = event.file;
  plan.kind = TraceAccessKind::kMapped;
  plan.access = {range, now, false};
  plan.decision = decision;
  TracePlan(trace, plan, facts);
  return event.file;
}

TraceId MappedUnseen(int fd, int64_t offset, int64_t length) noexcept {
  DescriptorFacts facts;
  if (!MayRecord() || !LookAt(fd, facts) || !facts.is_regular || offset < 0) return kNoTraceId;
  const TraceId file = RecordFile(fd, facts.identity, facts.size, 0, Now());
  RecordRange(TraceKind::kMapping, file, offset, length);
  return file;
}

void Unmapped(TraceId file, int64_t offset, int64_t length) noexcept {
  RecordRange(TraceKind::kUnmapping, file, offset, length);
}

void MappedAgain(TraceId file, int64_t offset, int64_t length) noexcept {
  RecordRange(TraceKind::kMapping, file, offset, length);
}

void Advised(uint64_t sequence, int fd, LockedFile& file, HostAdvice advice, ByteRange range,
             const Facts& facts) noexcept {
  if (runtime.trace() == nullptr) return;
  const Nanos now = Now();
  TraceEventFacts event;
  event.kind = TraceKind::kAdvice;
  event.file = NumberOf(fd, file, now);
  if (event.file == kNoTraceId) return;
  if (fd >= 0 && SlotOf(fd).is_tracked()) event.description = SlotOf(fd).word();
  event.advice = static_cast<uint32_t>(FileAdviceNumber(advice));
  event.sequence = sequence;
  event.offset = range.begin.value;
  event.length = range.size().value;
  TraceEvent(runtime.trace(), event, now, sequence != 0 ? &facts : nullptr);
}

void AdvisedUnseen(int fd, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  if (offset < 0 || length < 0 || length > INT64_MAX - offset || !MayRecord()) return;
  TraceEventFacts event;
  event.kind = TraceKind::kAdvice;
  event.description = NumberOfUnseen(fd);
  event.advice = static_cast<uint32_t>(FileAdviceNumber(advice));
  event.offset = offset;
  event.length = length;
  if (event.description != 0) TraceEvent(runtime.trace(), event, Now());
}

void AdvisedUnseen(TraceId file, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  if (file == kNoTraceId || runtime.trace() == nullptr) return;
  TraceEventFacts event;
  event.kind = TraceKind::kAdvice;
  event.file = file;
  event.advice = static_cast<uint32_t>(FileAdviceNumber(advice));
  event.offset = offset;
  event.length = length;
  TraceEvent(runtime.trace(), event, Now());
}

void Moved(int fd, Slot slot, int64_t offset) noexcept {
  if (offset < 0 || !IsInTable(fd) || !runtime.is_on() || !MayAppend()) return;
  TraceEventFacts event;
  event.kind = TraceKind::kSeek;
  event.description = slot.is_tracked() ? slot.word() : numbers[fd].load(std::memory_order_relaxed) & ~kIsShared;
  event.offset = offset;
  const ErrnoSaver errno_saver;
  if (event.description != 0) TraceEvent(runtime.trace(), event, Now());
}

void Folder(int fd) noexcept {
  DescriptorFacts facts;
  if (!MayRecordFolder(fd) || !LookAt(fd, facts)) return;
  folders[fd].store(RecordFile(fd, facts.identity, facts.size, 0, Now()) + 1, std::memory_order_relaxed);
}

void Entry(int fd, uint64_t inode) noexcept {
  if (!MayRecordFolder(fd)) return;
  TraceEventFacts event;
  event.kind = TraceKind::kEntry;
  event.file = folders[fd].load(std::memory_order_relaxed) - 1;
  event.offset = static_cast<int64_t>(inode);
  if (event.file != kNoTraceId) TraceEvent(runtime.trace(), event, Now());
}

void Closed(const LockedFile& file, Slot slot, uint64_t sequence, const Facts& facts, const Filter::Run& run) noexcept {
  if (runtime.trace() == nullptr) return;
  filters[slot.description()]->Settle();
  // Without a number of the file's, nothing was ever planned for it; its reads may have met a busy lock all the same.
  if (file->trace == kNoTraceId && !IsIntroduced(slot)) return;
  TraceEventFacts event;
  event.kind = TraceKind::kClose;
  event.description = slot.word();
  event.file = file->trace;
  event.sequence = sequence;
  if (sequence != 0) event.run = &run;
  TraceEvent(runtime.trace(), event, Now(), sequence != 0 ? &facts : nullptr);
}

void ClosedUnseen(int fd) noexcept {
  if (runtime.trace() == nullptr || numbers[fd].load(std::memory_order_relaxed) == 0) return;
  const ErrnoSaver errno_saver;
  if (!runtime.OwnsTables()) return;
  TraceEventFacts event;
  event.kind = TraceKind::kClose;
  event.description = numbers[fd].exchange(0, std::memory_order_relaxed);
  if (event.description != 0 && (event.description & kIsShared) == 0) TraceEvent(runtime.trace(), event, Now());
}

void DuplicatedUnseen(int fd, int copy) noexcept {
  if (runtime.trace() == nullptr || !IsInTable(fd)) return;
  if (numbers[fd].load(std::memory_order_relaxed) == 0) return;
  numbers[copy].store(numbers[fd].fetch_or(kIsShared, std::memory_order_relaxed) | kIsShared,
                      std::memory_order_relaxed);
}

void Forgot(uint64_t sequence, const LockedFile& file, const Facts& facts) noexcept {
  if (sequence != 0 && file->trace != kNoTraceId) TraceForget(runtime.trace(), sequence, file->trace, facts);
}

void Renewed(uint64_t sequence, uint32_t mount) noexcept {
  if (sequence != 0) TraceRenewed(runtime.trace(), sequence, mount);
}

void ForgetNumbers() noexcept {
  for (std::atomic<uint32_t>& number : numbers)
    if (number.load(std::memory_order_relaxed) != 0) number.store(0, std::memory_order_relaxed);
  for (std::atomic<TraceId>& folder : folders) folder.store(0, std::memory_order_relaxed);
  for (std::atomic<uint32_t>& opened : opened_slots) opened.store(0, std::memory_order_relaxed);
}

}  // namespace ahead::recorder
