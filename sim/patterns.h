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

// Returns those with gaps, rows and deviations. Perfect knowledge fetches small gaps there, because one request more
// takes longer, so that it is not the least that can be fetched.
const std::vector<Pattern>& GapPatterns();

// Returns the pattern of that name, of either kind, or null.
const Pattern* FindPattern(const std::string& name);

}  // namespace ahead::sim
