#include "shim/recorder.h"

#include <errno.h>
#include <fcntl.h>

#include <atomic>
#include <iterator>

#include "shim/advice.h"
#include "shim/facts.h"
#include "shim/pool.h"
#include "shim/runtime.h"

namespace ahead::recorder {
namespace {

constinit Room<Filter> filters[kDescriptions] = {};

// Records what `fd` is, a file or a folder. Returns its number.
TraceId Record(int fd, Nanos now) {
  DescriptorFacts facts;
  if (!LookAt(fd, facts)) return kNoTraceId;
  TraceFileFacts found;
  found.fd = fd;
  found.device = facts.identity.device;
  found.inode = facts.identity.inode;
  found.size = facts.size;
  return TraceFile(runtime.trace(), found, now);
}

// Returns the file's number, recording the file if it has none yet.
TraceId NumberOf(int fd, LockedFile& file, Nanos now) noexcept {
  if (file->trace != kNoTraceId) return file->trace;
  return file->trace = Record(fd, now);
}

// The trace number of the folder that is open under each descriptor, plus one. Folders under higher numbers than these
// are not recorded.
constinit std::atomic<TraceId> folders[256] = {};

bool MayRecordFolder(int fd) {
  return fd >= 0 && static_cast<size_t>(fd) < std::size(folders) && runtime.OwnsTables() && runtime.trace() != nullptr;
}

uint32_t DescriptionNumber(const Observation& observation) {
  return static_cast<uint32_t>(observation.slot.description());
}

}  // namespace

Filter& FilterOf(size_t description) noexcept {
  return runtime.trace() != nullptr ? *filters[description] : descriptions[description].description->filter;
}

bool Absorbs(const Observation& observation, int64_t count) noexcept {
  return runtime.trace() != nullptr && FilterOf(observation.slot.description()).Passes(observation.begin, {count});
}

void Plan(int fd, LockedFile& file, Observation& observation, TraceAccessKind kind, const Access& access,
          bool is_first) noexcept {
  Trace* trace = runtime.trace();
  if (trace == nullptr) return;
  const Description& description = DescriptionOf(observation.slot);
  TraceAccess record;
  record.file = NumberOf(fd, file, access.time);
  if (record.file == kNoTraceId) return;
  record.description = DescriptionNumber(observation);
  record.kind = kind;
  record.access = access;
  if (is_first) TraceOpen(trace, record.file, record.description, description.opened_here, access.time);
  observation.trace = observation.is_absorbed ? TraceAbsorbed(trace, record)
                                              : TracePlan(trace, record, observation.facts, observation.decision);
}

void Count(TraceOutcomeCounts& counts, const PieceOutcome* outcomes, int32_t count) noexcept {
  if (runtime.trace() == nullptr) return;
  for (int32_t i = 0; i < count; ++i) counts.Add(outcomes[i]);
}

void Outcome(TraceId plan, const TraceOutcomeCounts& counts) noexcept {
  if (plan != kNoTraceId) TraceOutcome(runtime.trace(), plan, counts, Now());
}

void Completed(const Observation& observation, const Completion& completion, int64_t returned) noexcept {
  if (observation.trace == kNoTraceId) return;
  // A read's errno is not looked at; EIO stands for any.
  TraceCompletion(runtime.trace(), observation.trace, completion, returned < 0 ? EIO : 0);
}

TraceId Mapping(int fd, LockedFile& file, ByteRange range, const Facts& facts, const Decision& decision) noexcept {
  Trace* trace = runtime.trace();
  if (trace == nullptr) return kNoTraceId;
  TraceAccess record;
  record.access = {range, Now(), false};
  record.file = NumberOf(fd, file, record.access.time);
  record.kind = TraceAccessKind::kMapped;
  TraceMapping(trace, record.file, 0, range, record.access.time);
  return decision.empty() ? kNoTraceId : TracePlan(trace, record, facts, decision);
}

void Advice(int fd, LockedFile& file, HostAdvice advice, ByteRange range) noexcept {
  if (runtime.trace() == nullptr) return;
  const Nanos now = Now();
  const TraceId number = fd >= 0 ? NumberOf(fd, file, now) : file->trace;
  if (number != kNoTraceId) TraceAdvice(runtime.trace(), number, 0, FileAdviceNumber(advice), range, now);
}

void Folder(int fd) noexcept {
  if (!MayRecordFolder(fd)) return;
  folders[fd].store(Record(fd, Now()) + 1, std::memory_order_relaxed);
}

void Entry(int fd, uint64_t inode) noexcept {
  if (!MayRecordFolder(fd)) return;
  const TraceId folder = folders[fd].load(std::memory_order_relaxed) - 1;
  if (folder != kNoTraceId) TraceEntry(runtime.trace(), folder, inode, Now());
}

void Closed(const LockedFile& file, size_t description) noexcept {
  if (runtime.trace() == nullptr) return;
  filters[description]->Settle();
  if (file->trace != kNoTraceId) TraceClose(runtime.trace(), file->trace, static_cast<uint32_t>(description), Now());
}

}  // namespace ahead::recorder
