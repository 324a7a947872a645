// The shared segment of a run: made by `ahead run` (and once an arm by `ahead ab`), counted into by the programs.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/environment.h"
#include "stats/snapshot.h"

namespace ahead::cli {

// Owns the descriptor that keeps the segment reachable. Movable only.
class RunSegment {
 public:
  // Takes: `environment`, the run's, whose engine options the segment tells. Errors: why there is none.
  static absl::StatusOr<RunSegment> Create(const Environment& environment);

  RunSegment(RunSegment&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  RunSegment& operator=(RunSegment&& other) noexcept;
  ~RunSegment();

  // Sets AHEAD_SESSION, so that programs started with `environment` count here for as long as this process lives.
  void ExportTo(Environment& environment) const;

  // Returns what has been counted. Errors: the segment cannot be mapped.
  absl::StatusOr<Snapshot> Read() const;

 private:
  explicit RunSegment(int fd) : fd_(fd) {}
  std::string Path() const;

  int fd_;
};

}  // namespace ahead::cli
