// Carries an A/B comparison out: cold files, runs in random order, outputs that must agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/ab_arm.h"
#include "cli/ab_report.h"
#include "cli/cold.h"
#include "cli/run_segment.h"
#include "cli/timed_run.h"

namespace ahead::cli {

struct AbSettings {
  std::vector<Arm> arms;  // two or more; the first is the reference
  std::vector<std::string> command;
  std::string program;             // the file to execute
  std::string library;             // may be empty when all arms are bare
  bool keeps_library_out = false;  // of all arms: the program's loader would refuse it
  size_t rounds = 0;               // 0: 30, or 15 when a run takes longer than 2 s
  ColdMethod cold = ColdMethod::kNone;
  bool compare_output = true;
  uint64_t seed = 0;
};

// Thread safety: one thread, one experiment at a time.
class AbExperiment {
 public:
  // Told before each timed run; for progress.
  using Progress = std::function<void(size_t round, size_t rounds)>;

  // Errors: a segment cannot be made.
  static absl::StatusOr<AbExperiment> Prepare(AbSettings settings);

  // Runs everything. Errors: the command cannot be started, its exit status or output differs between runs, files
  // cannot be made cold by this method; Cancelled: a signal asked this process to end, and the command has ended.
  absl::StatusOr<AbResult> Run(const Progress& progress);

  // The signal because of which Run was cancelled.
  int interrupted_by() const { return interrupted_by_; }
  const Cooler& cooler() const { return cooler_; }
  // What arm `arm` counted; nothing for a bare arm.
  std::optional<Snapshot> Events(size_t arm) const;

 private:
  explicit AbExperiment(AbSettings settings);
  absl::Status Watch();
  absl::Status CheckStarted(const TimedRun& run, const char* fault);
  absl::StatusOr<TimedRun> RunArm(size_t arm);
  absl::Status CheckSame(size_t arm, const TimedRun& run);

  AbSettings settings_;
  std::vector<Environment> environments_;            // one an arm
  std::vector<std::optional<RunSegment>> segments_;  // one an arm
  Cooler cooler_;
  std::optional<TimedRun> reference_;  // the first run
  int interrupted_by_ = 0;
};

}  // namespace ahead::cli
