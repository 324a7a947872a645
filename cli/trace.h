// `ahead trace`: what a trace says, in a table, as JSON, or line by line for other tools.
#pragma once

#include <CLI/CLI.hpp>

namespace ahead::cli {

void AddTraceCommand(CLI::App& app, int& exit_status);

}  // namespace ahead::cli
