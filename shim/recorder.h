// Writes down what the host does to its files and what the engine decides, when AHEAD_TRACE names a trace; else each of
// these does nothing.
//
// What is decided is the same with a trace and without. While one is written the filters that the hooks look at stay
// closed, and others take their place here: a read that would have passed unseen passes them, is timed by the
// processor's counter and recorded with some stores. So a process without a trace pays nothing on its hot path, and one
// with a trace little.
#pragma once

#include <cstdint>

#include "core/access.h"
#include "core/filter.h"
#include "shim/descriptors.h"
#include "shim/engine.h"
#include "shim/files.h"
#include "shim/pool.h"
#include "shim/runtime.h"
#include "stats/trace_writer.h"

namespace ahead::recorder {

// A read that needs no decision, from before the host's call until after it. Lies in the frame of the hook.
class Passage {
 public:
  // Says whether a read of `count` bytes through `fd`, at `offset` or kAtOffset, passes: because its description's
  // filter lets it, or because nobody watches the file. Keeps errno. Cost: no lock, no system call.
  bool Begin(int fd, int64_t offset, int64_t count, TraceAccessKind kind) noexcept;
  // The call is over; `returned` as read returns it. Keeps errno.
  void End(int64_t returned) noexcept;

 private:
  TraceReadFacts read_;
  Slot slot_{Slot::kUnmet};
  int fd_ = -1;
  bool moves_offset_ = false;
  bool is_ours_ = false;
};

// Returns the filter that the engine arms for the description of that index.
Filter& FilterOf(size_t description) noexcept;

// The filter that core is given to settle: the description's own, or with a trace a copy of it, so that `run` is
// exactly what core finds.
class Settling {
 public:
  explicit Settling(size_t description) noexcept : description_(description) {}
  // For core to settle, once: a copy takes what the filter held.
  Filter& filter() noexcept;
  const Filter::Run& run() const noexcept { return run_; }

 private:
  const size_t description_;
  Room<Filter> copy_;  // made with a trace only
  Filter::Run run_;
};

// Returns the number of a call into core; 0 without a trace. REQUIRES: the lock of the mount is held, so that the
// numbers tell the order of the calls.
inline uint64_t Called() noexcept { return runtime.trace() != nullptr ? NextSequence(runtime.trace()) : 0; }

// What the counter says that reads are timed with; 0 without a trace.
inline uint64_t Ticks() noexcept { return runtime.trace() != nullptr ? TraceTicks(*runtime.trace()) : 0; }

// Records a read that was planned, and its description before the first. REQUIRES: the file's lock is held, as in all
// of the following that take a LockedFile.
void Planned(int fd, LockedFile& file, const Observation& observation, TraceAccessKind kind, const Access& access,
             const Filter::Run& run) noexcept;

// Records what became of pieces of the decision `plan`.
void Issued(uint64_t sequence, uint64_t plan, int32_t first, int32_t count, const PieceOutcome* outcomes,
            const Nanos* asked_at) noexcept;

// Records how that read ended. `error`: its errno, 0 where there was none.
void Finished(uint64_t sequence, const Observation& observation, const Completion& completion, int error) noexcept;

// A read that nothing was decided for although it did not pass: notes it in `observation` until its end. Through the
// one, the host's call is yet to come; through the other, it is over.
void Unseen(Observation& observation, int fd, int64_t offset, int64_t count) noexcept;
void EndUnseen(const Observation& observation, int64_t returned) noexcept;
void UnseenAfterTheFact(int fd, int64_t returned, uint64_t begin_ticks) noexcept;

// A mapping was made. Returns the number of its file, kNoTraceId without a trace. Watched: `decision` was taken for it.
TraceId Mapped(int fd, LockedFile& file, ByteRange range, const Facts& facts, const Decision& decision, Nanos now,
               uint64_t sequence) noexcept;
TraceId MappedUnseen(int fd, int64_t offset, int64_t length) noexcept;
void Unmapped(TraceId file, int64_t offset, int64_t length) noexcept;
void MappedAgain(TraceId file, int64_t offset, int64_t length) noexcept;

// The host gave advice about `range`, and core was told. `fd`: -1 when it did so through a mapping.
void Advised(uint64_t sequence, int fd, LockedFile& file, HostAdvice advice, ByteRange range,
             const Facts& facts) noexcept;
// And core was not told: about a file that is not watched, or advice that stands for the description (no length).
void AdvisedUnseen(int fd, HostAdvice advice, int64_t offset, int64_t length) noexcept;
void AdvisedUnseen(TraceId file, HostAdvice advice, int64_t offset, int64_t length) noexcept;

// The offset of `fd` was set.
void Moved(int fd, Slot slot, int64_t offset) noexcept;

// The host opened a folder as `fd`, and read the entry of that inode from it.
void Folder(int fd) noexcept;
void Entry(int fd, uint64_t inode) noexcept;

// The description of that slot has ended; with a `sequence` core was told, with `facts` and `run`.
void Closed(const LockedFile& file, Slot slot, uint64_t sequence, const Facts& facts, const Filter::Run& run) noexcept;
// A descriptor without a description is about to end; or to get a second number.
void ClosedUnseen(int fd) noexcept;
void DuplicatedUnseen(int fd, int copy) noexcept;

// Core was told to forget a file; what was known of a mount was lost.
void Forgot(uint64_t sequence, const LockedFile& file, const Facts& facts) noexcept;
void Renewed(uint64_t sequence, uint32_t mount) noexcept;

// The numbers of descriptors mean nothing in the trace any more: a child of fork has one of its own.
void ForgetNumbers() noexcept;

}  // namespace ahead::recorder
