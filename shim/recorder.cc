#include "shim/recorder.h"

#include <errno.h>
#include <fcntl.h>

#include "shim/facts.h"
#include "shim/pool.h"
#include "shim/runtime.h"

namespace ahead::recorder {
namespace {

constinit Room<Filter> filters[kDescriptions] = {};

// Returns the file's number, recording the file if it has none yet.
TraceId NumberOf(int fd, LockedFile& file, Nanos now) noexcept {
  if (file->trace != kNoTraceId) return file->trace;
  DescriptorFacts facts;
  if (!LookAt(fd, facts)) return kNoTraceId;
  TraceFileFacts found;
  found.fd = fd;
  found.device = facts.identity.device;
  found.inode = facts.identity.inode;
  found.size = facts.size;
  return file->trace = TraceFile(runtime.trace(), found, now);
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

void Advice(int fd, LockedFile& file, ByteRange range) noexcept {
  if (runtime.trace() == nullptr) return;
  const Nanos now = Now();
  const TraceId number = fd >= 0 ? NumberOf(fd, file, now) : file->trace;
  if (number != kNoTraceId) TraceAdvice(runtime.trace(), number, 0, POSIX_FADV_WILLNEED, range, now);
}

void Closed(const LockedFile& file, size_t description) noexcept {
  if (runtime.trace() == nullptr) return;
  filters[description]->Settle();
  if (file->trace != kNoTraceId) TraceClose(runtime.trace(), file->trace, static_cast<uint32_t>(description), Now());
}

}  // namespace ahead::recorder
