// How the memory of a simulated machine changes while a workload runs: by a script.
#pragma once

#include "core/budget.h"
#include "core/units.h"

namespace ahead::sim {

// From `at` on the page cache has `memory`, more than nothing, and a look finds `found` (as `ahead run` looks, once a
// second: so later, and something else where the machine says other than it is).
struct MemoryStep {
  Nanos at;
  ByteCount memory;
  MemoryNow found;
};

}  // namespace ahead::sim
