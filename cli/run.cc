#include "cli/run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/engine_options.h"
#include "cli/environment.h"
#include "cli/filters.h"
#include "cli/job.h"
#include "cli/launch.h"
#include "cli/memory_watch.h"
#include "cli/preload.h"
#include "cli/preloadable.h"
#include "cli/program.h"
#include "cli/run_segment.h"
#include "cli/usage.h"
#include "stats/table.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "run";

// Returns an empty text, or why the library cannot be preloaded.
std::string Preload(Environment& environment) {
  const absl::StatusOr<std::string> library = FindLibrary();
  if (!library.ok()) return std::string(library.status().message());
  if (std::string refused = WhyNotExpressible(*library); !refused.empty()) return refused;
  const std::string preload = PreloadWith(environment.Get("LD_PRELOAD").value_or(""), *library);
  if (std::string refused = WhyTooLong(preload); !refused.empty()) return refused;
  environment.Set("LD_PRELOAD", preload);
  return "";
}

void WithdrawLibrary(Environment& environment) {
  const absl::StatusOr<std::string> library = FindLibrary();
  if (!library.ok()) return;
  const std::string others = PreloadWithout(environment.Get("LD_PRELOAD").value_or(""), *library);
  others.empty() ? environment.Unset("LD_PRELOAD") : environment.Set("LD_PRELOAD", others);
}

int RefuseToStart(const char* name, const std::string& command, int error, const char* missing) {
  Complain(name, absl::StrCat("cannot execute '", command, "': ", error == ENOENT ? missing : strerror(error)));
  return ShellStatus(error);
}

void PrintTables(const absl::StatusOr<RunSegment>& segment) {
  const absl::StatusOr<Snapshot> counted = segment.ok() ? segment->Read() : segment.status();
  if (!counted.ok()) return Complain(kName, absl::StrCat("no tables: ", std::string(counted.status().message())));
  const std::string text = FormatTables(*counted);
  fwrite(text.data(), 1, text.size(), stderr);
}

// Returns an empty text, or why the command must not be started.
std::string SetUp(const EngineOptions& options, Environment& environment) {
  options.ExportTo(environment);
  MakePathsAbsolute(environment);
  if (std::string refused = RefuseVariables(environment); !refused.empty()) return refused;
  std::string refused = Preload(environment);
  // AHEAD_OFF=1 is for when all else is broken.
  return environment.Get("AHEAD_OFF") == "1" ? "" : refused;
}

}  // namespace

int RunCommand(const char* name, const EngineOptions& options, const std::vector<std::string>& command,
               const std::function<void(const absl::StatusOr<RunSegment>&)>& at_end) {
  Environment environment = Environment::Inherited();
  if (const std::string refused = SetUp(options, environment); !refused.empty())
    return Complain(name, refused), kRunFailure;
  const absl::StatusOr<RunSegment> segment = RunSegment::Create(environment);
  if (absl::IsFailedPrecondition(segment.status()))
    return Complain(name, std::string(segment.status().message())), kRunFailure;
  if (!segment.ok() && !absl::IsUnavailable(segment.status()))
    Complain(name, absl::StrCat("no statistics of this run: ", std::string(segment.status().message())));
  // Without a segment of the run each program counts for itself.
  segment.ok() ? segment->ExportTo(environment) : environment.Unset("AHEAD_SESSION");

  const Program program = FindProgram(command[0]);
  if (program.error == ENOENT) return Complain(name, absl::StrCat("command '", command[0], "' not found")), kNotFound;
  if (program.error != 0) return RefuseToStart(name, command[0], program.error, "");
  const Filters filters = TryFilters();
  filters.count != 0 && !filters.are_deadly ? environment.Set("AHEAD_FILTERS", std::to_string(filters.count))
                                            : environment.Unset("AHEAD_FILTERS");
  Inactivity inactivity = WhyInactive(program.path);
  if (inactivity.reason.empty() && filters.are_deadly)
    inactivity.reason = "a filter of system calls (seccomp) is in force here that may end it for a call of ours";
  if (inactivity.refuses_library) WithdrawLibrary(environment);
  const auto tell = [&] {
    Complain(name, absl::StrCat("ahead is not active in '", command[0], "': ", inactivity.reason));
  };
  // Before the program says anything; but one that may not run at all gets its only line below.
  if (!inactivity.reason.empty() && !inactivity.refuses_library) tell();

  const SignalScope signals(kJobSignals);
  const Launched launched = Launch(program.path, command, environment, signals);
  if (launched.fault == LaunchFault::kNoProcess)
    return Complain(name, absl::StrCat("cannot start a process: ", strerror(launched.error))), kRunFailure;
  if (launched.fault == LaunchFault::kNotExecuted)
    return RefuseToStart(name, command[0], launched.error, "the interpreter or loader it names is missing");
  if (inactivity.refuses_library) tell();
  MemoryWatch watch(segment.ok() ? segment->path() : "");
  const JobEnd end = FollowJob(launched.pid, signals, &watch);
  at_end(segment);
  if (end.was_interrupted && WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGINT) DieBy(SIGINT);
  return ShellStatusOf(end.wait_status);
}

void AddRunCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status) {
  const auto options = std::make_shared<EngineOptions>();
  CLI::App* run = app.add_subcommand("run", "Run a command with adaptive readahead");
  SetUsage(*run, "ahead run [--OPTION VALUE]... -- COMMAND [ARGUMENT]...");
  run->footer(
      "Exit status: the command's own; 128+N when it died by signal N; 126 and 127 as a shell gives them;\n"
      "125 when ahead itself failed.");
  const auto prints_tables = std::make_shared<bool>(false);
  run->add_flag("--tables", *prints_tables, "print the event tables on stderr when the command has ended");
  AddEngineOptions(*run, *options);
  run->callback([options, prints_tables, &command, &exit_status] {
    RequireCommand(command, "ahead run [--OPTION VALUE]... -- COMMAND");
    exit_status = RunCommand(kName, *options, command, [prints_tables](const absl::StatusOr<RunSegment>& segment) {
      if (*prints_tables) PrintTables(segment);
    });
  });
}

}  // namespace ahead::cli
