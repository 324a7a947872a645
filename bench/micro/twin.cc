#include "bench/micro/twin.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace ahead::bench {
namespace {

constexpr int kResamples = 1000;
// Blocks before the first that counts: the engine has then learnt that the file is cached, and the branches are warm.
constexpr int kWarmUpRounds = 20;

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t TimeBlock(const Side& side) {
  side.prepare();
  const auto begin = std::chrono::steady_clock::now();
  side.block();
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Estimate Bootstrap(const std::vector<double>& values) {
  std::mt19937 chance(1);
  std::uniform_int_distribution<size_t> pick(0, values.size() - 1);
  std::vector<double> sample = values;
  std::vector<double> medians;
  const double median = Median(sample);
  for (int i = 0; i < kResamples; ++i) {
    for (double& value : sample) value = values[pick(chance)];
    medians.push_back(Median(sample));
  }
  std::sort(medians.begin(), medians.end());
  return {median, medians[kResamples / 40], medians[kResamples - 1 - kResamples / 40]};
}

void RunTwins(benchmark::State& state, const Side& hooked, const Side& bare, int64_t calls, int64_t bytes) {
  enum { kHooked, kBare, kAgain };
  const std::array<const Side*, 3> sides = {&hooked, &bare, &bare};
  std::array<size_t, 3> order = {kHooked, kBare, kAgain};
  std::array<std::vector<double>, 3> times;
  std::mt19937 chance(2);
  for (int i = 0; i < kWarmUpRounds; ++i) {
    for (const Side* side : sides) TimeBlock(*side);
  }
  for ([[maybe_unused]] auto iteration : state) {
    std::shuffle(order.begin(), order.end(), chance);
    for (size_t side : order) times[side].push_back(static_cast<double>(TimeBlock(*sides[side])));
    state.SetIterationTime(times[kHooked].back() / 1e9);
  }

  std::vector<double> ratios;
  std::vector<double> again;
  for (size_t i = 0; i < times[kHooked].size(); ++i) {
    // Not against the mean of both bare blocks: block times are skewed, and the median of that ratio is not 1.
    ratios.push_back(times[kHooked][i] / times[kBare][i]);
    again.push_back(times[kAgain][i] / times[kBare][i]);
  }
  const Estimate ratio = Bootstrap(ratios);
  state.counters["ratio"] = ratio.median;
  state.counters["ratio_low"] = ratio.low;
  state.counters["ratio_high"] = ratio.high;
  state.counters["again"] = Median(again);
  state.counters["hook_ns"] = Median(times[kHooked]) / static_cast<double>(calls);
  state.counters["bare_ns"] = Median(times[kBare]) / static_cast<double>(calls);
  state.SetItemsProcessed(state.iterations() * calls);
  state.SetBytesProcessed(state.iterations() * calls * bytes);
}

void* LibcSymbol(const char* name) {
  static void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* const symbol = libc == nullptr ? nullptr : dlsym(libc, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "ahead-micro: libc has no %s\n", name);
    std::exit(1);
  }
  return symbol;
}

bool IsHooked(const char* name) { return dlsym(RTLD_DEFAULT, name) != LibcSymbol(name); }

}  // namespace ahead::bench
