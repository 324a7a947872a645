#include "bench/disk/faults.h"

#include <charconv>

#include "bench/disk/quantity.h"

namespace ahead::disk {
namespace {

constexpr ByteCount kSector = 4_KiB;

}  // namespace

std::optional<ByteRange> ParseFailAt(std::string_view text) {
  const size_t plus = text.find('+');
  const auto offset = ParseSize(text.substr(0, plus));
  const auto length = plus == std::string_view::npos ? std::optional(kSector) : ParseSize(text.substr(plus + 1));
  // Sizes are parsed to at most 4e18, so that the sum below stays inside 64 bits.
  if (!offset || !length || *length <= 0_B) return std::nullopt;
  const ByteOffset begin{offset->value};
  return ByteRange{begin, begin + *length};
}

std::optional<DieAfter> ParseDieAfter(std::string_view text) {
  DieAfter parsed;
  uint64_t reads = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), reads);
  if (error == std::errc() && std::string_view(rest, text.data() + text.size()) == "reads") {
    parsed.reads = reads;
    return parsed;
  }
  const auto bytes = ParseSize(text);
  if (!bytes) return std::nullopt;
  parsed.bytes = static_cast<uint64_t>(bytes->value);
  return parsed;
}

bool IsBad(ByteRange bad, ByteRange asked) { return asked.begin < bad.end && bad.begin < asked.end; }

bool IsDead(const DieAfter& die_after, uint64_t reads, uint64_t bytes) {
  return (die_after.reads && reads >= *die_after.reads) || (die_after.bytes && bytes >= *die_after.bytes);
}

}  // namespace ahead::disk
