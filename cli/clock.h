// The clock that durations are taken with.
#pragma once

#include <time.h>

#include "core/units.h"

namespace ahead::cli {

inline Nanos MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

inline double SecondsOf(Nanos time) { return static_cast<double>(time.value) * 1e-9; }

}  // namespace ahead::cli
