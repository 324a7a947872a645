// Where a run counts: the shared segment of `ahead run`, and of each arm of `ahead ab`.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/environment.h"
#include "stats/snapshot.h"

namespace ahead::cli {

// A sealed memfd that only this process holds, or, where AHEAD_STATS names one, the statistics file. Movable only.
class RunSegment {
 public:
  // Takes: `environment`, the run's, with the engine options in force. A statistics file is made if it is not there, so
  // that it is live from the start. Errors: kFailedPrecondition, the statistics file cannot be had; kUnavailable, there
  // is no segment of the whole run, because each process has a file of its own (%p); kInternal, there can be none here:
  // no memory, or no /proc through which programs find it.
  static absl::StatusOr<RunSegment> Create(const Environment& environment);

  RunSegment(RunSegment&& other) noexcept;
  RunSegment& operator=(RunSegment&& other) noexcept;
  ~RunSegment();

  // Makes the programs started with `environment` count here: a memfd is named by AHEAD_SESSION, for as long as this
  // process lives.
  void ExportTo(Environment& environment) const;

  // Returns the path by which it can be mapped while this object lives.
  const std::string& path() const { return path_; }

  // Leaves what has been counted so far out of what Read returns. Errors: as Read.
  absl::Status Restart();

  // Returns what has been counted since Create or Restart. Errors: the segment cannot be mapped any more.
  absl::StatusOr<Snapshot> Read() const;

 private:
  RunSegment() = default;
  absl::StatusOr<Snapshot> ReadAll() const;

  int fd_ = -1;       // of the memfd
  std::string path_;  // by which every process of the run can open the segment
  Snapshot before_;   // what does not count for this run
};

}  // namespace ahead::cli
