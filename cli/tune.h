// `ahead tune`: which engine options suit these traces on these devices?
#pragma once

#include <CLI/CLI.hpp>

namespace ahead::cli {

void AddTuneCommand(CLI::App& app, int& exit_status);

}  // namespace ahead::cli
