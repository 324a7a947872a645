// `ahead record`: `ahead run` that also writes down what the programs read, for `ahead replay`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ahead::cli {

// `command`: what follows the options, set by the time the options are parsed. `exit_status` becomes the command's.
void AddRecordCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

}  // namespace ahead::cli
