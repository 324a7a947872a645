// What memory is there for the file data of a run? The least of what its memory cgroups allow, of either version and
// at any level, and of a share of what the machine has available.
#pragma once

#include <cstdint>
#include <string>

namespace ahead::cli {

// Returns the bytes, 0 when nothing can be told. `root`: the folder in which proc and sys are looked for, "" on a real
// machine. Cost: a few files are read.
int64_t MemoryForFiles(const std::string& root = "");

}  // namespace ahead::cli
