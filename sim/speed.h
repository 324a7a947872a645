// How many accesses a second does the simulator take? For work on the simulator itself.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload.h"

namespace ahead::sim {

struct Speed {
  int threads = 1;
  int64_t accesses = 0;
  double wall_seconds = 0;
  double processor_seconds = 0;  // of all threads

  double PerProcessorSecond() const { return static_cast<double>(accesses) / processor_seconds; }
  double PerSecond() const { return static_cast<double>(accesses) / wall_seconds; }
};

// Returns a million reads of 4 KiB, half of them of files never read before, half from memory.
Workload PassesOverFiles();

// Runs the policy adaptive over each of `works` on each device of the score table, `rounds` times, on `threads`
// threads.
Speed MeasureSpeed(const std::vector<Workload>& works, int threads, int rounds);

}  // namespace ahead::sim
