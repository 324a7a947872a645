// Writes down what the engine sees and decides, when AHEAD_TRACE names a trace; else each of these does nothing.
//
// While a trace is written, no read may pass unseen, so the filters that the hooks look at stay closed, and the engine
// looks at others instead, which take their place here. So a read that would have passed is recorded and passes, and
// nothing is decided that would not have been; and a process without a trace pays nothing on its hot path.
#pragma once

#include <cstdint>

#include "core/filter.h"
#include "shim/descriptors.h"
#include "shim/engine.h"
#include "shim/files.h"
#include "stats/trace_writer.h"

namespace ahead::recorder {

// Returns the filter that the engine arms and asks for the description of that index.
Filter& FilterOf(size_t description) noexcept;

// Says whether a read is to be recorded that the filter would let pass.
bool Absorbs(const Observation& observation, int64_t count) noexcept;

// Records a read that is planned or absorbed, and notes its number in `observation`. `is_first`: of its description.
// REQUIRES: the file's lock is held, as in all of these but those of folders.
void Plan(int fd, LockedFile& file, Observation& observation, TraceAccessKind kind, const Access& access,
          bool is_first) noexcept;

// Adds a batch to `counts`, and records the sum of all.
void Count(TraceOutcomeCounts& counts, const PieceOutcome* outcomes, int32_t count) noexcept;
void Outcome(TraceId plan, const TraceOutcomeCounts& counts) noexcept;

void Completed(const Observation& observation, const Completion& completion, int64_t returned) noexcept;

// A mapping was made, and `decision` taken for it. Returns the number for its outcome.
TraceId Mapping(int fd, LockedFile& file, ByteRange range, const Facts& facts, const Decision& decision) noexcept;

// The host gave advice about `range`. `fd`: -1 when it did so through a mapping.
void Advice(int fd, LockedFile& file, HostAdvice advice, ByteRange range) noexcept;

// The host opened a folder as `fd`, and read the entry of that inode from it.
void Folder(int fd) noexcept;
void Entry(int fd, uint64_t inode) noexcept;

// The description of that index has ended.
void Closed(const LockedFile& file, size_t description) noexcept;

}  // namespace ahead::recorder
