// What does a trace say? Loads one for tools: checks it, puts the records that belong together back together and orders
// what happened. What is damaged, and kinds this version does not know, are skipped and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/filter.h"
#include "core/options.h"
#include "core/units.h"
#include "stats/trace_format.h"
#include "stats/trace_outcome.h"

namespace ahead {

// A program from its start, or from the fork that made it, to its end or the next exec.
struct TracedProcess {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  Nanos time;
  int64_t ratio = 0;
  int64_t hit_rate = 0;
  ByteCount max;
  ByteCount initial;
  ByteCount memory;
  Options options;      // all of them; no texts
  int32_t parent = -1;  // index of the process that it is a fork of; -1: it began by itself
  // A fork: of the parent's calls into core, those below this number had happened. Its own go on from here.
  uint64_t next_sequence = 1;
};

// A file as one process met it; the same file is there once for each process, and again when its policy was made anew.
struct TracedFile {
  std::string path;  // absolute; empty when it could not be told
  int32_t pid = 0;
  Nanos time;
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
  uint32_t process = 0;  // index into TraceContents::processes; beyond its end when the trace does not say
  uint32_t mount = 0;    // a number of the process's choice
};

struct TracedOutcome : TraceOutcomeCounts {
  bool known = false;
  Nanos time;
};

// Pieces of a decision that were reported to core at once.
struct TracedBatch {
  struct Piece {
    PieceOutcome outcome;
    Nanos asked_at;
  };
  uint64_t sequence = 0;
  int32_t first = 0;
  std::vector<Piece> pieces;
};

struct TracedRead {
  uint32_t file = 0;  // index into TraceContents::files
  int32_t tid = 0;
  uint32_t description = 0;
  TraceAccessKind kind = TraceAccessKind::kRead;
  bool fresh = false;
  bool own = false;     // as Access says
  bool hinted = false;  // the same
  HostAdvice advice = HostAdvice::kNormal;
  bool absorbed = false;  // `facts` and `decision` are empty then
  bool unseen = false;    // neither did it pass the filter, nor was anything decided: the policy does not know of it
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

  // The calls into core, numbered per process in the order in which they were made; 0: there was none.
  uint64_t sequence = 0;  // Plan, or PlanMapping where `kind` is kMapped
  uint64_t finish_sequence = 0;
  Filter::Run settled;               // what the filter had let pass before
  std::vector<TracedBatch> batches;  // what `outcome` sums up
};

// Anything else that happened to a file.
struct TracedEvent {
  TraceKind kind = TraceKind::kNothing;  // kOpen, kClose, kSeek, kAdvice, kMapping, kUnmapping, kEntry
  uint32_t file = 0;
  int32_t tid = 0;
  uint32_t description = 0;
  bool opened_here = false;
  int advice = 0;
  uint64_t inode = 0;  // kEntry: of the entry
  ByteRange range;     // kSeek: empty, at the new offset
  Nanos time;

  uint64_t sequence = 0;  // of OnHostAdvice or Detach, with these facts; 0: core was not told
  Facts facts;
  Filter::Run settled;  // kClose
};

// A call into core that goes with no access.
struct TracedCall {
  TraceKind kind = TraceKind::kNothing;  // kForget, kRenewed
  uint32_t process = 0;
  uint64_t sequence = 0;
  uint32_t file = 0;   // kForget
  uint32_t mount = 0;  // kRenewed
  Facts facts;         // kForget
};

// Invariants: reads and events are in ascending order of time; those of one thread are as they happened.
struct TraceContents {
  ByteCount page;
  Nanos monotonic_start;
  Nanos realtime_start;
  uint64_t records = 0;
  uint64_t dropped_records = 0;  // did not fit
  uint64_t broken_records = 0;   // damaged, or naming a file or plan that is not there
  uint64_t unknown_records = 0;
  std::vector<TracedProcess> processes;
  std::vector<TracedFile> files;
  std::vector<TracedRead> reads;
  std::vector<TracedEvent> events;
  std::vector<TracedCall> calls;
};

// Returns what the POSIX_FADV_ number of a TracedEvent stands for; kNormal for one that is none.
HostAdvice AdviceOf(int number);

// Loads the trace in file `path`; it may still be written to. Errors, one line that names the path: NotFound and
// others as the system says; InvalidArgument for a file that is no trace; DataLoss for one that was cut short;
// Unimplemented for one of another version; ResourceExhausted for one that takes more memory than there is.
absl::StatusOr<TraceContents> ReadTrace(const std::string& path);

// The same for a trace in memory; `name` stands for it in messages. ResourceExhausted: its reads take more than `most`.
absl::StatusOr<TraceContents> ParseTrace(const std::string& name, const char* bytes, size_t size,
                                         ByteCount most = {INT64_MAX});

}  // namespace ahead
