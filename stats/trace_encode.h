// How do values of core become records? One place for hosts, which write them into chunks, and for tools, which write
// traces of their own; trace_reader.cc is the way back.
#pragma once

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/filter.h"
#include "core/units.h"
#include "stats/trace_format.h"

namespace ahead {

constexpr size_t RoundedUp(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

inline TraceRecord RecordHead(TraceKind kind, size_t bytes, uint32_t number, uint8_t flags = 0) {
  return {kind, flags, static_cast<uint16_t>(RoundedUp(bytes)), number};
}

// Writes records one behind the other. REQUIRES: there is room.
class TraceCursor {
 public:
  explicit TraceCursor(char* at) : at_(at) {}

  template <typename Record>
  void Put(const Record& record) {
    Put(&record, sizeof(record));
  }
  // Any bytes, filled up with zeros.
  void Put(const void* bytes, size_t count) {
    __builtin_memcpy(at_, bytes, count);
    at_ += count;
    for (; count % 8 != 0; ++count) *at_++ = 0;
  }
  char* at() const { return at_; }

 private:
  char* at_;
};

// A process as it began.
struct TraceProcessFacts {
  uint32_t number = 0;
  uint32_t parent = kNoTraceId;
  int32_t parent_pid = 0;
  uint64_t next_sequence = 1;
  const char* options = nullptr;
  size_t options_bytes = 0;

  size_t bytes() const { return sizeof(TraceProcessRecord) + RoundedUp(options_bytes); }
};

inline void Encode(const TraceProcessFacts& facts, Nanos now, TraceCursor& out) {
  out.Put(TraceProcessRecord{RecordHead(TraceKind::kProcess, facts.bytes(), facts.number), now.value, facts.parent,
                             facts.parent_pid, facts.next_sequence, static_cast<uint32_t>(facts.options_bytes), 0});
  out.Put(facts.options, facts.options_bytes);
}

// A file as a process met it.
struct TraceFileFacts {
  TraceId number = kNoTraceId;
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
  uint32_t mount = 0;
  const char* path = nullptr;
  size_t path_bytes = 0;

  size_t bytes() const { return sizeof(TraceFileRecord) + RoundedUp(path_bytes); }
};

inline void Encode(const TraceFileFacts& facts, Nanos now, TraceCursor& out) {
  out.Put(TraceFileRecord{RecordHead(TraceKind::kFile, facts.bytes(), facts.number), now.value, facts.device,
                          facts.inode, facts.size.value, facts.mount, static_cast<uint32_t>(facts.path_bytes)});
  out.Put(facts.path, facts.path_bytes);
}

inline TraceRun RunRecord(const Filter::Run& run) {
  return {static_cast<uint8_t>(run.mode),
          run.broken,
          run.stream.index,
          run.stream.generation,
          run.anchor.value,
          run.expected.value,
          run.reads};
}

inline TraceFactsRecord FactsRecord(const Facts& facts) {
  const uint8_t flags = facts.kernel_leads ? TraceFactsRecord::kKernelLeads : uint8_t{0};
  return {RecordHead(TraceKind::kFacts, sizeof(TraceFactsRecord), 0, flags),
          facts.file_size.value,
          facts.page.value,
          facts.piece.value,
          facts.kernel_window.value,
          facts.initial.value,
          facts.allowance.value,
          facts.share.value,
          facts.safe.value,
          facts.clock.value,
          facts.habit.EncodeUnnamed()};
}

inline TraceDecision DecisionRecord(const Decision& decision) {
  uint8_t flags = 0;
  if (decision.check) flags |= TraceDecision::kCheck;
  if (decision.starving) flags |= TraceDecision::kStarving;
  if (decision.alone) flags |= TraceDecision::kAlone;
  if (decision.look_only) flags |= TraceDecision::kLookOnly;
  if (decision.extent_count > 0) flags |= TraceDecision::kExtents;
  flags = static_cast<uint8_t>(flags | static_cast<uint8_t>(decision.hint) << TraceDecision::kHintShift);
  return {static_cast<uint8_t>(decision.method),
          flags,
          decision.stream.index,
          decision.stream.generation,
          decision.pieces,
          decision.required,
          decision.first.value,
          decision.length.value,
          decision.step.value,
          decision.limit.value,
          decision.floor.value};
}

// An event of a description; `run` only for a kClose that core was told of.
struct TraceEventFacts {
  TraceKind kind = TraceKind::kNothing;
  uint32_t description = 0;
  TraceId file = kNoTraceId;
  bool opened_here = false;
  uint32_t advice = 0;
  uint64_t sequence = 0;
  int64_t offset = 0;
  int64_t length = 0;
  const Filter::Run* run = nullptr;

  size_t bytes() const { return sizeof(TraceEventRecord) + (run != nullptr ? sizeof(TraceRun) : 0); }
};

inline void Encode(const TraceEventFacts& event, Nanos now, TraceCursor& out) {
  const uint8_t flags = event.opened_here ? TraceEventRecord::kOpenedHere : uint8_t{0};
  out.Put(TraceEventRecord{RecordHead(event.kind, event.bytes(), event.description, flags), event.file, event.advice,
                           event.sequence, now.value, event.offset, event.length});
  if (event.run != nullptr) out.Put(RunRecord(*event.run));
}

// A read about to happen, or a mapping that was made, and what was decided.
struct TracePlanFacts {
  uint64_t sequence = 0;
  TraceId file = kNoTraceId;
  uint32_t description = 0;
  TraceAccessKind kind = TraceAccessKind::kRead;
  Access access;
  Filter::Run run;
  Decision decision;

  bool has_run() const { return run.mode != Filter::Mode::kClosed; }
  // A decision without pieces may name a stream, or be about advice.
  bool has_decision() const {
    return !decision.empty() || decision.stream.index >= 0 || decision.hint != Decision::Hint::kNone;
  }
  size_t extents() const { return static_cast<size_t>(decision.extent_count); }
  size_t bytes() const {
    return sizeof(TracePlanRecord) + (has_run() ? sizeof(TraceRun) : 0) +
           (has_decision() ? sizeof(TraceDecision) + extents() * sizeof(TraceExtent) : 0);
  }
};

inline void Encode(const TracePlanFacts& plan, TraceCursor& out) {
  auto flags = static_cast<uint8_t>(plan.kind);
  if (plan.access.fresh) flags |= TracePlanRecord::kFresh;
  if (plan.access.own) flags |= TracePlanRecord::kOwn;
  if (plan.access.hinted) flags |= TracePlanRecord::kHinted;
  if (plan.has_run()) flags |= TracePlanRecord::kHasRun;
  if (plan.has_decision()) flags |= TracePlanRecord::kHasDecision;
  out.Put(TracePlanRecord{RecordHead(TraceKind::kPlan, plan.bytes(), plan.description, flags), plan.sequence, plan.file,
                          static_cast<uint32_t>(plan.access.advice), plan.access.range.begin.value,
                          plan.access.range.end.value, plan.access.time.value});
  if (plan.has_run()) out.Put(RunRecord(plan.run));
  if (!plan.has_decision()) return;
  out.Put(DecisionRecord(plan.decision));
  for (size_t i = 0; i < plan.extents(); ++i)
    out.Put(TraceExtent{plan.decision.extents[i].begin, plan.decision.extents[i].length});
}

inline TracePiece PieceRecord(const PieceOutcome& outcome, Nanos asked_at) {
  return {
      static_cast<uint8_t>(outcome.state), outcome.sure, 0, outcome.fresh_pages, outcome.blocked.value, asked_at.value};
}

inline TraceFinishRecord FinishRecord(uint64_t sequence, uint64_t plan, const Completion& completion, int error) {
  return {RecordHead(TraceKind::kFinish, sizeof(TraceFinishRecord), 0),
          sequence,
          plan,
          completion.time.value,
          completion.duration.value,
          completion.range.begin.value,
          completion.range.end.value,
          error,
          0};
}

}  // namespace ahead
