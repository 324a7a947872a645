// `ahead stats`: the event tables of a run, of a process or of a file, also while they are being counted.
#pragma once

#include <CLI/CLI.hpp>

namespace ahead::cli {

// `exit_status` becomes 0, 1 when what was named cannot be found or read, or 2 on bad usage.
void AddStatsCommand(CLI::App& app, int& exit_status);

}  // namespace ahead::cli
