// Where is the segment of this run, or of this process? Looks it up under /proc; for tools.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ahead {

// An `ahead run` that is going on.
struct Session {
  pid_t pid = 0;
  std::string path;  // of its segment, /proc/PID/fd/N
};

// Returns the sessions of user `uid`, ordered by process number, each once. Cost: reads the descriptors of all of the
// user's processes.
std::vector<Session> RunningSessions(uid_t uid);

// Returns the session that process `pid` holds. Errors: kNotFound where it holds none.
absl::StatusOr<Session> SessionOf(pid_t pid);

// Returns the path of the segment in which process `pid` counts, or, when it ended, counted: named by AHEAD_SESSION or
// AHEAD_STATS in the environment it was started with, else that of the running session of this user that has a block of
// it. Errors: kNotFound, with the reason.
absl::StatusOr<std::string> SegmentPathOf(pid_t pid);

}  // namespace ahead
