#include "cli/run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/engine_options.h"
#include "cli/environment.h"
#include "cli/job.h"
#include "cli/launch.h"
#include "cli/preload.h"
#include "cli/program.h"
#include "cli/usage.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "run";

// Returns an empty text, or why the library cannot be preloaded.
std::string Preload(Environment& environment) {
  const absl::StatusOr<std::string> library = FindLibrary();
  if (!library.ok()) return std::string(library.status().message());
  if (std::string refused = WhyNotExpressible(*library); !refused.empty()) return refused;
  environment.Set("LD_PRELOAD", PreloadWith(environment.Get("LD_PRELOAD").value_or(""), *library));
  return "";
}

int RefuseToStart(const std::string& name, int error) {
  Complain(kName, error == ENOENT ? absl::StrCat("command '", name, "' not found")
                                  : absl::StrCat("cannot execute '", name, "': ", strerror(error)));
  return ShellStatus(error);
}

// A shell breaks out of a loop only when it sees that its command died of the terminal's interrupt.
void DieInterrupted() {
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGINT, &plain, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGINT);
  raise(SIGINT);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

int Run(const EngineOptions& options, const std::vector<std::string>& command) {
  Environment environment = Environment::Inherited();
  options.ExportTo(environment);
  if (const std::string refused = RefuseVariables(environment); !refused.empty())
    return Complain(kName, refused), kRunFailure;
  if (const std::string refused = Preload(environment); !refused.empty() && environment.Get("AHEAD_OFF") != "1")
    return Complain(kName, refused), kRunFailure;

  const Program program = FindProgram(command[0]);
  if (program.error != 0) return RefuseToStart(command[0], program.error);
  if (const std::string reason = WhyNotPreloaded(program.path); !reason.empty())
    Complain(kName, absl::StrCat("ahead is not active in '", command[0], "': ", reason));

  const SignalScope signals;
  const Launched launched = Launch(program.path, command, environment, signals);
  if (launched.pid < 0) return RefuseToStart(command[0], launched.error);
  const JobEnd end = FollowJob(launched.pid, signals);
  if (end.was_interrupted && WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGINT) DieInterrupted();
  return ShellStatusOf(end.wait_status);
}

}  // namespace

void AddRunCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status) {
  const auto options = std::make_shared<EngineOptions>();
  CLI::App* run = app.add_subcommand("run", "Run a command with adaptive readahead");
  SetUsage(*run, "ahead run [--OPTION VALUE]... -- COMMAND [ARGUMENT]...");
  run->footer(
      "Exit status: the command's own; 128+N when it died by signal N; 126 and 127 as a shell gives them;\n"
      "125 when ahead itself failed.");
  AddEngineOptions(*run, *options);
  run->callback([options, &command, &exit_status] {
    if (command.empty())
      throw CLI::ValidationError("COMMAND", "none given; usage: ahead run [--OPTION VALUE]... -- COMMAND");
    exit_status = Run(*options, command);
  });
}

}  // namespace ahead::cli
