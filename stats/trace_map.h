// Makes, opens and maps a trace: how a process finds the memory to record into.
//
// Runs inside the host like trace_writer.h, and calls the kernel directly, because open, close and mmap are names that
// our own hooks answer to. Nothing is printed: the caller gets an error and says what it likes.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/units.h"
#include "stats/trace_format.h"

namespace ahead {

// The name of the memfd of `ahead record`, as it shows in /proc/PID/fd.
inline constexpr char kTraceMemfdName[] = "ahead-trace";
// Disk space reserved for AHEAD_TRACE=FILE, and for a file of one process only (%p).
inline constexpr ByteCount kTraceFileSize{64 << 20};
inline constexpr ByteCount kTraceProcessFileSize{8 << 20};

// Where to append. Thread safety: written when a process begins to record, then any number of readers.
struct Trace {
  TraceHeader* header = nullptr;
  char* chunks = nullptr;
  uint64_t chunk_count = 0;  // copies: the shared ones are not trusted
  bool has_ticks = false;
  // Of this process.
  uint32_t process = kNoTraceId;
  int32_t pid = 0;
  uint32_t chunk_flags = 0;
  uint32_t epoch = 0;  // changes with `process`
  // A child of fork goes on counting where its parent was.
  TraceId next_id = 1;
  uint64_t next_sequence = 1;
};

enum class TraceError : uint8_t {
  kNone,
  kCannotOpen,  // no such folder, no permission, name too long, or no memory to map it
  kNotATrace,   // exists and is something else, or a trace of another version; left alone
  kNoSpace,     // the disk, quota or file size limit has no room for the reservation
};

// Opens the process's one trace for appending: the file or memfd that `pattern` names (%p is `pid`) if it is a trace,
// else a new file there, 0600, its space reserved so that a full disk cannot kill the host. The descriptor is closed
// again. Any number of processes may do so at once. Takes `page`, the machine's page. Returns a trace that lasts until
// the process ends or the next call, which the child of a fork makes where the pattern has a %p; null with `error` and
// errno set (EBADMSG: not a trace) when there is none. Somebody who shortens the file while it is mapped makes its
// users fault (SIGBUS): delete or rename it instead. Cost: about ten system calls, 4 KiB of stack. Thread safety: one
// caller at a time.
Trace* OpenTrace(const char* pattern, pid_t pid, ByteCount page, TraceError& error);

// Makes a trace of `total` bytes in a memfd that can neither grow nor shrink and that only this user can open. Returns
// a close-on-exec descriptor, or -1 with errno set. Give its path /proc/PID/fd/N to the run as AHEAD_TRACE. Whoever
// makes it may free chunks of threads that are gone (trace_drain.h).
int CreateTraceMemfd(ByteCount total, ByteCount page);

// Returns how many chunks fit into `total` bytes; 0 when not even one does.
uint64_t TraceCapacity(ByteCount total);

// Returns the inode of this process's namespace of process numbers, 0 when it cannot be told.
uint64_t PidNamespace();

}  // namespace ahead
