// How is a recorded run laid out? One header, then fixed slots of 64 bytes, appended by any thread of any process of
// the run. Written inside hosts (trace_writer.h), read by tools (trace_reader.h). docs/trace.md tells it in prose.
//
// Records hold what was read, when and where, what the policy knew and what it decided; never data, arguments or
// environment. All numbers are little-endian, times are of CLOCK_MONOTONIC in nanoseconds.
//
// A slot is valid when its mark names the slot itself. The mark is written last, so a slot that a killed process left
// half-written, and one that was reserved and never written, are told apart from whole ones. Slots that belong together
// (a file and its path, a plan and its decision) are reserved at once and lie side by side, the first one completed
// last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

inline constexpr char kTraceMagic[8] = {'A', 'H', 'D', 'T', 'R', 'A', 'C', 'E'};
// Raised when a reader of the old layout would misread the new one. A reader skips kinds it does not know, so a new
// kind does not raise it.
inline constexpr uint32_t kTraceVersion = 1;
inline constexpr size_t kTraceHeaderBytes = 4096;
inline constexpr size_t kTraceRecordBytes = 64;
inline constexpr uint64_t kTraceMaxRecords = uint64_t{1} << 31;
inline constexpr size_t kTracePathBytes = 56;  // of a path in one slot

// A slot's number names what it holds: a file, a plan.
using TraceId = uint32_t;
inline constexpr TraceId kNoTraceId = UINT32_MAX;

// Says that slot `index` is whole. Never 0, so that a slot never written is not valid.
constexpr uint32_t TraceMark(uint64_t index) { return static_cast<uint32_t>(index) | 0x80000000u; }

struct TraceHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint32_t record_bytes;
  uint32_t page_bytes;  // of the machine's memory
  uint64_t capacity_records;
  int64_t monotonic_ns;  // the two clocks when the trace was made
  int64_t realtime_ns;
  uint64_t reserved;
  // Written by every thread: each on a line of its own.
  alignas(64) uint64_t tail_records;  // slots reserved; beyond the capacity when the trace is full
  alignas(64) uint64_t dropped_records;
};
static_assert(sizeof(TraceHeader) <= kTraceHeaderBytes && offsetof(TraceHeader, tail_records) == 64);

enum class TraceKind : uint8_t {
  kNothing,
  kProcess,     // a process began to record
  kFile,        // a process met a file; its path follows
  kPath,        // continues kFile
  kOpen,        // a description of a file came to be known
  kClose,       // and went
  kPlan,        // a read is about to happen
  kDecision,    // continues kPlan: what is fetched ahead of it
  kOutcome,     // what became of the pieces of a decision
  kCompletion,  // the read is over
  kAdvice,      // the host's own advice about a range
  kMapping,     // a range was mapped
  kEntry,       // an entry was read from a folder
};

enum class TraceAccessKind : uint8_t {
  kRead,      // at the description's offset
  kPread,     // at an offset of its own
  kStdio,     // what a FILE fetched
  kTransfer,  // sendfile, splice, copy_file_range
  kMapped,    // what a mapping touched
};

struct TraceProcessRecord {
  uint32_t mark;
  TraceKind kind;
  uint8_t ratio;
  uint8_t hit_rate;
  uint8_t reserved;
  int32_t tid;
  int32_t pid;
  int64_t time_ns;
  int64_t max_bytes;  // options as in core/options.def; 0: auto
  int64_t initial_bytes;
  int64_t memory_bytes;
  int32_t parent_pid;
  uint32_t unused;
  uint64_t unused2;
};

struct TraceFileRecord {
  uint32_t mark;
  TraceKind kind;
  uint8_t path_slots;  // kPath slots that follow
  uint16_t path_bytes;
  int32_t tid;
  int32_t pid;  // of everything that names this file
  int64_t time_ns;
  uint64_t device;
  uint64_t inode;
  int64_t size_bytes;
  uint64_t unused[2];
};

struct TracePathRecord {
  uint32_t mark;
  TraceKind kind;
  uint8_t used_bytes;
  uint16_t reserved;
  char text[kTracePathBytes];
};

// kOpen, kClose, kAdvice, kMapping and kEntry.
struct TraceEventRecord {
  static constexpr uint8_t kOpenedHere = 1;  // kOpen: by this process, not inherited

  uint32_t mark;
  TraceKind kind;
  uint8_t flags;
  uint16_t advice;  // kAdvice: its POSIX_FADV_ number
  int32_t tid;
  TraceId file;
  int64_t time_ns;
  int64_t offset_bytes;  // kEntry: the entry's inode
  int64_t length_bytes;
  uint32_t description;  // a number of the process's choice
  uint32_t unused;
  uint64_t unused2[2];
};

struct TracePlanRecord {
  static constexpr uint8_t kFresh = 1;        // the description's first read
  static constexpr uint8_t kAbsorbed = 2;     // the filter let it pass: nothing was decided, and the facts are 0
  static constexpr uint8_t kDecided = 4;      // a kDecision follows; without it the decision was to fetch nothing
  static constexpr uint8_t kKernelLeads = 8;  // of the facts
  static constexpr uint8_t kAdviceShift = 4;  // above these: the description's standing advice, a HostAdvice

  uint32_t mark;
  TraceKind kind;
  TraceAccessKind access;
  uint8_t flags;
  uint8_t page_shift;
  int32_t tid;
  TraceId file;
  uint32_t description;
  uint32_t length_bytes;  // asked for; the kernel reads less than 2 GiB at a time
  int64_t time_ns;
  int64_t offset_bytes;
  int64_t file_size_bytes;  // from here on the facts of core/facts.h
  int64_t allowance_bytes;
  uint32_t initial_bytes;
  uint16_t piece_pages;
  uint16_t kernel_window_pages;
};

struct TraceDecisionRecord {
  static constexpr uint8_t kCheck = 1;
  static constexpr uint8_t kStarving = 2;
  static constexpr uint8_t kLookOnly = 4;

  uint32_t mark;
  TraceKind kind;
  uint8_t method;
  uint8_t flags;
  uint8_t reserved;
  int32_t pieces;
  int16_t stream_index;
  uint16_t reserved2;
  uint32_t stream_generation;
  int32_t required;
  int64_t first_bytes;
  int64_t length_bytes;
  int64_t step_bytes;
  int64_t limit_bytes;
  int64_t floor_bytes;
};

struct TraceOutcomeRecord {
  uint32_t mark;
  TraceKind kind;
  uint8_t reserved;
  uint16_t reserved2;
  TraceId plan;
  uint32_t asked_pieces;
  uint32_t resident_pieces;
  uint32_t dropped_pieces;
  uint32_t put_off_pieces;
  uint32_t sure_pieces;  // of those asked for and resident, where residency was seen
  int64_t time_ns;
  int64_t blocked_ns;  // in all calls together
  uint64_t fresh_pages;
  uint64_t unused;
};

struct TraceCompletionRecord {
  uint32_t mark;
  TraceKind kind;
  uint8_t reserved;
  uint16_t error;  // errno of a read that failed, else 0
  TraceId plan;
  uint32_t unused;
  int64_t time_ns;
  int64_t duration_ns;
  int64_t offset_bytes;
  int64_t returned_bytes;
  uint64_t unused2[2];
};

static_assert(sizeof(TraceProcessRecord) == kTraceRecordBytes && sizeof(TraceFileRecord) == kTraceRecordBytes);
static_assert(sizeof(TracePathRecord) == kTraceRecordBytes && sizeof(TraceEventRecord) == kTraceRecordBytes);
static_assert(sizeof(TracePlanRecord) == kTraceRecordBytes && sizeof(TraceDecisionRecord) == kTraceRecordBytes);
static_assert(sizeof(TraceOutcomeRecord) == kTraceRecordBytes && sizeof(TraceCompletionRecord) == kTraceRecordBytes);

}  // namespace ahead
