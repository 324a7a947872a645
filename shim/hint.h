// FADV_RANDOM on descriptions of this process: given when the core says that a file is read at random, taken back when
// it says otherwise and before anybody else comes to share the description.
#pragma once

#include <atomic>

#include "core/decision.h"
#include "shim/descriptors.h"
#include "shim/files.h"

namespace ahead {

// The highest number that was ever advised; -1: none was.
[[gnu::visibility("hidden")]] extern constinit std::atomic<int> highest_hinted;

// Does what the decision says. One that exec would hand on is never advised. A file of which the kernel refuses it is
// not advised again. REQUIRES: inside a Section.
void Heed(int fd, const LockedFile& file, Slot slot, Decision::Hint hint) noexcept;

// Takes back what was given to the description of `fd`, for good: others may share it from now on. Keeps errno. Cost
// where nothing was ever given: a load.
void WithdrawForGood(int fd) noexcept;

// The same for all.
void WithdrawAll() noexcept;

}  // namespace ahead
