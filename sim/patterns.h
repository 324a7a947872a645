// The patterns of bench/patterns as lists of reads, for the simulator.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "sim/workload.h"

namespace ahead::sim {

struct Pattern {
  const char* name;
  const char* help;
  Workload (*make)(ByteCount file_size);
};

// Returns the patterns, in the order of the table in README.
const std::vector<Pattern>& Patterns();

// Returns the pattern of that name, or null.
const Pattern* FindPattern(const std::string& name);

}  // namespace ahead::sim
