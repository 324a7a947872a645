#include "cli/ab_experiment.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cli/job.h"
#include "cli/preload.h"
#include "cli/touched_files.h"

namespace ahead::cli {
namespace {

constexpr size_t kRounds = 30;
constexpr size_t kRoundsOfLongRuns = 15;
constexpr double kLongRunSeconds = 2;

// What an arm runs with: the caller's environment, where the settings of the arm alone decide about the engine.
Environment ArmEnvironment(const Arm& arm, const AbSettings& settings) {
  Environment environment = Environment::Inherited();
  RemoveVariables(environment);
  environment.Unset("AHEAD_SESSION");
  const std::string existing = environment.Get("LD_PRELOAD").value_or("");
  const bool is_without = arm.is_bare || settings.keeps_library_out;
  const std::string preload =
      is_without ? PreloadWithout(existing, settings.library) : PreloadWith(existing, settings.library);
  preload.empty() ? environment.Unset("LD_PRELOAD") : environment.Set("LD_PRELOAD", preload);
  arm.options.ExportTo(environment);
  return environment;
}

std::string DescribeEnd(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return absl::StrCat("died by signal ", WTERMSIG(wait_status), " (", strsignal(WTERMSIG(wait_status)), ")");
  return absl::StrCat("ended with status ", WEXITSTATUS(wait_status));
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string WithErrors(const TimedRun& run) {
  return run.errors.empty() ? "" : absl::StrCat(" and wrote '", FirstLine(run.errors), "'");
}

}  // namespace

absl::StatusOr<AbExperiment> AbExperiment::Prepare(AbSettings settings) {
  AbExperiment experiment(std::move(settings));
  for (const Arm& arm : experiment.settings_.arms) {
    Environment environment = ArmEnvironment(arm, experiment.settings_);
    std::optional<RunSegment> segment;
    if (!arm.is_bare) {
      absl::StatusOr<RunSegment> made = RunSegment::Create(environment);
      if (absl::IsFailedPrecondition(made.status())) return made.status();
      if (made.ok()) {
        made->ExportTo(environment);
        segment.emplace(*std::move(made));
      }
    }
    experiment.environments_.push_back(std::move(environment));
    experiment.segments_.push_back(std::move(segment));
  }
  return experiment;
}

AbExperiment::AbExperiment(AbSettings settings) : settings_(std::move(settings)), cooler_(settings_.cold, {}) {}

absl::StatusOr<AbResult> AbExperiment::Run(const Progress& progress) {
  if (absl::Status watched = Watch(); !watched.ok()) return watched;

  // One run an arm that does not count: code and libraries come into memory, and it shows how long a run takes.
  double longest_s = 0;
  for (size_t arm = 0; arm < settings_.arms.size(); ++arm) {
    const absl::StatusOr<TimedRun> run = RunArm(arm);
    if (!run.ok()) return run.status();
    longest_s = std::max(longest_s, run->real_s);
  }
  for (std::optional<RunSegment>& segment : segments_)
    if (segment)
      if (absl::Status restarted = segment->Restart(); !restarted.ok()) return restarted;
  const size_t rounds = settings_.rounds != 0         ? settings_.rounds
                        : longest_s > kLongRunSeconds ? kRoundsOfLongRuns
                                                      : kRounds;

  AbResult result;
  result.command = settings_.command;
  result.seed = settings_.seed;
  result.was_output_compared = settings_.compare_output;
  result.exit_status = ShellStatusOf(reference_->wait_status);
  result.output_bytes = reference_->output.bytes;
  result.orders = RandomOrders(settings_.arms.size(), rounds, settings_.seed);
  for (const Arm& arm : settings_.arms) result.arms.push_back({arm.name, arm.options.Describe(), {}, {}, {}});
  for (size_t round = 0; round < rounds; ++round) {
    progress(round, rounds);
    for (const size_t arm : result.orders[round]) {
      const absl::StatusOr<TimedRun> run = RunArm(arm);
      if (!run.ok()) return run.status();
      result.arms[arm].real_s.push_back(run->real_s);
      result.arms[arm].user_s.push_back(run->user_s);
      result.arms[arm].sys_s.push_back(run->sys_s);
    }
  }
  for (size_t arm = 1; arm < result.arms.size(); ++arm)
    result.comparisons.push_back(Compare(result.arms[0].real_s, result.arms[arm].real_s, settings_.seed + arm));
  return result;
}

absl::Status AbExperiment::Watch() {
  if (settings_.cold == ColdMethod::kNone) return absl::OkStatus();
  OpenWatch watch;
  const SignalScope signals(kTimedRunSignals);
  Environment environment = environments_[0];
  const TimedRun run = RunTimed(
      [&](const Streams& streams) {
        return watch.Start(settings_.program, settings_.command, environment, signals, streams);
      },
      signals);
  if (absl::Status started = CheckStarted(run, "cannot watch"); !started.ok()) return started;
  std::vector<std::string> files = watch.Files();
  RemoveSystemFiles(files, settings_.command);
  if (files.empty()) files = FilesNamedBy(settings_.command);
  cooler_ = Cooler(settings_.cold, std::move(files));
  return absl::OkStatus();
}

absl::Status AbExperiment::CheckStarted(const TimedRun& run, const char* fault) {
  if (run.launch_error != 0)
    return absl::NotFoundError(absl::StrCat(fault, " '", settings_.command[0], "': ", strerror(run.launch_error)));
  interrupted_by_ = run.interrupted_by;
  if (interrupted_by_ == 0) return absl::OkStatus();
  return absl::CancelledError(
      absl::StrCat("no comparison: ended by signal ", interrupted_by_, " (", strsignal(interrupted_by_), ")"));
}

absl::StatusOr<TimedRun> AbExperiment::RunArm(size_t arm) {
  if (const std::string refused = cooler_.MakeCold(); !refused.empty()) return absl::FailedPreconditionError(refused);
  const SignalScope signals(kTimedRunSignals);
  TimedRun run = RunTimed(
      [&](const Streams& streams) {
        return Launch(settings_.program, settings_.command, environments_[arm], signals, streams);
      },
      signals);
  if (absl::Status started = CheckStarted(run, "cannot execute"); !started.ok()) return started;
  if (absl::Status same = CheckSame(arm, run); !same.ok()) return same;
  return run;
}

absl::Status AbExperiment::CheckSame(size_t arm, const TimedRun& run) {
  if (!reference_) reference_ = run;
  const std::string& name = settings_.arms[arm].name;
  const std::string& first = settings_.arms[0].name;
  if (run.wait_status != reference_->wait_status)
    return absl::AbortedError(absl::StrCat("no comparison: the command ", DescribeEnd(reference_->wait_status),
                                           WithErrors(*reference_), " in the first run (", first, ") and ",
                                           DescribeEnd(run.wait_status), WithErrors(run), " in a run of ", name));
  if (settings_.compare_output && run.output != reference_->output)
    return absl::AbortedError(
        absl::StrCat("no comparison: the output differs: ",
                     DescribeDifference(reference_->output, absl::StrCat("the first run (", first, ")"), run.output,
                                        absl::StrCat("a run of ", name)),
                     "; --ignore-output compares the times all the same"));
  return absl::OkStatus();
}

std::optional<Snapshot> AbExperiment::Events(size_t arm) const {
  if (!segments_[arm]) return std::nullopt;
  absl::StatusOr<Snapshot> read = segments_[arm]->Read();
  return read.ok() ? std::optional<Snapshot>(*std::move(read)) : std::nullopt;
}

}  // namespace ahead::cli
