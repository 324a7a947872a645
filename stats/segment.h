// The memory a run shares: where every process under the run counts, and where `ahead stats` reads while they work.
//
// One segment holds a header, N blocks, one a process, and the block `retired` with the sums of processes that ended
// and whose block was needed by another. It lies in a sealed memfd of `ahead run` or in an AHEAD_STATS file; how it is
// made and mapped is the business of segment_map.h. Everything here runs inside the host: no allocation, no lock,
// nothing thrown, async-signal-safe.
//
// Nothing counted is lost, whoever is judged dead. Cells only ever change by an atomic add or by an atomic exchange
// with zero whose result is added elsewhere. So a block may be folded, reset and counted into at once, and even a wrong
// judgement (a process of another pid namespace looks dead) costs no count, only its attribution to a process. The one
// exception: a process killed between the exchange and the add of a fold loses the one cell it held.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/habits.h"
#include "core/ledger.h"
#include "stats/owner.h"

namespace ahead {

// Goes up when the meaning of a field changes; names, numbers and sizes are covered by kSegmentMagic without it.
inline constexpr uint32_t kSegmentVersion = 3;

// Blocks of a run's segment: more than the processes a run has at one time, as a rule. The blocks of ended processes
// are used again, so any number of processes may follow each other.
inline constexpr uint32_t kBlockCount = 512;

// Counted for a process as a whole; process_counters.def says what. Written by Bump() only.
struct ProcessCounters {
#define AHEAD_PROCESS_COUNTER(name, help) uint64_t name = 0;
#include "stats/process_counters.def"
};

// Adds to a counter that other threads and processes may add to, read or reset at the same time.
inline void Bump(uint64_t& counter, uint64_t by = 1) { __atomic_fetch_add(&counter, by, __ATOMIC_RELAXED); }

// What processes have fetched ahead at this moment, and share the memory of a run for.
struct Held {
  int64_t bytes = 0;    // fetched and not read yet
  int64_t streams = 0;  // that have some, or will
};

// What one process counted. Aligned, so that two processes never write to one cache line.
// Thread safety: any number of writers (Bump, Ledger::Add) and readers in any process.
struct alignas(64) Block {
  uint64_t processes = 0;  // 1 in a block in use; in `retired`, how many were folded
  uint64_t name[2] = {};   // the command, as the kernel's comm: at most 15 bytes and a zero
  Held held;               // written by its process only; means nothing once that has ended
  ProcessCounters counters;
  Ledger ledger;
};

// The header. Blocks and the words of their owners follow it (SegmentView); the owners lie together, so that looking
// for a block costs one or two pages.
struct alignas(64) Segment {
  uint64_t magic = 0;  // written last
  uint32_t block_count = 0;
  int32_t session_pid = 0;      // the `ahead run` that made it; 0: a statistics file
  int64_t started_unix_ns = 0;  // when it was made
  int64_t reset_unix_ns = 0;    // when it was last reset; 0: never
  uint64_t resets = 0;
  uint64_t folds_begun = 0;  // these two differ while counts are on their way from a block to `retired`
  uint64_t folds_done = 0;
  int64_t memory_bytes = 0;  // what there is for the data of files, as the last `ahead run` found it; 0: not known
  char options[1024] = {};   // "name=value" of the run's options, one a line, ends with a zero
  Habits habits;             // of the folders that the run reads: what a process learnt serves the next
  Block retired;
};

// Bytes of the owners' words of `block_count` blocks, rounded up so that the blocks are aligned.
constexpr size_t OwnersBytes(uint32_t block_count) { return (block_count * sizeof(uint64_t) + 63) / 64 * 64; }

// Bytes of a segment of `block_count` blocks.
constexpr size_t SegmentBytes(uint32_t block_count = kBlockCount) {
  return sizeof(Segment) + OwnersBytes(block_count) + block_count * sizeof(Block);
}

// A segment as one process has it mapped. How many blocks there are is this process's own copy, checked against what is
// mapped: everybody who has the segment can write into the header, and nobody may lead another out of its memory.
class SegmentView {
 public:
  constexpr SegmentView() = default;
  constexpr SegmentView(Segment* segment, uint32_t block_count) : segment_(segment), block_count_(block_count) {}

  // False where there is no segment.
  constexpr explicit operator bool() const { return segment_ != nullptr; }
  constexpr bool operator==(const SegmentView&) const = default;
  Segment* operator->() const { return segment_; }
  Segment* get() const { return segment_; }

  uint32_t block_count() const { return block_count_; }
  uint64_t* owners() const { return reinterpret_cast<uint64_t*>(segment_ + 1); }
  Block* blocks() const {
    return reinterpret_cast<Block*>(reinterpret_cast<char*>(owners()) + OwnersBytes(block_count_));
  }
  // Who uses block `index`, as of now. REQUIRES: index < block_count().
  Owner owner(uint32_t index) const { return Owner::Decode(__atomic_load_n(&owners()[index], __ATOMIC_ACQUIRE)); }

 private:
  Segment* segment_ = nullptr;
  uint32_t block_count_ = 0;
};

// Why memory is not a segment of this build. kBlank: zero so far, as in a file that is being made.
enum class SegmentFault : uint8_t { kNone, kBlank, kTooShort, kForeign, kOtherVersion };

// Makes a segment of zeroed memory, or finds the one that another process just made there.
// Takes: `base`, page-aligned, `bytes` >= SegmentBytes(block_count), all zero or a segment; `session_pid`, 0 for a
// statistics file; `options`, null or what Segment::options says, cut when too long, to be given by a sole creator
// only. Returns none when the memory holds something else. Thread safety: any number of processes at once.
SegmentView InitSegment(void* base, size_t bytes, uint32_t block_count, pid_t session_pid, const char* options);

// Says whether a file of `bytes` bytes that begins with these fields of the header is a segment this build can use.
SegmentFault CheckHead(uint64_t magic, uint32_t block_count, size_t bytes);

// Says whether `base` holds a segment that this build can use.
SegmentFault CheckSegment(const void* base, size_t bytes);

// Returns the segment at `base`, or none where CheckSegment finds a fault.
SegmentView OpenSegment(void* base, size_t bytes);

// Finds the block in which process `pid`, the caller, may count. In this order: the block it had before an exec, a
// block never used, the block of a process that is gone, whose counts are first moved to `retired`. Returns null when
// every block belongs to a living process: count privately then. A child of fork calls this anew. Cost: as a rule one
// probe and one system call; when all blocks were used once, a few more calls and a walk over the owners. May change
// errno. Thread safety: any number of processes; two threads of one process may get two blocks.
Block* ClaimBlock(SegmentView segment, pid_t pid);

// Says what the process of the block holds now. Thread safety: a race of two threads may leave the older word.
inline void TellHeld(Block& block, const Held& held) {
  __atomic_store_n(&block.held.bytes, held.bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&block.held.streams, held.streams, __ATOMIC_RELAXED);
}

// Returns what all other processes hold that live, as they say: each at least 0 and no more than a machine could have.
// Cost: a walk over the owners, and a system call for each that holds something. May change errno.
Held HeldByOthers(SegmentView segment, const Block* own);

// Moves all counts of `from` to `to`: each cell is exchanged with zero, so that no count is lost or doubled whoever
// else counts into `from`. `processes` moves too only where `with_processes` says so.
enum class MoveProcesses : uint8_t { kYes, kNo };
void MoveCounts(Block& from, Block& to, MoveProcesses with_processes);

// Adds the counts of `from` to `to` and leaves `from` as it is.
void AddCounts(const Block& from, Block& to);

// Notes in the header that counts were taken out. The taking itself is done block by block with MoveCounts.
void NoteReset(SegmentView segment);

}  // namespace ahead
