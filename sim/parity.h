// Does core, called as a trace says it was called, decide as the trace says it decided? The recorded calls of each
// process are made again in their order, with the recorded facts, runs and outcomes; forks begin with what their parent
// knew. What the filters let pass is gone through again too.
#pragma once

#include <cstdint>
#include <string>

#include "stats/trace_reader.h"

namespace ahead::sim {

struct ParityResult {
  int64_t calls = 0;      // into core
  int64_t decisions = 0;  // of Plan and PlanMapping
  int64_t differing_decisions = 0;
  std::string first_difference;  // in words; empty when there is none

  // Filters that were settled while they let something pass, and those that let pass something else here. That may be
  // where threads shared a description: a race of theirs loses a step in the program.
  int64_t filters = 0;
  int64_t differing_filters = 0;
  std::string first_filter_difference;

  // Numbers of calls that the trace does not hold: they were of files that were never recorded, or did not fit. Where
  // the latter, decisions after them may differ.
  int64_t missing_calls = 0;
};

// Cost: the time that the calls take, 25 KiB of memory for each file of each process.
ParityResult CheckParity(const TraceContents& trace);

}  // namespace ahead::sim
