// Carries a decision out: looks which pieces are there already, asks the kernel for the rest as far as the mount takes
// it, and looks what became of them. Inline, in the host's thread, on the host's own descriptor (design, facts 2 to 4).
#pragma once

#include <cstdint>

#include "core/decision.h"
#include "core/facts.h"
#include "shim/descriptors.h"
#include "shim/residency.h"

namespace ahead {

// Some consecutive pieces of a decision and what became of each. Small enough for a stack of 16 KiB.
struct Batch {
  static constexpr int32_t kMost = 16;

  int32_t first = 0;
  int32_t count = 0;
  PieceOutcome outcomes[kMost];
  Nanos asked_at[kMost];  // when each was asked for, or looked at
  // The kernel does not read ahead on this file (an errno); 0: it does. EBADF: the descriptor has become another one.
  int refused = 0;
};

// Issues pieces [batch.first, batch.first + batch.count) through `fd`, at most `allowed` of them. Pieces beyond that,
// and those after a call that blocked a reader which had data to go on with, are put off. So are all once the slot of
// `fd` is not `slot`: another thread closes it, and the number may be another file's. May change errno.
// `source` is the file's way of asking for residency, and is replaced where it turns out not to work.
void IssueBatch(int fd, Slot slot, const Decision& decision, const Facts& facts, int32_t allowed,
                ResidencySource& source, Batch& batch) noexcept;

}  // namespace ahead
