// How much of what could be gained was gained? A policy between the kernel alone and perfect knowledge.
#pragma once

#include <optional>

#include "core/units.h"

namespace ahead::sim {

// Where the oracle gains less than this share of the kernel's time there is nothing to have a share of.
inline constexpr double kLeastGain = 0.02;

// Returns (kernel - policy) / (kernel - oracle), which is 1 for the oracle, 0 for the kernel and below 0 for what is
// slower than the kernel; nothing where the oracle gains less than kLeastGain of the kernel's time.
inline std::optional<double> ShareOfGain(Nanos kernel, Nanos policy, Nanos oracle) {
  const auto gain = static_cast<double>((kernel - oracle).value);
  if (kernel.value <= 0 || gain < kLeastGain * static_cast<double>(kernel.value)) return std::nullopt;
  return static_cast<double>((kernel - policy).value) / gain;
}

}  // namespace ahead::sim
