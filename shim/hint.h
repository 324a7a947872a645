// FADV_RANDOM on descriptions of this process: given when the core says that a file is read at random, taken back when
// it says otherwise, and before anybody else comes to share the description (handing_on.h).
#pragma once

#include "core/decision.h"
#include "shim/descriptors.h"
#include "shim/files.h"

namespace ahead {

// Asks the kernel, which may refuse.
bool Advise(int fd, int advice) noexcept;

// Says whether exec hands `fd` on.
bool IsInheritable(int fd) noexcept;

// Does what the decision says, unless another process may have the description, or `fd` is being closed by another
// thread and so the number may be another file's. A file of which the kernel refuses it is not advised again. REQUIRES:
// inside a Section.
void Heed(int fd, const LockedFile& file, Slot slot, Decision::Hint hint) noexcept;

}  // namespace ahead
