// `ahead run`: a command with libahead.so preloaded, and otherwise as if it had been started without us.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ahead::cli {

// `command`: what follows the options, set by the time the options are parsed. `exit_status` becomes the command's.
void AddRunCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

}  // namespace ahead::cli
