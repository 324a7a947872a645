// How is a recorded run laid out? One header, then chunks of one size, each filled by one thread. Written inside hosts
// (trace_writer.h), read by tools (trace_reader.h). docs/trace.md tells it in prose.
//
// Records hold what was read, when and where, what the policy knew and what it decided; never data, arguments or
// environment. All numbers are little-endian. Times are of CLOCK_MONOTONIC in nanoseconds, but for those called ticks,
// which are of the processor's counter where that counts evenly, because it takes half the time to read.
//
// A chunk is claimed by a thread, filled with records by plain stores, and what is whole of it published by one store
// of its length; so a process that is killed leaves nothing half-written, and no two threads write to one line. A trace
// in a file or memfd of its own has its chunks in their places (raw). One that `ahead record` saved has them in zstd
// frames, any number of chunks to a frame, each without what it did not use; the header says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

inline constexpr char kTraceMagic[8] = {'A', 'H', 'D', 'T', 'R', 'A', 'C', 'E'};
// Raised when a reader of the old layout would misread the new one. A reader skips kinds it does not know, so a new
// kind does not raise it. 1 had slots of 64 bytes in one row.
inline constexpr uint32_t kTraceVersion = 2;
inline constexpr size_t kTraceHeaderBytes = 4096;
// Small, because each thread that reads takes at least one; large enough for the longest path.
inline constexpr size_t kTraceChunkBytes = 8192;
inline constexpr uint64_t kTraceMaxChunks = uint64_t{1} << 24;
inline constexpr size_t kTraceMaxPath = 4096;
// What one frame may unfold to.
inline constexpr size_t kTraceMaxFrameBytes = size_t{1} << 22;

// Names a file of a process, or a mapping or description of it.
using TraceId = uint32_t;
inline constexpr TraceId kNoTraceId = UINT32_MAX;

struct TraceHeader {
  static constexpr uint32_t kCompressed = 1;  // chunks are in zstd frames
  static constexpr uint32_t kHasTicks = 2;    // ticks are the processor's; without it nanoseconds

  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint32_t chunk_bytes;
  uint32_t page_bytes;  // of the machine's memory
  uint32_t flags;
  uint32_t reserved;
  uint64_t chunk_count;
  int64_t monotonic_ns;  // the two clocks when the trace was made
  int64_t realtime_ns;
  uint64_t pid_namespace;  // its inode: of whoever frees chunks of the dead; 0: nobody does
  // Written by every process.
  alignas(64) uint64_t claims;  // chunks ever claimed
  uint64_t claimed_chunks;      // and not free again
  uint64_t free_hint;           // below this one no chunk is free
  uint32_t processes;           // that ever took part
  alignas(64) uint64_t dropped_records;
};
static_assert(sizeof(TraceHeader) <= kTraceHeaderBytes && offsetof(TraceHeader, claims) == 64);

struct TraceChunk {
  enum State : uint32_t { kFree, kClaimed, kFull };
  static constexpr uint32_t kForeign = 1;  // `pid` and `tid` are of another namespace than the header's

  uint32_t state;
  uint32_t used_bytes;  // of the records that follow
  uint32_t process;
  int32_t pid;
  int32_t tid;
  uint32_t flags;
  uint64_t order;  // of the claim: a thread's chunks in ascending order hold its records in order
  // The same moment on both clocks, when the chunk was claimed and at its last record that has a time.
  uint64_t begin_ticks;
  int64_t begin_ns;
  uint64_t last_ticks;
  int64_t last_ns;
};
static_assert(sizeof(TraceChunk) == 64);
inline constexpr size_t kTraceChunkRoom = kTraceChunkBytes - sizeof(TraceChunk);

enum class TraceKind : uint8_t {
  kNothing,
  kProcess,    // a process began to record
  kFile,       // a process met a file, or its policy was made anew: it has another number then
  kOpen,       // a description of a file came to be known
  kClose,      // and went
  kSeek,       // the offset of a description was set
  kAdvice,     // the host's own advice about a range
  kMapping,    // a range was mapped
  kUnmapping,  // and is no longer
  kEntry,      // an entry was read from a folder
  kRead,       // a read that no decision was taken for: it passed the filter, or was not looked at
  kFacts,      // what was known, for the following records of the chunk
  kPlan,       // a read is about to happen, or a mapping was made: what was decided
  kIssued,     // what became of pieces of a decision
  kFinish,     // the planned read is over
  kForget,     // the policy was told that nobody uses the file any more
  kRenewed,    // what was known of a mount's congestion was lost
  kSimilar,    // a read as the chunk's last kRead, of as many bytes, all of which it returned
};

enum class TraceAccessKind : uint8_t {
  kRead,      // at the description's offset
  kPread,     // at an offset of its own
  kStdio,     // what a FILE fetched
  kTransfer,  // sendfile, splice, copy_file_range
  kMapped,    // what a mapping touched
};

// Begins every record. Records are aligned to 8 bytes.
struct TraceRecord {
  TraceKind kind;
  uint8_t flags;
  uint16_t bytes;   // of the record, this included; a multiple of 8
  uint32_t number;  // of what it is about: by kind a process, a file, a description
};

// Followed by the options in force, a line "name=number\n" each.
struct TraceProcessRecord {
  TraceRecord head;
  int64_t time_ns;
  uint32_t parent;  // whose fork it is, or kNoTraceId
  int32_t parent_pid;
  uint64_t next_sequence;  // the parent's at the fork: what core knew then is what it knows here
  uint32_t text_bytes;
  uint32_t reserved;
};

// Followed by the path.
struct TraceFileRecord {
  TraceRecord head;
  int64_t time_ns;
  uint64_t device;
  uint64_t inode;
  int64_t size_bytes;
  uint32_t mount;
  uint32_t path_bytes;
};

// kOpen, kClose, kSeek, kAdvice, kMapping, kUnmapping and kEntry: of the description head.number. kClose with a
// sequence is followed by a TraceRun.
struct TraceEventRecord {
  static constexpr uint8_t kOpenedHere = 1;  // kOpen: by this process, not inherited

  TraceRecord head;
  TraceId file;
  uint32_t advice;    // kAdvice: its POSIX_FADV_ number
  uint64_t sequence;  // of the call into core, 0: there was none
  int64_t time_ns;
  int64_t offset_bytes;  // kEntry: the entry's inode
  int64_t length_bytes;
};

// A read that is over, of the description head.number. Tools that write traces have a TraceId of the file follow, so
// that descriptions need no kOpen there.
struct TraceReadRecord {
  static constexpr uint8_t kAccess = 7;
  static constexpr uint8_t kUnseen = 8;       // not by the filter either
  static constexpr uint8_t kAdviceShift = 4;  // two bits: the description's standing advice, a HostAdvice
  static constexpr uint8_t kHasFile = 64;
  static constexpr uint8_t kUnfinished = 128;  // how it ended is not known

  TraceRecord head;
  uint64_t begin_ticks;
  uint64_t duration_ticks;
  int64_t offset_bytes;
  uint32_t asked_bytes;
  int32_t returned_bytes;  // as read returns it
};

// kSimilar. Most reads of a program are as long as the one before: what is smaller costs less, most of all where each
// new page of a trace is a page of a file.
struct TraceSimilarRecord {
  TraceRecord head;      // flags as in TraceReadRecord
  uint32_t after_ticks;  // from the begin of that kRead to this one's
  uint32_t duration_ticks;
  int64_t offset_bytes;
};

struct TraceFactsRecord {
  static constexpr uint8_t kKernelLeads = 1;

  TraceRecord head;
  int64_t file_size_bytes;
  int64_t page_bytes;
  int64_t piece_bytes;
  int64_t kernel_window_bytes;
  int64_t initial_bytes;
  int64_t allowance_bytes;
  // What follows was added later: shorter records are read, with the defaults for what they lack.
  int64_t share_bytes;
  int64_t safe_bytes;
  int64_t clock_bytes;
  uint64_t habit;  // as Habit::EncodeUnnamed
};

// What a filter had let pass when it was settled.
struct TraceRun {
  uint8_t mode;
  uint8_t broken;
  int16_t stream_index;
  uint32_t stream_generation;
  int64_t anchor_bytes;
  int64_t expected_bytes;
  int64_t reads;
};

struct TraceDecision {
  static constexpr uint8_t kCheck = 1;
  static constexpr uint8_t kStarving = 2;
  static constexpr uint8_t kLookOnly = 4;
  static constexpr uint8_t kExtents = 8;  // the rest of the record is TraceExtents
  static constexpr uint8_t kHint = 48;    // a Decision::Hint
  static constexpr uint8_t kHintShift = 4;
  static constexpr uint8_t kAlone = 64;

  uint8_t method;
  uint8_t flags;
  int16_t stream_index;
  uint32_t stream_generation;
  int32_t pieces;
  int32_t required;
  int64_t first_bytes;
  int64_t length_bytes;
  int64_t step_bytes;
  int64_t limit_bytes;
  int64_t floor_bytes;
};

// The places that the pieces of a decision of several runs are cut from. They follow a TraceDecision of kExtents, to
// the end of the record.
struct TraceExtent {
  int64_t begin_bytes;
  int64_t length_bytes;
};

// A read through the description head.number, or a mapping. Followed by a TraceRun and a TraceDecision where its flags
// say so; without, the filter was closed, and nothing was decided.
struct TracePlanRecord {
  // Sequences from here on only tie records together: core was not asked, as in traces that were imported.
  static constexpr uint64_t kNotCalled = uint64_t{1} << 63;
  static constexpr uint8_t kAccess = 7;
  static constexpr uint8_t kFresh = 8;  // the description's first read
  static constexpr uint8_t kHasRun = 16;
  static constexpr uint8_t kHasDecision = 32;
  static constexpr uint8_t kOwn = 64;      // no other process has the description
  static constexpr uint8_t kHinted = 128;  // it carries FADV_RANDOM of the engine's

  TraceRecord head;
  uint64_t sequence;
  TraceId file;
  uint32_t advice;  // standing, a HostAdvice
  int64_t begin_bytes;
  int64_t end_bytes;
  int64_t time_ns;
};

// Followed by `count` pieces.
struct TraceIssuedRecord {
  TraceRecord head;
  uint64_t sequence;
  uint64_t plan;  // its sequence
  int32_t first;
  int32_t count;
};

struct TracePiece {
  uint8_t state;
  uint8_t is_sure;
  uint16_t reserved;
  int32_t fresh_pages;
  int64_t blocked_ns;
  int64_t asked_at_ns;
};

struct TraceFinishRecord {
  TraceRecord head;
  uint64_t sequence;  // 0: core was not told
  uint64_t plan;
  int64_t time_ns;
  int64_t duration_ns;
  int64_t begin_bytes;
  int64_t end_bytes;
  int32_t error;  // errno of a read that failed, else 0
  uint32_t reserved;
};

// kForget: the policy of the file head.number. kRenewed: the mount head.number.
struct TraceCallRecord {
  TraceRecord head;
  uint64_t sequence;
};

}  // namespace ahead
