// Finds symbols in the libraries that come after ours in the loader's order, as dlsym(RTLD_NEXT) does, but without the
// loader's lock and without allocation: a thread may make its first read while another one holds that lock in dlopen
// and waits for it, or from a signal handler, or from inside an allocator.
#pragma once

namespace ahead {

// Remembers the libraries that are loaded after ours; they stay for as long as we do. Called once, before other
// threads.
void FindLaterLibraries() noexcept;

// Returns the default version of the function `name`, or null where plain reading does not tell: not found, an
// indirect function, an object without a GNU hash table.
void* FindInLaterLibraries(const char* name) noexcept;

}  // namespace ahead
