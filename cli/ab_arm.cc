#include "cli/ab_arm.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ahead::cli {
namespace {

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      parts.back() += text[++i];
    else if (text[i] == ',')
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

bool IsName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 127 && c != '='; });
}

}  // namespace

absl::StatusOr<Arm> ParseArm(const std::string& text) {
  Arm arm;
  const size_t colon = text.find(':');
  arm.name = text.substr(0, colon);
  if (!IsName(arm.name))
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' has no name; it is NAME or NAME:OPTION=VALUE,..."));
  arm.is_bare = arm.name == "bare";
  if (colon == std::string::npos) return arm;
  if (arm.is_bare)
    return absl::InvalidArgumentError(absl::StrCat("'", text, "': bare runs without the library and takes no options"));
  for (const std::string& part : SplitAtCommas(text.substr(colon + 1))) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat("'", part, "' in '", text, "' is not OPTION=VALUE"));
    const std::string name = part.substr(0, equals);
    if (const std::string refused = arm.options.Set(name, part.substr(equals + 1)); !refused.empty())
      return absl::InvalidArgumentError(absl::StrCat("'", text, "': ", name, ": ", refused));
  }
  return arm;
}

}  // namespace ahead::cli
