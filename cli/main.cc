// The `ahead` command: a contents page. Each subcommand has a file of its own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/ab.h"
#include "cli/command_line.h"
#include "cli/launch.h"
#include "cli/record.h"
#include "cli/replay.h"
#include "cli/run.h"
#include "cli/score.h"
#include "cli/stats.h"
#include "cli/trace.h"
#include "cli/tune.h"
#include "cli/usage.h"

int main(int argc, char** argv) {
  using namespace ahead::cli;
  HoldStandardDescriptors();
  CLI::App app{"Adaptive readahead inside any program: no root, no daemon, no change to the program.", "ahead"};
  app.require_subcommand(1);
  std::vector<std::string> command;
  int exit_status = 0;

  AddRunCommand(app, command, exit_status);
  AddAbCommand(app, command, exit_status);
  AddStatsCommand(app, exit_status);
  AddRecordCommand(app, command, exit_status);
  AddTraceCommand(app, exit_status);
  AddReplayCommand(app, exit_status);
  AddScoreCommand(app, exit_status);
  AddTuneCommand(app, exit_status);

  app.set_version_flag("--version", "ahead " AHEAD_VERSION);
  for (CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    each->set_version_flag("--version", "ahead " AHEAD_VERSION);

  std::vector<std::string> words(argv + 1, argv + argc);
  // Their exit status is the command's, which may well be that of bad usage.
  const bool is_run = !words.empty() && (words[0] == "run" || words[0] == "record");
  command = TakeCommand(app, {"run", "ab", "record"}, words);
  try {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& refused) {
    const auto active = app.get_subcommands();
    Complain(active.empty() ? "" : active.front()->get_name(), ExplainRefusal(app, refused));
    return is_run ? kRunFailure : kBadUsage;
  }
  return exit_status;
}
