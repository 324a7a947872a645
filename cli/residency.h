// How much of a file is in memory? Asks the kernel, and says when it cannot be known.
#pragma once

#include <cstdint>
#include <optional>

namespace ahead::cli {

// Returns the bytes of the open file `fd` that are in the page cache, whole pages. Nothing when it cannot be told: the
// kernel answers for files only that one owns or may write, and mincore claims all of the others to be resident.
// Uses cachestat (6.5+), else mincore.
std::optional<int64_t> ResidentBytes(int fd);

}  // namespace ahead::cli
