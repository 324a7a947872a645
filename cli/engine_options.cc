#include "cli/engine_options.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cli/usage.h"
#include "core/options.h"

namespace ahead::cli {
namespace {

std::string WithDashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::optional<size_t> RowOf(const std::string& name) {
  for (size_t row = 0; row < kOptionCount; ++row)
    if (WithDashes(OptionAt(row).name) == WithDashes(name)) return row;
  return std::nullopt;
}

std::string UnknownName(const std::string& name) {
  std::vector<std::string> names;
  for (size_t row = 0; row < kOptionCount; ++row) names.push_back(WithDashes(OptionAt(row).name));
  const std::string nearest = NearestName(WithDashes(name), names);
  return absl::StrCat("unknown option '", name, "'", nearest.empty() ? "" : "; did you mean ", nearest,
                      nearest.empty() ? "" : "?");
}

// Returns an empty text, or why `value` is refused for `row`.
std::string RefuseValue(size_t row, const std::string& value) {
  Options ignored;
  if (SetOption(ignored, row, value.c_str())) return "";
  char accepted[160];
  return absl::StrCat("'", value, "' is not ", DescribeAccepted(row, accepted, sizeof accepted));
}

bool NamesFile(size_t row) {
  const std::string name = OptionAt(row).name;
  return name == "stats" || name == "trace";
}

// Takes the pattern of a file name: in the folder before it a '%' is doubled. Returns it as it is where the current
// folder is gone: nothing can be made there anyway.
std::string Absolute(const std::string& pattern) {
  std::error_code gone;
  const std::filesystem::path folder = std::filesystem::current_path(gone);
  if (pattern.starts_with('/') || gone) return pattern;
  std::string absolute;
  for (const char c : (folder / "").string()) absolute.append(c == '%' ? 2 : 1, c);
  return absolute + pattern;
}

}  // namespace

std::string EngineOptions::Set(const std::string& name, const std::string& value) {
  const std::optional<size_t> row = RowOf(name);
  if (!row) return UnknownName(name);
  if (std::string refused = RefuseValue(*row, value); !refused.empty()) return refused;
  given_.emplace_back(*row, NamesFile(*row) ? Absolute(value) : value);
  return "";
}

std::string EngineOptions::Get(const std::string& name) const {
  const std::optional<size_t> row = RowOf(name);
  for (auto given = given_.rbegin(); given != given_.rend(); ++given)
    if (row && given->first == *row) return given->second;
  return "";
}

std::string EngineOptions::Describe() const {
  std::string text;
  for (const auto& [row, value] : given_) absl::StrAppend(&text, OptionAt(row).name, "=", value, "\n");
  return text;
}

void EngineOptions::ExportTo(Environment& environment) const {
  for (const auto& [row, value] : given_) environment.Set(OptionAt(row).variable, value);
}

void AddEngineOptions(CLI::App& app, EngineOptions& options) {
  for (size_t row = 0; row < kOptionCount; ++row) {
    const std::string name = OptionAt(row).name;
    const auto take = [&options, name](const std::string& value) {
      if (const std::string refused = options.Set(name, value); !refused.empty())
        throw CLI::ValidationError("--" + WithDashes(name), refused);
    };
    constexpr const char* kTypeNames[] = {"N", "BYTES", "auto|off", "TEXT"};
    std::string help = OptionAt(row).help;
    char accepted[160];
    if (OptionAt(row).kind != OptionKind::kText)
      help += absl::StrCat(" (", DescribeAccepted(row, accepted, sizeof accepted), ")");
    app.add_option_function<std::string>("--" + WithDashes(name), take, help)
        ->type_name(kTypeNames[static_cast<size_t>(OptionAt(row).kind)])
        ->group("Engine");
  }
}

void MakePathsAbsolute(Environment& environment) {
  for (size_t row = 0; row < kOptionCount; ++row) {
    const std::optional<std::string> value = environment.Get(OptionAt(row).variable);
    if (value && !value->empty() && NamesFile(row)) environment.Set(OptionAt(row).variable, Absolute(*value));
  }
}

std::string RefuseVariables(const Environment& environment) {
  for (size_t row = 0; row < kOptionCount; ++row) {
    const char* variable = OptionAt(row).variable;
    const std::optional<std::string> value = environment.Get(variable);
    if (!value) continue;
    if (const std::string refused = RefuseValue(row, *value); !refused.empty())
      return absl::StrCat("environment variable ", variable, ": ", refused);
  }
  return "";
}

std::string DescribeVariables(const Environment& environment) {
  std::string text;
  for (size_t row = 0; row < kOptionCount; ++row)
    if (const std::optional<std::string> value = environment.Get(OptionAt(row).variable))
      absl::StrAppend(&text, OptionAt(row).name, "=", *value, "\n");
  return text;
}

void RemoveVariables(Environment& environment) {
  for (size_t row = 0; row < kOptionCount; ++row) environment.Unset(OptionAt(row).variable);
}

}  // namespace ahead::cli
