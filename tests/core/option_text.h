// How the documentation writes the default of an option.
#pragma once

#include <string>

#include "core/options.h"

namespace ahead {

inline std::string BytesText(int64_t value) {
  const char* units[] = {"", "KiB", "MiB", "GiB"};
  int unit = 0;
  while (unit < 3 && value != 0 && value % 1024 == 0) value /= 1024, ++unit;
  return std::to_string(value) + units[unit];
}

inline std::string DefaultText(const OptionRow& row) {
  if (row.kind == OptionKind::kText) return "";
  if (row.kind == OptionKind::kAuto) return row.default_value != 0 ? "auto" : "off";
  if (row.kind == OptionKind::kNumber) return std::to_string(row.default_value);
  return row.default_value == 0 ? "auto" : BytesText(row.default_value);
}

}  // namespace ahead
