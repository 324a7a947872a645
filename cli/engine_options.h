// The options of the engine (core/options.def) as options of a command, as words NAME=VALUE of an A/B arm, and as the
// environment variables libahead.so reads. All three are checked by the core, so they accept the same values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/environment.h"

namespace ahead::cli {

// Options that were given, by row of options.def, in the order given.
class EngineOptions {
 public:
  // Returns an empty text, or why `name` (with '-' or '_') or `value` is refused. Paths are made absolute, because the
  // command may change its folder.
  std::string Set(const std::string& name, const std::string& value);

  // Returns the value given for `name`, or an empty text.
  std::string Get(const std::string& name) const;
  // Returns "name=value" of what was given, one a line.
  std::string Describe() const;
  void ExportTo(Environment& environment) const;

 private:
  std::vector<std::pair<size_t, std::string>> given_;
};

// Adds one option --NAME to `app` for each row of options.def; what is given goes to `options`.
void AddEngineOptions(CLI::App& app, EngineOptions& options);

// Makes the paths that the variables of the environment name absolute, because the command may change its folder.
void MakePathsAbsolute(Environment& environment);

// Returns an empty text, or which AHEAD_ variable of the environment has a bad value and what is accepted.
std::string RefuseVariables(const Environment& environment);

// Returns "name=value" of the engine options the environment sets, one a line.
std::string DescribeVariables(const Environment& environment);

// Removes the variables of all engine options.
void RemoveVariables(Environment& environment);

}  // namespace ahead::cli
