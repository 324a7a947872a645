// Which settings of the engine suit these traces and devices? Successive halving over a list of settings.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/options.h"
#include "sim/frontier.h"
#include "sim/lab.h"

namespace ahead::sim {

struct TuningPlan {
  uint64_t seed = 1;  // of the order in which cells of the table are run
  size_t least = 8;   // settings that run all cells
  int threads = 0;    // 0: all processors
};

// A setting that went as far as the last round that was whole enough to compare.
struct Tuned {
  size_t setting = 0;  // index into the settings
  Standing standing;   // over `Tuning::cells`
  size_t layer = 0;    // 0: on the frontier
};

struct Tuning {
  std::vector<Tuned> tuned;  // ascending by setting; the first is setting 0, what the others are measured by
  size_t cells = 0;          // that all of them ran
  size_t all_cells = 0;      // traces x devices
  bool is_complete = false;  // they ran all
};

// Runs the rounds. `settings[0]` are the defaults, which take part in every round. Times are compared by the geometric
// mean over cells of the ratio to the defaults'; wasted bytes by their sum, memory ahead by its largest.
// `on_cell()` is called after each cell run, one at a time. When `stop` becomes true, what is known so far is returned.
// The same arguments give the same result, unless stopped.
Tuning Tune(std::span<const Workload> works, std::span<const LabDevice> devices, std::span<const Options> settings,
            const TuningPlan& plan, const std::function<void()>& on_cell = {}, const std::atomic<bool>* stop = nullptr);

// Returns how many cells Tune runs for so many settings and cells, when it is not stopped.
size_t CellsToRun(size_t settings, size_t cells, size_t least);

// What is recommended: of the settings within 1 % of the fastest the least wasteful, then the one that needs the least
// memory, then the first; 0, the defaults, where they are within 2 % of it. Returns an index into `tuning.tuned`.
size_t Recommend(const Tuning& tuning);

}  // namespace ahead::sim
