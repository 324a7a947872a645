// Records what a process reads and what was decided about it, from inside the host. Appends to a mapping that all
// processes of a run share (trace_map.h); what a record holds is said in trace_format.h.
//
// Everything here is async-signal-safe: no allocation, no lock, no libc function that a hook may stand in front of. A
// full trace counts what it drops. Any thread, any process. Functions may disturb errno; the caller saves it.
#pragma once

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/options.h"
#include "core/units.h"
#include "stats/trace_format.h"
#include "stats/trace_map.h"
#include "stats/trace_outcome.h"

namespace ahead {

// Records that this process takes part, with the options in force. Once a process, after OpenTrace.
void TraceProcess(Trace* trace, const Options& options, Nanos now);

// A file as a process met it.
struct TraceFileFacts {
  int fd = -1;  // any descriptor of the file: asked for the path
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
};

// Records a file and its path (that of /proc/self/fd/FD). Returns the number by which later records name it, or
// kNoTraceId when the trace is full. Once per file and process; a fork child that goes on with its parent's numbers is
// counted to the parent, one with a trace of its own must not. Cost: three system calls, 4 KiB of stack.
TraceId TraceFile(Trace* trace, const TraceFileFacts& facts, Nanos now);

// Records that `description`, a number of the process's choice, is (no longer) a description of `file`.
void TraceOpen(Trace* trace, TraceId file, uint32_t description, bool opened_here, Nanos now);
void TraceClose(Trace* trace, TraceId file, uint32_t description, Nanos now);

// A read about to happen.
struct TraceAccess {
  TraceId file = kNoTraceId;
  uint32_t description = 0;
  TraceAccessKind kind = TraceAccessKind::kRead;
  int32_t tid = 0;  // 0: the writer asks the kernel
  Access access;
};

// Records a read that was planned, after Plan and before the call. Returns the number for its outcome and completion.
TraceId TracePlan(Trace* trace, const TraceAccess& access, const Facts& facts, const Decision& decision);

// Records a read that the filter let pass; only its completion follows.
TraceId TraceAbsorbed(Trace* trace, const TraceAccess& access);

// Records the pieces of the decision of `plan`, after the last was issued.
void TraceOutcome(Trace* trace, TraceId plan, const TraceOutcomeCounts& counts, Nanos now);

// Records the end of the read of `plan`; `error` is its errno, or 0.
void TraceCompletion(Trace* trace, TraceId plan, const Completion& completion, int error);

// Records the host's own advice (a POSIX_FADV_ number), and a new mapping.
void TraceAdvice(Trace* trace, TraceId file, uint32_t description, int advice, ByteRange range, Nanos now);
void TraceMapping(Trace* trace, TraceId file, uint32_t description, ByteRange range, Nanos now);

// Records that the entry of `inode` was read from `folder`, which was recorded as a file.
void TraceEntry(Trace* trace, TraceId folder, uint64_t inode, Nanos now);

}  // namespace ahead
