// `ahead replay`: performs the reads of a trace on the real files, with one of four ideas of what to fetch ahead.
#pragma once

#include <CLI/CLI.hpp>

namespace ahead::cli {

void AddReplayCommand(CLI::App& app, int& exit_status);

}  // namespace ahead::cli
