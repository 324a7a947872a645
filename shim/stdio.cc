#include "shim/stdio.h"

#include "shim/guard.h"

namespace ahead {

// The field is not set in streams in memory; libc knows which have one.
int OwnDescriptorOf(FILE* file) noexcept {
  const ErrnoSaver errno_saver;
  return fileno_unlocked(file);
}

}  // namespace ahead
