// How good is the engine on a workload and a disk? Its run beside the floor and the ceilings.
#pragma once

#include <string>

#include "core/ledger.h"
#include "core/options.h"
#include "sim/lab_run.h"
#include "sim/workload.h"

namespace ahead::sim {

struct Comparison {
  RunScore none;
  RunScore kernel;
  RunScore ahead;
  RunScore oracle;
  Nanos limit;  // the least time in which the link can deliver what is read
};

// Runs `work` under the policies none, kernel, adaptive and oracle, each on a machine of its own.
// REQUIRES: the device is a net.
Comparison Compare(const Workload& work, const LabDevice& device, const Options& options);

// Returns the least time in which a link answers `requests` requests of equal size with `bytes` bytes together.
Nanos LeastTime(const LabDevice& device, int64_t requests, ByteCount bytes);

// Returns the speed after the first second as a share of the disk's limit; -1 when the run is over by then.
double ShareAfterFirstSecond(const Comparison& row);

// Returns a line for each event and class that was counted.
std::string DescribeEvents(const Ledger& ledger);

// Sets the engine option that `setting`, NAME=VALUE, names. Returns an empty text, or why it is refused.
std::string SetByName(Options& options, const std::string& setting);

}  // namespace ahead::sim
