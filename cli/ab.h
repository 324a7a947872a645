// `ahead ab`: is a command faster with these settings than with those, or without the library?
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ahead::cli {

// `command`: what follows the options, set by the time the options are parsed. `exit_status` becomes 0, or 1 when the
// comparison could not be made, also because the outputs differed.
void AddAbCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

}  // namespace ahead::cli
