// How long do bytes take on a pipe of so many bytes a second? The one place where the division is done.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead::sim {

// Returns how long `size` bytes occupy a pipe of `per_second` bytes a second (0: unlimited), rounded down to a
// nanosecond.
constexpr Nanos TransferTime(ByteCount size, int64_t per_second) {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  if (per_second <= 0 || size.value <= 0) return {};
  // Whole seconds apart, so that the product below stays inside 64 bits for any size.
  const int64_t seconds = size.value / per_second;
  const int64_t rest = size.value % per_second;
  if (rest <= INT64_MAX / kNanosPerSecond) return {seconds * kNanosPerSecond + rest * kNanosPerSecond / per_second};
  return {seconds * kNanosPerSecond + rest / (per_second / kNanosPerSecond)};
}

}  // namespace ahead::sim
