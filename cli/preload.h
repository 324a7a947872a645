// Where is libahead.so, and what does LD_PRELOAD become so that a program loads it?
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace ahead::cli {

// Returns the library's path, looked for relative to this executable, so that an installed prefix may be moved, and in
// the build tree. Errors: NotFound, naming the paths tried.
absl::StatusOr<std::string> FindLibrary();

// Says why `path` cannot be written in LD_PRELOAD, where ' ' and ':' separate entries and '$' begins a token the loader
// replaces; empty when it can.
std::string WhyNotExpressible(const std::string& path);

// Returns `existing` with `library` in front, or where it is already when an entry is that very file. Further entries
// of it and other copies of the library (same file name) are dropped: two engines in one process would work against
// each other. All else stays word for word.
std::string PreloadWith(const std::string& existing, const std::string& library);

// Returns `existing` without any copy of the library.
std::string PreloadWithout(const std::string& existing, const std::string& library);

// Says why the kernel would not take `preload` as the value of LD_PRELOAD; empty when it would.
std::string WhyTooLong(const std::string& preload);

}  // namespace ahead::cli
