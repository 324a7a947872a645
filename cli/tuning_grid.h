// Which settings does `ahead tune` try? Every combination of some values of some engine options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/options.h"

namespace ahead::cli {

// An option and the values to try, as they are written on a command line.
struct TunedOption {
  std::string name;
  std::vector<std::string> values;
};

// Takes NAME=VALUE,VALUE,...; a name with '-' or '_'. Error: one line, what is refused and what is accepted.
absl::StatusOr<TunedOption> ParseTunedOption(const std::string& text);

// What is tried when nothing is said.
std::vector<TunedOption> DefaultGrid();

struct TunedSetting {
  Options options;
  std::vector<std::pair<std::string, std::string>> words;  // name and value of what is not the default
};

// Returns the defaults first, then every other combination, none twice. The same option given twice has the values of
// both. Cost: their number.
std::vector<TunedSetting> MakeGrid(const std::vector<TunedOption>& options);

// Returns e.g. "ratio=100 max=8MiB", or "defaults".
std::string Describe(const TunedSetting& setting);

// Returns e.g. "ahead run --ratio 100 --max 8MiB -- COMMAND".
std::string CommandLineOf(const TunedSetting& setting);

}  // namespace ahead::cli
