// `ahead run`: a command with libahead.so preloaded, and otherwise as if it had been started without us.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/engine_options.h"
#include "cli/run_segment.h"

namespace ahead::cli {

// Runs `command` with the library preloaded and `options` in force. `name`: the subcommand, for messages. Calls
// `at_end`, with what the programs counted or why there is nothing, when the command has ended. Returns its exit
// status, or 125, 126 or 127 when it could not be started.
int RunCommand(const char* name, const EngineOptions& options, const std::vector<std::string>& command,
               const std::function<void(const absl::StatusOr<RunSegment>&)>& at_end);

// `command`: what follows the options, set by the time the options are parsed. `exit_status` becomes the command's.
void AddRunCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

}  // namespace ahead::cli
