// What does a trace say? Loads one for tools: checks it, puts the slots that belong together back together and orders
// what happened. Half-written slots, and kinds this version does not know, are skipped and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/units.h"
#include "stats/trace_format.h"
#include "stats/trace_outcome.h"

namespace ahead {

struct TracedProcess {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  Nanos time;
  int64_t ratio = 0;
  int64_t hit_rate = 0;
  ByteCount max;
  ByteCount initial;
  ByteCount memory;
};

// A file as one process met it; the same file is there once for each process.
struct TracedFile {
  std::string path;  // absolute; empty when it could not be told
  int32_t pid = 0;
  Nanos time;
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
};

struct TracedOutcome : TraceOutcomeCounts {
  bool known = false;
  Nanos time;
};

struct TracedRead {
  uint32_t file = 0;  // index into TraceContents::files
  int32_t tid = 0;
  uint32_t description = 0;
  TraceAccessKind kind = TraceAccessKind::kRead;
  bool fresh = false;
  HostAdvice advice = HostAdvice::kNormal;
  bool absorbed = false;  // `facts` and `decision` are empty then
  ByteRange range;        // asked for
  Nanos time;             // just before the call
  Facts facts;
  Decision decision;
  TracedOutcome outcome;
  bool completed = false;  // false: the process ended, or the trace was full, in between
  ByteCount returned;
  Nanos end;
  Nanos duration;
  int error = 0;
};

// Anything else that happened to a file.
struct TracedEvent {
  TraceKind kind = TraceKind::kNothing;  // kOpen, kClose, kAdvice, kMapping, kEntry
  uint32_t file = 0;
  int32_t tid = 0;
  uint32_t description = 0;
  bool opened_here = false;
  int advice = 0;
  uint64_t inode = 0;  // kEntry: of the entry
  ByteRange range;
  Nanos time;
};

// Invariants: reads and events are in ascending order of time, equal times in the order of the slots.
struct TraceContents {
  ByteCount page;
  Nanos monotonic_start;
  Nanos realtime_start;
  uint64_t records = 0;
  uint64_t dropped_records = 0;  // did not fit
  uint64_t broken_records = 0;   // half-written, or naming a file or plan that is not there
  uint64_t unknown_records = 0;
  std::vector<TracedProcess> processes;
  std::vector<TracedFile> files;
  std::vector<TracedRead> reads;
  std::vector<TracedEvent> events;
};

// Loads the trace in file `path`; it may still be written to. Errors, one line that names the path: NotFound and
// others as the system says; InvalidArgument for a file that is no trace; DataLoss for one that was cut short;
// Unimplemented for one of a newer version.
absl::StatusOr<TraceContents> ReadTrace(const std::string& path);

// The same for a trace in memory; `name` stands for it in messages.
absl::StatusOr<TraceContents> ParseTrace(const std::string& name, const char* bytes, size_t size);

}  // namespace ahead
