// Makes and maps the files behind a segment: how a process finds the memory that its run shares.
//
// Runs inside the host like segment.h, and calls the kernel directly, because open, close and mmap are names that our
// own hooks answer to. Nothing is printed: on failure the caller gets none or -1 and errno, and says what it likes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "stats/segment.h"

namespace ahead {

// The name of the memfd of a run, as it shows in /proc/PID/fd and /proc/PID/maps ("/memfd:ahead-session (deleted)").
inline constexpr char kSessionMemfdName[] = "ahead-session";

enum class MapMode : uint8_t {
  kOpen,    // an existing segment
  kCreate,  // make the file (0600) or the segment in an empty file where there is none yet
};

// Maps the segment in file `path`, also /proc/PID/fd/N, read and write. The descriptor is closed before it returns.
// With kCreate a new segment gets `block_count` blocks; its disk space is reserved, so that a disk that fills up later
// cannot fault the host. Any number of processes may do so at once. Returns none with errno set; EBADMSG: the file is
// something else, or of another version, and was left alone. Somebody who shortens the file while it is mapped makes
// its users fault (SIGBUS): delete or rename it instead.
SegmentView MapSegmentFile(const char* path, MapMode mode, uint32_t block_count = kBlockCount);

// As MapSegmentFile with kCreate, for the value of AHEAD_STATS: expands %p to `pid`. A file of one process only has one
// block, so it stays small. The child of a fork maps its own when HasProcessPattern(pattern).
SegmentView MapStatsFile(const char* pattern, pid_t pid);

// Unmaps a segment that one of the above returned.
void UnmapSegment(SegmentView segment);

// Makes the segment of a run in a memfd that can neither grow nor shrink and that only this user can open.
// Takes: `options` as InitSegment. Returns a close-on-exec descriptor, to be held open as long as processes of the run
// may start, or -1 with errno set. Give its path /proc/PID/fd/N to the run as AHEAD_SESSION.
int CreateSegmentMemfd(const char* options, uint32_t block_count = kBlockCount);

// Says whether a path names a file of its own for each process.
bool HasProcessPattern(const char* pattern);

// Writes `pattern` with %p replaced by `pid` and %% by % to `out` (capacity `size`, terminated).
// Returns false when it does not fit.
bool ExpandProcessPattern(const char* pattern, pid_t pid, char* out, size_t size);

}  // namespace ahead
