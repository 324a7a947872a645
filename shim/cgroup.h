// How much memory do the cgroups of this process allow? For programs that no `ahead run` told (cli/memory_limit.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace ahead {

// One cgroup with the memory controller: the folder below /sys/fs/cgroup, and whether it is of version 2.
struct MemoryCgroup {
  char path[512] = {};
  bool is_v2 = false;
};

// Finds the cgroup in `text`, `size` bytes of /proc/self/cgroup. Where both versions are there, the first one, which
// has the controller. Returns false when there is none, or its path is too long.
bool FindMemoryCgroup(const char* text, size_t size, MemoryCgroup& found) noexcept;

// Returns the number that the text of a limit begins with; 0 for "max", what is no number, and what version 1 says in
// place of no limit.
int64_t ParseLimit(const char* text, size_t size) noexcept;

// Returns the least limit of the process's memory cgroup and those above it; 0: none, or it cannot be told. Cost: a few
// files of /proc and /sys are opened, read and closed, one at a time. Thread safety: one thread at a time. May change
// errno. REQUIRES: the process may make system calls.
int64_t LeastCgroupLimit() noexcept;

}  // namespace ahead
