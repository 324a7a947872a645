// How are a time, a size and a rate written on the command line? Each with its unit, and nothing guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace ahead::disk {

inline constexpr const char* kTimeAccepted = "a time such as 2ms, 0.2ms, 200us, 1s, or 0";
inline constexpr const char* kSizeAccepted = "a size such as 128KiB, 1MiB or 4096 (bytes; powers of 1024)";
inline constexpr const char* kRateAccepted = "a rate such as 500MB/s, 1GB/s, 800kB/s (powers of 1000), or unlimited";

// Each returns nothing when `text` is not what the constant above describes, is negative or does not fit.
std::optional<Nanos> ParseTime(std::string_view text);
std::optional<ByteCount> ParseSize(std::string_view text);
// Bytes a second; 0 for `unlimited`.
std::optional<int64_t> ParseRate(std::string_view text);
// `on` or `off`.
std::optional<bool> ParseSwitch(std::string_view text);

}  // namespace ahead::disk
