// Compares a call with its bare twin in one process: blocks of calls of both alternate in random order, so that what
// changes slowly (clock frequency, other load, memory layout) falls on both. Two whole runs of a program differ by 10 %
// and more here; blocks agree to 0.4 %.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace ahead::bench {

// One side of a comparison.
struct Side {
  std::function<void()> prepare;  // brings the side to the start of a block; not timed
  std::function<void()> block;    // makes a block of calls; timed
};

// The middle of a set of ratios and its 95 % bootstrap interval.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

// Returns the estimate for `values`, at least one. Cost: sorts 1,000 resamples.
Estimate Bootstrap(const std::vector<double>& values);

// Runs one round per iteration of `state`, which must use manual time: a block of `hooked`, and two of `bare`, the
// second as A/A arm. Sets the counters ratio, ratio_low, ratio_high, again (A/A ratio), hook_ns and bare_ns (one call,
// median); the iteration time is that of `hooked`. `calls`: calls a block; `bytes`: bytes a call, for bytes processed.
void RunTwins(benchmark::State& state, const Side& hooked, const Side& bare, int64_t calls, int64_t bytes);

// Returns libc's own function `name`, around whatever is preloaded. Ends the program when there is none.
void* LibcSymbol(const char* name);

// Returns libc's own version of `function`, e.g. Libc<decltype(pread)>("pread").
template <typename Function>
Function* Libc(const char* name) {
  return reinterpret_cast<Function*>(LibcSymbol(name));
}

// Says whether calls of `name` from this program reach something other than libc.
bool IsHooked(const char* name);

}  // namespace ahead::bench
