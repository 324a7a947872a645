// One side of an A/B comparison: a name and settings.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/engine_options.h"

namespace ahead::cli {

struct Arm {
  std::string name;
  EngineOptions options;
  bool is_bare = false;  // runs without the library
};

// Reads "NAME[:OPTION=VALUE,...]". "bare" alone is the command without the library; every other arm has the library,
// with the options given and the defaults for the rest. A comma inside a value is written "\,".
// Errors: which part is wrong and what is accepted.
absl::StatusOr<Arm> ParseArm(const std::string& text);

}  // namespace ahead::cli
