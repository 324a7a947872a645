#include "cli/amounts.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace ahead::cli {

std::string FormatBytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  if (std::abs(amount) < 1024) return absl::StrFormat("%d B", bytes);
  size_t unit = 0;
  // What would be rounded to 1024.0 is one of the next unit.
  for (amount /= 1024; std::abs(amount) >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) amount /= 1024;
  return absl::StrFormat("%.1f %s", amount, kUnits[unit]);
}

std::string FormatTime(Nanos time) {
  const auto nanos = static_cast<double>(time.value);
  const double size = std::abs(nanos);
  if (size < 1e3) return absl::StrFormat("%d ns", time.value);
  if (size < 1e6) return absl::StrFormat("%.2f us", nanos / 1e3);
  if (size < 1e9) return absl::StrFormat("%.2f ms", nanos / 1e6);
  return absl::StrFormat("%.3f s", nanos / 1e9);
}

std::string FormatShare(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace ahead::cli
