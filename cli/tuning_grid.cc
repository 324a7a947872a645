#include "cli/tuning_grid.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/usage.h"

namespace ahead::cli {
namespace {

// Text options and `off` say nothing to a simulation.
bool CanBeTuned(const OptionRow& row) { return row.kind != OptionKind::kText && std::string(row.name) != "off"; }

std::vector<std::string> NamesOfTuned() {
  std::vector<std::string> names;
  for (size_t row = 0; row < kOptionCount; ++row)
    if (CanBeTuned(OptionAt(row))) names.emplace_back(OptionAt(row).name);
  return names;
}

std::optional<size_t> RowOf(const std::string& name) {
  for (size_t row = 0; row < kOptionCount; ++row)
    if (name == OptionAt(row).name && CanBeTuned(OptionAt(row))) return row;
  return std::nullopt;
}

std::vector<int64_t> NumbersOf(const Options& options) {
  return {
#define AHEAD_OPTION(name, ...) options.name,
#include "core/options.def"
#undef AHEAD_OPTION
  };
}

}  // namespace

absl::StatusOr<TunedOption> ParseTunedOption(const std::string& text) {
  const size_t equals = text.find('=');
  TunedOption option{absl::StrReplaceAll(text.substr(0, equals), {{"-", "_"}}), {}};
  const std::optional<size_t> row = RowOf(option.name);
  if (equals == std::string::npos || !row) {
    const std::string nearest = NearestName(option.name, NamesOfTuned());
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not NAME=VALUE,VALUE,... with one of ", absl::StrJoin(NamesOfTuned(), ", "),
                     !row && !nearest.empty() ? absl::StrCat("; did you mean ", nearest, "?") : ""));
  }
  option.values = absl::StrSplit(text.substr(equals + 1), ',');
  for (const std::string& value : option.values) {
    Options ignored;
    char accepted[160];
    if (!SetOption(ignored, *row, value.c_str()))
      return absl::InvalidArgumentError(
          absl::StrCat(option.name, ": '", value, "' is not ", DescribeAccepted(*row, accepted, sizeof accepted)));
  }
  return option;
}

std::vector<TunedOption> DefaultGrid() {
  return {{"ratio", {"25", "50", "100"}},
          {"max", {"auto", "1MiB", "8MiB", "32MiB"}},
          {"initial", {"64KiB", "128KiB", "512KiB"}},
          {"hit_rate", {"1", "4"}},
          {"memory", {"auto", "64MiB"}}};
}

std::vector<TunedSetting> MakeGrid(const std::vector<TunedOption>& options) {
  std::vector<TunedOption> merged;
  for (const TunedOption& option : options) {
    const auto known =
        std::find_if(merged.begin(), merged.end(), [&](const TunedOption& each) { return each.name == option.name; });
    if (known == merged.end())
      merged.push_back(option);
    else
      known->values.insert(known->values.end(), option.values.begin(), option.values.end());
  }
  std::vector<TunedSetting> grid(1);
  std::set<std::vector<int64_t>> met = {NumbersOf(grid[0].options)};
  std::vector<TunedSetting> partial(1);
  for (const TunedOption& option : merged) {
    const size_t row = *RowOf(option.name);
    std::vector<TunedSetting> longer;
    for (const TunedSetting& setting : partial) {
      for (const std::string& value : option.values) {
        TunedSetting next = setting;
        const std::vector<int64_t> before = NumbersOf(next.options);
        SetOption(next.options, row, value.c_str());
        if (NumbersOf(next.options) != before) next.words.emplace_back(option.name, value);
        longer.push_back(std::move(next));
      }
    }
    partial = std::move(longer);
  }
  for (TunedSetting& setting : partial)
    if (met.insert(NumbersOf(setting.options)).second) grid.push_back(std::move(setting));
  return grid;
}

std::string Describe(const TunedSetting& setting) {
  if (setting.words.empty()) return "defaults";
  return absl::StrJoin(setting.words, " ", absl::PairFormatter("="));
}

std::string CommandLineOf(const TunedSetting& setting) {
  std::string line = "ahead run";
  for (const auto& [name, value] : setting.words)
    absl::StrAppend(&line, " --", absl::StrReplaceAll(name, {{"_", "-"}}), " ", value);
  return line + " -- COMMAND";
}

}  // namespace ahead::cli
