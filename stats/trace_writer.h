// Records what a process reads and what was decided about it, from inside the host. Appends to a mapping that all
// processes of a run share; see trace_format.h for what is in it.
//
// Everything here is async-signal-safe: no allocation, no lock, no libc function that a hook may stand in front of. A
// full trace counts what it drops. Functions may disturb errno; the caller saves it.
#pragma once

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/options.h"
#include "core/units.h"
#include "stats/trace_format.h"

namespace ahead {

// The process's one trace: where to append. Held by value inside trace_writer.cc, shared by fork and vfork children.
struct Trace {
  TraceHeader* header = nullptr;
  char* records = nullptr;
  uint64_t capacity_records = 0;  // a copy: the shared one is not trusted
};

enum class TraceError : uint8_t {
  kNone,
  kCannotOpen,  // no such folder, no permission, not a regular file
  kNotATrace,   // exists and is something else, or a trace of another version
  kNoSpace,     // the disk has no room for the reservation
};

inline constexpr ByteCount kTraceFileSize{64 << 20};  // reserved for a plain AHEAD_TRACE=FILE

// Opens `path` for appending and maps it: a file or memfd that is a trace already, else a new file of kTraceFileSize,
// 0600, its blocks reserved so that a full disk cannot kill the host, and put in place whole. Returns the trace, which
// lasts until the process ends, or null with `error` set. The descriptor is closed again. `page` is the machine's page.
// Call it once a process. Cost: about ten system calls.
Trace* OpenTrace(const char* path, ByteCount page, TraceError* error);

// Writes a new header for a trace that fills `total` bytes at `mapping`, which read 0. Used by OpenTrace and by
// `ahead record` for its memfd. Returns false when `total` has no room for a record.
bool InitTrace(void* mapping, ByteCount total, ByteCount page);

// Takes a mapping of `total` bytes for a trace if it is one. Returns false, and leaves `trace` as it was, if it is not.
bool AttachTrace(void* mapping, ByteCount total, Trace& trace);

// Records that this process takes part, with the options in force. Optional; once a process, after OpenTrace.
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
// counted to the parent. Cost: two system calls; 4 KiB of stack.
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

// What became of the pieces of one decision, summed.
struct TraceOutcomeCounts {
  uint32_t asked = 0;
  uint32_t resident = 0;
  uint32_t dropped = 0;
  uint32_t put_off = 0;
  uint32_t sure = 0;
  uint64_t fresh_pages = 0;
  Nanos blocked;

  void Add(const PieceOutcome& outcome) {
    switch (outcome.state) {
      case PieceOutcome::State::kIssued:
        ++asked;
        break;
      case PieceOutcome::State::kResident:
        ++resident;
        break;
      case PieceOutcome::State::kDropped:
        ++dropped;
        break;
      case PieceOutcome::State::kPutOff:
        ++put_off;
        break;
    }
    if (outcome.sure) ++sure;
    fresh_pages += static_cast<uint64_t>(outcome.fresh_pages);
    blocked = blocked + outcome.blocked;
  }
};

// Records the pieces of the decision of `plan`, after the last was issued.
void TraceOutcome(Trace* trace, TraceId plan, const TraceOutcomeCounts& counts, Nanos now);

// Records the end of the read of `plan`; `error` is its errno, or 0.
void TraceCompletion(Trace* trace, TraceId plan, const Completion& completion, int error);

// Records the host's own advice (a POSIX_FADV_ number), and a new mapping.
void TraceAdvice(Trace* trace, TraceId file, uint32_t description, int advice, ByteRange range, Nanos now);
void TraceMapping(Trace* trace, TraceId file, uint32_t description, ByteRange range, Nanos now);

}  // namespace ahead
