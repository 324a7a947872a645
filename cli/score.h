// `ahead score`: traces x devices x policies in the laboratory, and what a change gained and lost.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <vector>

#include "cli/lab_traces.h"
#include "cli/score_table.h"

namespace ahead::cli {

// Runs every cell on `jobs` threads (0: all processors), with progress on stderr where that is a terminal.
ScoreTable MakeScores(const LabTraces& traces, const std::vector<sim::LabDevice>& devices,
                      const std::vector<sim::LabPolicy>& policies, int jobs);

void AddScoreCommand(CLI::App& app, int& exit_status);

}  // namespace ahead::cli
