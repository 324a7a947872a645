// `ahead replay --model`: what would policies have made of a trace on a device that there need not be?
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/score_table.h"
#include "core/options.h"
#include "core/units.h"

namespace ahead::cli {

struct DryReplay {
  std::string trace;   // its file
  std::string model;   // as ParseModel takes it
  std::string policy;  // none, kernel, fixed, ahead or oracle; empty: all
  ByteCount window;    // of fixed
  Options engine;      // of ahead
};

// Returns a row with a cell a policy: the one that was asked for, or all; with the kernel's and the oracle's, which its
// share is of.
absl::StatusOr<ScoreRow> ReplayDry(const DryReplay& request);

// Returns the row as a table, a line a policy.
std::string FormatReplay(const ScoreRow& row);

}  // namespace ahead::cli
