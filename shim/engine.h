// The one join of the library: a read of the host's becomes an Access, the core decides, the pieces are issued, what
// came of them is counted. Everything here is done without anything being held across the host's own call.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/access.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/units.h"
#include "shim/descriptors.h"
#include "stats/trace_format.h"

namespace ahead {

// A read of the host's that its filter did not let pass, from Before to After. Lies in the frame of the hook, so it is
// gone with the thread when that is cancelled in the call.
struct Observation {
  bool is_planned = false;
  bool moves_offset = false;  // the read is at the description's offset
  bool is_transfer = false;   // by sendfile and its like
  Slot slot{Slot::kUnmet};
  FileRef file;
  ByteOffset begin;
  Nanos started;  // the host's call, or the planning just before it
  Facts facts;
  Decision decision;
  uint64_t plan = 0;  // its number in the trace

  // For the trace, of a read that is not planned (recorder.h); 0: it is not recorded.
  uint32_t unseen = 0;
  int unseen_fd = -1;
  int64_t unseen_offset = 0;
  int64_t asked = 0;
  uint64_t begin_ticks = 0;
};

// The most that the kernel moves in one read.
inline constexpr int64_t kMostPerRead = 0x7ffff000;

// Says that a read is made at the offset of the description.
inline constexpr int64_t kAtOffset = -1;

// Looks at a read of `count` bytes through `fd` that is about to happen, at `offset` or kAtOffset, and asks for what
// should come ahead of it. Keeps errno. Cost: some microseconds; no allocation, no lock that waits.
void Before(Observation& observation, int fd, int64_t offset, int64_t count) noexcept;

// Looks at how it ended: `returned` as read returns it. Keeps errno.
void After(Observation& observation, int64_t returned) noexcept;

// Both, for a read at the offset that is only known when it is over: it moved `returned` bytes and took from `started`
// to now. `ticks`: the same moment, for the trace.
void AfterTheFact(int fd, int64_t returned, Nanos started, uint64_t ticks) noexcept;

// The host gave advice about [offset, offset + length), kWillNeed or kDontNeed; length 0: to the end. For advice that
// stands see descriptors.h.
void NoteAdvice(int fd, HostAdvice advice, int64_t offset, int64_t length) noexcept;

// If `fd` is a regular file, takes a use of it for a mapping of [offset, offset + length), asks for the beginning of
// that, and returns true. `trace`: the file's number in the trace, also where it returns false.
bool AcquireForMapping(int fd, int64_t offset, int64_t length, FileRef& file, TraceId& trace) noexcept;

// The host gave advice about a range of a mapped file.
void NoteMappedAdvice(FileRef file, HostAdvice advice, int64_t offset, int64_t length) noexcept;

}  // namespace ahead
