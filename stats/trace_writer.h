// Records what a process reads and what was decided about it, from inside the host. Each thread fills chunks of its own
// in memory that all processes of a run share (trace_map.h); what a record holds is said in trace_format.h.
//
// Everything here is async-signal-safe: no allocation, no lock, no libc function that a hook may stand in front of.
// What finds no room is counted and dropped, and so is what a signal handler has to say while its thread is just
// writing. Any thread, any process. Functions may disturb errno when they need a new chunk; the caller saves it.
//
// REQUIRES of all but TraceProcess: this process has begun to record, by TraceProcess; a child of fork begins anew.
#pragma once

#include <time.h>

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/filter.h"
#include "core/options.h"
#include "core/units.h"
#include "stats/trace_encode.h"
#include "stats/trace_format.h"
#include "stats/trace_map.h"

namespace ahead {

// Says that this process takes part, with the options in force. Once a process, after OpenTrace, before it has a second
// thread that records; and again in a child of fork, which knows its files and descriptions by its parent's numbers.
enum class TraceBegin : uint8_t { kProgram, kFork };
void TraceProcess(Trace* trace, const Options& options, Nanos now, TraceBegin how = TraceBegin::kProgram);

// Returns the number of the next call into core, or of the next file or description.
inline uint64_t NextSequence(Trace* trace) { return __atomic_fetch_add(&trace->next_sequence, 1, __ATOMIC_RELAXED); }
inline TraceId NextTraceId(Trace* trace) { return __atomic_fetch_add(&trace->next_id, 1, __ATOMIC_RELAXED); }

// Returns what the counter says that reads are timed with. Cost: 10 ns.
inline uint64_t TraceTicks(const Trace& trace) {
#if defined(__x86_64__)
  if (__builtin_expect(trace.has_ticks, 1)) return __builtin_ia32_rdtsc();
#endif
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Records a file under facts.number, a number of the process's choice, with the path of `fd` (that of
// /proc/self/fd/FD), or without one where that is -1. Returns false when it did not fit. Cost: a system call, 4 KiB of
// stack.
bool TraceFile(Trace* trace, int fd, TraceFileFacts facts, Nanos now);

// Records an event of a description. With a sequence, `facts` are those that core was given.
void TraceEvent(Trace* trace, const TraceEventFacts& event, Nanos now, const Facts* facts = nullptr);

// A read that is over and that nothing was decided for.
struct TraceReadFacts {
  uint32_t description = 0;
  TraceAccessKind kind = TraceAccessKind::kRead;
  HostAdvice advice = HostAdvice::kNormal;
  bool is_unseen = false;
  int64_t offset = 0;
  int64_t asked = 0;
  int64_t returned = 0;
  uint64_t begin_ticks = 0;
  uint64_t end_ticks = 0;
};

// Records it. Cost: 10 ns, no system call unless the chunk is full.
void TraceRead(Trace* trace, const TraceReadFacts& read);

// Records a read that was planned, after Plan and before the call; or a mapping.
void TracePlan(Trace* trace, const TracePlanFacts& plan, const Facts& facts);

// Records what became of `count` pieces of the decision with the sequence `plan`, as reported to core.
void TraceIssued(Trace* trace, uint64_t sequence, uint64_t plan, int32_t first, int32_t count,
                 const PieceOutcome* outcomes, const Nanos* asked_at);

// Records the end of the read of `plan`; `error` is its errno, or 0. `sequence`: 0 when core was not told.
void TraceFinish(Trace* trace, uint64_t sequence, uint64_t plan, const Completion& completion, int error);

// Records that the policy of `file` was told to forget; that what was known of `mount` was lost.
void TraceForget(Trace* trace, uint64_t sequence, TraceId file, const Facts& facts);
void TraceRenewed(Trace* trace, uint64_t sequence, uint32_t mount);

}  // namespace ahead
