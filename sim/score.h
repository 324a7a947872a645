// How good is the engine on a workload and a disk? Its run beside the floor and the ceilings.
#pragma once

#include <string>

#include "core/ledger.h"
#include "core/options.h"
#include "sim/machine.h"
#include "sim/workload.h"

namespace ahead::sim {

struct Comparison {
  Score none;
  Score ahead;
  Score oracle;
  Nanos limit;          // the least time in which the disk can deliver what is read
  int64_t planned = 0;  // reads that did not pass the filter
  Ledger ledger{};      // after all files were closed
};

// Runs `work` under the policies none, ahead and oracle, each on a machine of its own.
Comparison Compare(const Workload& work, const SlottedNetParameters& disk, const HostCosts& costs,
                   const Options& options);

// Returns the speed after the first second as a share of the disk's limit; -1 when the run is over by then.
double ShareAfterFirstSecond(const Comparison& row);

// Returns a line for each event and class that was counted.
std::string DescribeEvents(const Ledger& ledger);

// Sets the engine option that `setting`, NAME=VALUE, names. Returns an empty text, or why it is refused.
std::string SetByName(Options& options, const std::string& setting);

}  // namespace ahead::sim
