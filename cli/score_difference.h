// What did a change gain and lose? Two tables of `ahead score`, cell by cell.
#pragma once

#include <string>
#include <vector>

#include "cli/score_table.h"

namespace ahead::cli {

// A cell of both tables that is not the same in both.
struct CellDifference {
  std::string trace;
  std::string device;
  std::string policy;
  sim::LabScore before;
  sim::LabScore after;

  // Changes as ratios - 1: 0.01 is one per cent more.
  double time() const;
  double bytes() const;
  // More than 1 % more time, or more bytes from the device.
  bool is_loss() const;
  // No loss, and 1 % less of one of them.
  bool is_gain() const;
  bool digest_changed() const { return before.digest != after.digest; }
};

struct ScoreDifference {
  std::vector<CellDifference> cells;  // in the order of the new table
  size_t same = 0;
  size_t only_before = 0;
  size_t only_after = 0;

  size_t Losses() const;
};

ScoreDifference Compare(const ScoreTable& before, const ScoreTable& after);

// Returns the cells that differ, losses first and gains last, and what it comes to.
std::string FormatDifference(const ScoreTable& before, const ScoreTable& after, const ScoreDifference& difference);

}  // namespace ahead::cli
