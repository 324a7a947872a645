// Would the system calls of the engine be survived under the filters (seccomp) that this process and its children run
// under? Containers have one that only refuses; others kill. Nobody says which, so it is tried.
#pragma once

namespace ahead::cli {

struct Filters {
  int count = 0;            // 0 as well when the kernel does not say (before 5.9)
  bool are_deadly = false;  // or it could not be tried
};

// Looks whether there are filters, and if so makes each call of the engine, to no effect, in a child.
Filters TryFilters();

}  // namespace ahead::cli
