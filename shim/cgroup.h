// How much memory do the cgroups of this process allow? For programs that no `ahead run` told (cli/memory_facts.h).
#pragma once

#include <cstdint>

namespace ahead {

// Returns the least limit of the process's memory cgroups and those above them; 0: none, or it cannot be told. Cost: a
// few files of /proc and /sys are opened, read and closed, one at a time. Thread safety: one thread at a time. May
// change errno. REQUIRES: the process may make system calls.
int64_t LeastCgroupLimit() noexcept;

}  // namespace ahead
