#include "shim/engine.h"

#include <errno.h>

#include "shim/facts.h"
#include "shim/handing_on.h"
#include "shim/hint.h"
#include "shim/issuer.h"
#include "shim/path_filter.h"
#include "shim/recorder.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// What is asked about a descriptor: a read through it; without a count, what concerns the file as a whole.
struct Question {
  int fd;
  int64_t offset = kAtOffset;
  int64_t count = 0;
};

// A description found for a descriptor.
struct Target {
  Slot slot{Slot::kUnmet};
  FileRef file;
  ByteCount size;
  bool was_looked_at = false;  // not so when the file is known to be cached
  bool is_local = false;
};

// Says whether a read of a newly opened file is one that leaves nothing to be fetched ahead: it takes the whole file,
// which the kernel does with one request, or it is the one after that, which finds the end. Nearly all small files are
// read so, and to watch them would cost more than the reads.
bool IsSmallRead(const Question& question, Slot slot, ByteCount size) noexcept {
  const auto [fd, offset, count] = question;
  if (!slot.was_opened_here() || count < size.value || size > Facts().kernel_window) return false;
  if (slot.is_small()) return (offset == kAtOffset ? OffsetOf(fd) : offset) >= size.value;
  if (offset > 0) return false;
  NoteSmall(fd, slot);
  return true;
}

// Says whether a descriptor without a description needs none, for now or at all. Looks at no table, so that a process
// which reads nothing else never sets them up.
bool IsPassedBy(const Question& question, Slot slot, const DescriptorFacts& facts) noexcept {
  if (!facts.is_regular) {
    Ignore(question.fd, slot);
    return true;
  }
  // On a disk of the machine's own the kernel leads for longer than a small file is.
  if (facts.is_local && facts.size.value != 0 && facts.size <= Facts().kernel_window) {
    Leave(question.fd, slot);
    return true;
  }
  // Files of procfs are empty, and so are those that will be appended to: looked at again when they are read again.
  return facts.size.value == 0 || IsSmallRead(question, slot, facts.size);
}

// Meets a descriptor that nothing is known about yet, or whose number has become another file's.
bool Meet(const Question& question, Slot seen, const DescriptorFacts& facts, Target& target) noexcept {
  const int fd = question.fd;
  if (seen.is_tracked()) {
    Drop(fd, seen);
    seen = SlotOf(fd);
    if (seen.word() != Slot::kUnmet || IsPassedBy(question, seen, facts)) return false;
  }
  const Wanted wanted = ReadsThroughCache(fd) ? IsWanted(fd) : Wanted::kNo;
  if (wanted == Wanted::kNo) Leave(fd, seen);
  if (wanted == Wanted::kBusy) Bump(runtime.block().counters.observations_dropped);
  if (wanted != Wanted::kYes) return false;
  target.slot = AddDescription(fd, seen, facts.identity);
  if (!target.slot.is_tracked()) return false;
  target.file = DescriptionOf(target.slot).file;
  target.size = facts.size;
  target.was_looked_at = true;
  target.is_local = facts.is_local;
  return true;
}

// Finds out what a descriptor is now. A file known to be cached, of which one read in many comes here to be timed, is
// not looked at again, because nothing will be asked for there; and the system call that tells a child of vfork is
// spared for it, since that shares the description and its offset, so that its read is as good as its parent's. False:
// nothing to observe, or not for this thread. REQUIRES: inside a Section.
bool Find(const Question& question, Target& target) noexcept {
  const Slot slot = SlotOf(question.fd);
  if (slot.is_ignored()) return false;
  DescriptorFacts facts;
  if (!slot.is_tracked()) {
    if (!LookAt(question.fd, facts) || IsPassedBy(question, slot, facts) || !runtime.OwnsTables()) return false;
    return Meet(question, slot, facts, target);
  }
  // Asked twice, because OwnsTables forgets in a child of fork what its parent knew.
  const auto is_cached = [&] { return IsCurrent(slot) && IsPassive(DescriptionOf(slot).file, target.size); };
  if (!(is_cached() && runtime.StillOwnsTables()) && !runtime.OwnsTables()) return false;
  if (question.count != 0 && is_cached()) {
    target.slot = slot;
    target.file = DescriptionOf(slot).file;
    return true;
  }
  if (!LookAt(question.fd, facts)) return false;
  if (!facts.is_regular || !IsCurrent(slot) || !IsFile(DescriptionOf(slot).file, facts.identity))
    return Meet(question, slot, facts, target);
  target = {slot, DescriptionOf(slot).file, facts.size, true, facts.is_local};
  return true;
}

// Decides. The description's filter is settled in it and stays closed until Complete.
bool Plan(LockedFile& file, const Access& access, Observation& observation, recorder::Settling& settling) noexcept {
  return file.WithSurroundings([&](const Surroundings& around) {
    observation.plan = recorder::Called();
    observation.decision = file.policy().Plan(access, observation.facts, settling.filter(), around);
  });
}

// What a thread knows of a file while it asks for pieces, without the file's lock.
struct Grant {
  int32_t allowed = 0;  // pieces that the mount takes now
  ResidencySource residency = ResidencySource::kCachestat;
};

int32_t AllowedOf(const LockedFile& file, const Surroundings& around) noexcept {
  return file->refused ? 0 : around.congestion.Allowed(Now());
}

// Reports what became of a batch of pieces, and looks what may be asked for next.
bool Report(LockedFile& file, const Decision& decision, const Facts& facts, const Batch& batch, uint64_t plan,
            Grant& grant) noexcept {
  uint64_t sequence = 0;
  const bool is_told = file.WithSurroundings([&](const Surroundings& around) {
    sequence = recorder::Called();
    for (int32_t i = 0; i < batch.count; ++i)
      file.policy().Issued(decision, batch.first + i, batch.outcomes[i], batch.asked_at[i], facts, around);
    grant.allowed = AllowedOf(file, around);
  });
  recorder::Issued(sequence, plan, batch.first, batch.count, batch.outcomes, batch.asked_at);
  return is_told;
}

// Reports the end of a planned read; arms the filter. Returns the number of the call in the trace.
uint64_t Complete(LockedFile& file, const Completion& completion, const Observation& observation) noexcept {
  Filter& filter = recorder::FilterOf(observation.slot.description());
  uint64_t sequence = 0;
  file.WithSurroundings([&](const Surroundings& around) {
    sequence = recorder::Called();
    file.policy().Finish(observation.decision, completion, observation.facts, filter, around);
  });
  return sequence;
}

// The kernel answered a request with an error.
void OnRefused(LockedFile& file, int error) noexcept {
  // Of the system, not of the file: a filter forbids the call. Do not try it on each file anew.
  // Then nobody would read ahead on what is advised.
  if (error == ENOSYS || error == EPERM) WithdrawAll(), runtime.GiveUp();
  // Closed by another thread, perhaps to be another file by now: says nothing of this one.
  if (error != EBADF) file->refused = true;
}

// Looks what may be asked for first.
Grant GrantFor(LockedFile& file) noexcept {
  Grant grant{0, file->residency};
  file.WithSurroundings([&](const Surroundings& around) { grant.allowed = AllowedOf(file, around); });
  return grant;
}

// Carries out a decision in batches; the limit of the mount is looked at anew for each, as the last may have cut it.
// Gives the file's lock back, and takes it for the reports alone: other threads are observed meanwhile, and ask for
// their own streams.
void Issue(int fd, Slot slot, FileRef ref, LockedFile& held, const Decision& decision, const Facts& facts,
           uint64_t plan) noexcept {
  Grant grant = GrantFor(held);
  held.Unlock();
  const int64_t page = facts.page.value;
  for (int32_t first = 0; first < decision.pieces; first += Batch::kMost) {
    Batch batch;
    batch.first = first;
    const int32_t rest = decision.pieces - first;
    batch.count = rest < Batch::kMost ? rest : Batch::kMost;
    IssueBatch(fd, slot, decision, facts, grant.allowed, grant.residency, batch);
    LockedFile file(ref, LockedFile::Patience::kMuch);
    // In a child that a signal handler forked meanwhile, nothing was decided.
    if (!file || file.is_renewed()) break;
    file->residency = grant.residency;
    if (batch.refused != 0) OnRefused(file, batch.refused);
    int64_t asked_pages = 0;
    for (int32_t i = 0; i < batch.count; ++i) asked_pages += batch.outcomes[i].fresh_pages;
    Bump(runtime.block().counters.issued_bytes, static_cast<uint64_t>(asked_pages * page));
    if (!Report(file, decision, facts, batch, plan, grant)) break;
  }
}

// What passed the filter since it was last looked at.
void CountAbsorbed(Description& description) noexcept {
  ProcessCounters& counters = runtime.block().counters;
  const uint32_t reads = description.reads.exchange(0, std::memory_order_relaxed);
  if (reads == 0) return;
  Bump(counters.reads_seen, reads);
  Bump(counters.read_bytes, description.bytes.exchange(0, std::memory_order_relaxed));
}

// A filter that a parent's or an abandoned policy armed says nothing to a new one.
void RenewFilter(const LockedFile& file, Slot slot) noexcept {
  Description& description = DescriptionOf(slot);
  if (!file.is_renewed() && description.epoch == runtime.epoch()) return;
  recorder::FilterOf(slot.description()).Settle();
  // A parent or child has it too.
  if (description.epoch != runtime.epoch()) description.is_own = false;
  description.epoch = runtime.epoch();
}

// Where a read at the offset begins. Others may have moved it, also in other processes: the kernel is asked, unless
// the file is cached and the answer would change nothing.
int64_t Anchor(int fd, const LockedFile& file, const Description& description) noexcept {
  const int64_t counted = description.offset.load(std::memory_order_relaxed);
  return file.policy().passive() && counted >= 0 ? counted : OffsetOf(fd);
}

// Takes the decision for a read of `count` bytes from observation.begin and carries it out, for which it gives back the
// file's lock.
void PlanAndIssue(int fd, LockedFile& file, Observation& observation, TraceAccessKind kind, int64_t count,
                  Nanos now) noexcept {
  Description& description = DescriptionOf(observation.slot);
  const bool is_first = !description.was_read;
  description.was_read = true;
  CountAbsorbed(description);
  const int64_t most = INT64_MAX - observation.begin.value;
  const ByteRange range{observation.begin, observation.begin + ByteCount{count < most ? count : most}};
  const Access access{range,
                      now,
                      is_first && description.opened_here,
                      description.advice.load(std::memory_order_relaxed),
                      description.is_own && !file->refuses_hints,
                      description.is_hinted};
  recorder::Settling settling(observation.slot.description());
  if (!Plan(file, access, observation, settling)) return;
  observation.is_planned = true;
  recorder::Planned(fd, file, observation, kind, access, settling.run());
  if (observation.decision.hint != Decision::Hint::kNone) Heed(fd, file, observation.slot, observation.decision.hint);
  if (!observation.decision.empty())
    Issue(fd, observation.slot, observation.file, file, observation.decision, observation.facts, observation.plan);
}

// How the host's call ended: what it returned, and its errno where that is negative.
struct End {
  int64_t returned;
  int error;
  Nanos time;
};

Completion EndOf(const Observation& observation, const End& end) noexcept {
  const ByteRange read{observation.begin, observation.begin + ByteCount{end.returned > 0 ? end.returned : 0}};
  return {read, end.time, end.time - observation.started, end.returned < 0 && end.error == EIO};
}

void Finish(LockedFile& file, Description& description, const Observation& observation, const End& end) noexcept {
  const Completion completion = EndOf(observation, end);
  if (observation.moves_offset) description.offset.store(completion.range.end.value, std::memory_order_relaxed);
  ProcessCounters& counters = runtime.block().counters;
  Bump(counters.reads_seen);
  Bump(counters.read_bytes, static_cast<uint64_t>(completion.range.size().value));
  recorder::Finished(Complete(file, completion, observation), observation, completion, end.error);
}

// The same, of an observation whose file is not held.
void FinishAlone(const Observation& observation, const End& end) noexcept {
  LockedFile file(observation.file);
  if (file && !file.is_renewed())
    Finish(file, DescriptionOf(observation.slot), observation, end);
  else
    recorder::Finished(0, observation, EndOf(observation, end), end.error);
}

// Notes what was found. Returns false when the kernel refuses to read ahead on the file.
bool Begin(const LockedFile& file, int fd, const Target& target, int64_t count, Observation& observation) noexcept {
  observation.slot = target.slot;
  observation.file = target.file;
  if (target.was_looked_at) file->is_local = target.is_local;
  if (target.was_looked_at && file->folder == 0) file->folder = FolderOf(fd);
  observation.facts = FactsFor(target.size, file->is_local, file->folder, {count});
  file->size_bytes = target.size.value;
  RenewFilter(file, target.slot);
  return !file->refused;
}

void PlanRead(Observation& observation, int fd, int64_t offset, int64_t count, const Target& target,
              bool& refused) noexcept {
  LockedFile file(target.file);
  if (!file) return;
  refused = !Begin(file, fd, target, count, observation);
  if (refused) return;
  // Another thread found in between that the file is not cached after all. Nothing is asked for unseen.
  if (!target.was_looked_at && !file.policy().passive()) return;
  Description& description = DescriptionOf(target.slot);
  observation.moves_offset = offset == kAtOffset;
  observation.begin = {offset == kAtOffset ? Anchor(fd, file, description) : offset};
  if (observation.begin.value < 0) return;
  observation.started = Now();
  const TraceAccessKind kind = observation.is_transfer    ? TraceAccessKind::kTransfer
                               : observation.moves_offset ? TraceAccessKind::kRead
                                                          : TraceAccessKind::kPread;
  PlanAndIssue(fd, file, observation, kind, count, observation.started);
  if (!observation.decision.empty()) observation.started = Now();
}

// Takes the decision for a read that is over. Returns false when there was none to be taken.
bool PlanAfterTheFact(int fd, int64_t returned, Nanos started, Nanos ended) noexcept {
  Target target;
  if (!Find({fd, kAtOffset, returned}, target)) return false;
  Observation observation;
  LockedFile file(target.file);
  if (!file || !Begin(file, fd, target, returned, observation)) return false;
  if (!target.was_looked_at && !file.policy().passive()) return false;
  const int64_t end = OffsetOf(fd);
  if (end < returned) return false;
  observation.begin = {end - returned};
  observation.moves_offset = true;
  observation.started = started;
  PlanAndIssue(fd, file, observation, TraceAccessKind::kStdio, returned, started);
  const End over{returned, 0, ended};
  if (!observation.is_planned) return false;
  if (observation.decision.empty())
    Finish(file, DescriptionOf(observation.slot), observation, over);
  else
    FinishAlone(observation, over);
  return true;
}

ByteRange RangeOf(int64_t offset, int64_t length, ByteCount size) noexcept {
  const int64_t rest = offset < size.value ? size.value - offset : 0;
  return {{offset}, {offset + (length > 0 && length < rest ? length : rest)}};
}

void TakeAdvice(int fd, FileRef ref, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  LockedFile file(ref);
  if (!file || offset < 0) return;
  const Facts facts = FactsFor({file->size_bytes}, file->is_local, file->folder);
  const ByteRange range = RangeOf(offset, length, facts.file_size);
  uint64_t sequence = 0;
  file.WithSurroundings([&](const Surroundings& around) {
    sequence = recorder::Called();
    file.policy().OnHostAdvice(advice, range, facts, around);
  });
  recorder::Advised(sequence, fd, file, advice, range, facts);
}

// Decides about a mapping of `fd`. Returns whether a use of the file was taken.
bool PlanForMapping(int fd, int64_t offset, int64_t length, FileRef& ref, TraceId& trace, bool& is_planned) noexcept {
  DescriptorFacts now;
  const Slot slot = SlotOf(fd);
  // On a disk of its own the kernel leads, and the policy would ask for nothing.
  if (!LookAt(fd, now) || !now.is_regular || now.size.value == 0 || now.is_local) return false;
  if (!runtime.OwnsTables() || IsWanted(fd) != Wanted::kYes || AcquireFile(now.identity, ref) != Acquired::kYes)
    return false;
  LockedFile file(ref);
  if (!file || file->refused) return true;
  file->size_bytes = now.size.value;
  file->is_local = now.is_local;
  if (file->folder == 0) file->folder = FolderOf(fd);
  const Facts facts = FactsFor(now.size, now.is_local, file->folder);
  const ByteRange range = RangeOf(offset, length, now.size);
  const Nanos time = Now();
  Decision decision;
  uint64_t sequence = 0;
  file.WithSurroundings([&](const Surroundings& around) {
    sequence = recorder::Called();
    decision = file.policy().PlanMapping(range, time, facts, around);
  });
  trace = recorder::Mapped(fd, file, range, facts, decision, time, sequence);
  is_planned = true;
  if (!decision.empty()) Issue(fd, slot, ref, file, decision, facts, sequence);
  return true;
}

// Counts advice about a file that is not watched.
void CountAdvice(int fd, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  DescriptorFacts now;
  if (offset < 0 || !LookAt(fd, now) || !now.is_regular || !runtime.OwnsTables()) return;
  const Facts facts = FactsFor(now.size, now.is_local, 0);
  AdaptivePolicy::CountAdvice(advice, RangeOf(offset, length, now.size), facts, runtime.block().ledger);
  recorder::AdvisedUnseen(fd, advice, offset, length);
}

}  // namespace

void Before(Observation& observation, int fd, int64_t offset, int64_t count) noexcept {
  const ErrnoSaver errno_saver;
  if (offset < kAtOffset || !runtime.MayCall()) return;
  const Section section;
  if (!section.entered()) return;
  Target target;
  if (Find({fd, offset, count}, target)) {
    bool refused = false;
    PlanRead(observation, fd, offset, count, target, refused);
    // Only now, because it needs the file's lock itself.
    if (refused) Leave(fd, target.slot);
  }
  if (!observation.is_planned) recorder::Unseen(observation, fd, offset, count);
}

void After(Observation& observation, int64_t returned) noexcept {
  if (!observation.is_planned && observation.unseen == 0) return;
  if (!runtime.is_on()) return;
  const ErrnoSaver errno_saver;
  const int error = returned < 0 ? errno : 0;
  if (!observation.is_planned) {
    if (runtime.StillOwnsTables()) recorder::EndUnseen(observation, returned);
    return;
  }
  const End end{returned, error, Now()};
  const Section section;
  if (!section.entered() || !IsCurrent(observation.slot) || !runtime.StillOwnsTables()) return;
  FinishAlone(observation, end);
}

void AfterTheFact(int fd, int64_t returned, Nanos started, uint64_t ticks) noexcept {
  const ErrnoSaver errno_saver;
  const Nanos ended = Now();
  if (!runtime.MayCall()) return;
  const Section section;
  if (section.entered() && !PlanAfterTheFact(fd, returned, started, ended))
    recorder::UnseenAfterTheFact(fd, returned, ticks);
}

void NoteAdvice(int fd, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  if (!runtime.is_on()) return;
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return;
  const Section section;
  if (!section.entered()) return;
  Target target;
  if (!Find({fd}, target)) return CountAdvice(fd, advice, offset, length);
  TakeAdvice(fd, target.file, advice, offset, length);
}

bool AcquireForMapping(int fd, int64_t offset, int64_t length, FileRef& ref, TraceId& trace) noexcept {
  trace = kNoTraceId;
  if (!runtime.is_on()) return false;
  const ErrnoSaver errno_saver;
  if (!runtime.MayCall()) return false;
  const Section section;
  if (!section.entered()) return false;
  bool is_planned = false;
  const bool is_acquired = PlanForMapping(fd, offset, length, ref, trace, is_planned);
  if (!is_planned) trace = recorder::MappedUnseen(fd, offset, length);
  return is_acquired;
}

void NoteMappedAdvice(FileRef file, HostAdvice advice, int64_t offset, int64_t length) noexcept {
  if (!runtime.is_on()) return;
  const ErrnoSaver errno_saver;
  const Section section;
  if (section.entered() && runtime.OwnsTables()) TakeAdvice(-1, file, advice, offset, length);
}

}  // namespace ahead
