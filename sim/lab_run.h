// One run of the laboratory with what only its makers want to know of it.
#pragma once

#include <cstdint>

#include "sim/lab.h"
#include "sim/machine.h"

namespace ahead::sim {

struct RunScore {
  LabScore lab;
  MachineScore machine;
  int64_t planned = 0;  // kAdaptive: reads that did not pass the filter
};

// As RunCell, with a schedule made once for all runs of a workload, and other costs of the host.
RunScore RunOn(const Workload& work, const Schedule& schedule, const LabDevice& device, const LabPolicy& policy,
               const HostCosts& costs);

}  // namespace ahead::sim
