// What memory is there at this moment, for a run and on its machine?
#pragma once

#include <cstdint>
#include <string>

#include "core/budget.h"

namespace ahead::cli {

// What a look found, and the clock of the pressure at that moment.
struct MemoryFacts {
  MemoryNow now;                      // without its pressure, which is that of the time between two looks
  int64_t stalled_microseconds = -1;  // some task, ever; -1: the kernel does not say
};

// Looks at the limits of this process's memory cgroups, of either version and at every level, and at how much of each
// is used, at what the machine has available, and at the pressure, of the cgroup where it has one. `root`: the folder
// in which proc and sys are looked for, "" on a real machine. Cost: some files of /proc and /sys are read.
MemoryFacts LookAtMemory(const std::string& root = "");

// The same without the pressure, which means nothing at a first look.
MemoryNow LookAtBounds(const std::string& root = "");

// Returns the path of the file in which the kernel tells the pressure: of this process's cgroup (version 2), else of
// the machine; "" when it tells none.
std::string PressureFile(const std::string& root = "");

}  // namespace ahead::cli
