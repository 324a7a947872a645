// Makes a list of accesses on a real file of a mounted ahead-disk.
#pragma once

#include <filesystem>
#include <vector>

#include "core/units.h"
#include "sim/workload.h"

namespace ahead::disk {

enum class Pace {
  kStepwise,  // each step when all that the one before asked for is there
  kFree,      // one step after the other
};

// Performs the steps on `file`. `mountpoint` is that of the disk. Returns false when a call failed; else all that was
// asked for is there.
bool Play(const sim::Workload& work, const std::filesystem::path& file, const std::filesystem::path& mountpoint,
          Pace pace);

}  // namespace ahead::disk
