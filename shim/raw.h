// The descriptor functions as plain system calls, for the time before our constructor has run: an allocator that is
// being set up opens and maps files while it holds its own lock, and looking up a symbol then may come back to it.
#pragma once

#include "shim/real.h"

namespace ahead::raw {

// Returns a stand-in for `function`, null for the functions of stdio, which have none.
void* Find(real::Function function) noexcept;

}  // namespace ahead::raw
