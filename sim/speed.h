// How many accesses a second does the simulator take? For work on the simulator itself.
#pragma once

#include <cstdint>

namespace ahead::sim {

struct Speed {
  int threads = 1;
  int64_t accesses = 0;
  double wall_seconds = 0;
  double processor_seconds = 0;  // of all threads

  double PerProcessorSecond() const { return static_cast<double>(accesses) / processor_seconds; }
  double PerSecond() const { return static_cast<double>(accesses) / wall_seconds; }
};

// Runs `cells` cells on `threads` threads, each the policy adaptive on net-2ms: a million reads of 4 KiB, half of them
// of files never read before, half from memory.
Speed MeasureSpeed(int threads, int cells);

}  // namespace ahead::sim
