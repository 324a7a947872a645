#include "bench/disk/quantity.h"

#include <charconv>
#include <cmath>
#include <span>

namespace ahead::disk {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimeUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit kSizeUnits[] = {{"", 1},
                               {"B", 1},
                               {"K", 1024},
                               {"KiB", 1024},
                               {"M", 1024 * 1024},
                               {"MiB", 1024 * 1024},
                               {"G", 1024. * 1024 * 1024},
                               {"GiB", 1024. * 1024 * 1024}};
constexpr Unit kRateUnits[] = {{"B/s", 1}, {"kB/s", 1e3}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}};

// Returns number times unit, rounded; nothing when there is no number, no such unit, or no room in 62 bits.
std::optional<int64_t> ParseQuantity(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view name(rest, static_cast<size_t>(end - rest));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = number * unit.factor;
    if (value > 4e18) return std::nullopt;
    return std::llround(value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Nanos> ParseTime(std::string_view text) {
  if (text == "0") return Nanos{0};
  const auto value = ParseQuantity(text, kTimeUnits);
  return value ? std::optional(Nanos{*value}) : std::nullopt;
}

std::optional<ByteCount> ParseSize(std::string_view text) {
  const auto value = ParseQuantity(text, kSizeUnits);
  return value ? std::optional(ByteCount{*value}) : std::nullopt;
}

std::optional<int64_t> ParseRate(std::string_view text) {
  if (text == "unlimited") return 0;
  const auto value = ParseQuantity(text, kRateUnits);
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<bool> ParseSwitch(std::string_view text) {
  if (text == "on") return true;
  if (text == "off") return false;
  return std::nullopt;
}

}  // namespace ahead::disk
