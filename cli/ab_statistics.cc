#include "cli/ab_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ahead::cli {
namespace {

// Two decimals as a rule, three where the difference is below 10 %.
std::string Times(double ratio) { return absl::StrFormat("%.*f", ratio < 1.1 ? 3 : 2, ratio); }

std::string Written(const Interval& interval) {
  return absl::StrCat("95 % interval ", Times(interval.low), " to ", Times(interval.high));
}

// The interval that leaves `outside` of the sorted values out, half at each end.
Interval Middle(const std::vector<double>& sorted, double outside) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return {sorted[static_cast<size_t>(std::lround(outside / 2 * last))],
          sorted[static_cast<size_t>(std::lround((1 - outside / 2) * last))]};
}

// As Median, of values it may reorder: a resample is not looked at again.
double MedianOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Verdict Judge(const Comparison& comparison) {
  if (comparison.pair_count < kFewestPairs) return Verdict::kTooFewPairs;
  if (comparison.certain.low > 1) return Verdict::kFaster;
  if (comparison.certain.high < 1) return Verdict::kSlower;
  return Verdict::kNoDifference;
}

}  // namespace

double Median(std::vector<double> values) { return MedianOf(values); }

Comparison Compare(const std::vector<double>& reference, const std::vector<double>& arm, uint64_t seed) {
  std::vector<double> ratios;
  for (size_t pair = 0; pair < reference.size(); ++pair) ratios.push_back(reference[pair] / arm[pair]);

  std::mt19937_64 random(seed);
  std::uniform_int_distribution<size_t> any(0, ratios.size() - 1);
  std::vector<double> medians(kResamples);
  std::vector<double> resample(ratios.size());
  for (double& median : medians) {
    for (double& drawn : resample) drawn = ratios[any(random)];
    median = MedianOf(resample);
  }
  std::sort(medians.begin(), medians.end());

  Comparison comparison;
  comparison.pair_count = ratios.size();
  comparison.speedup = Median(ratios);
  comparison.likely = Middle(medians, 0.05);
  comparison.certain = Middle(medians, 0.01);
  comparison.verdict = Judge(comparison);
  return comparison;
}

std::string Sentence(const Comparison& comparison, const std::string& reference, const std::string& arm) {
  const std::string measured = absl::StrCat(Times(comparison.speedup), "x, ", Written(comparison.likely));
  switch (comparison.verdict) {
    case Verdict::kTooFewPairs:
      return absl::StrCat("too few pairs to compare ", arm, " with ", reference, ": ", comparison.pair_count,
                          ", at least ", kFewestPairs, " are needed");
    case Verdict::kFaster:
      return absl::StrCat(arm, " is ", Times(comparison.speedup), "x faster than ", reference, " (",
                          Written(comparison.likely), ")");
    case Verdict::kSlower:
      return absl::StrCat(arm, " is ", Times(1 / comparison.speedup), "x slower than ", reference, " (",
                          Written({1 / comparison.likely.high, 1 / comparison.likely.low}), ")");
    case Verdict::kNoDifference:
      break;
  }
  if (comparison.likely.contains(1))
    return absl::StrCat("no difference found between ", arm, " and ", reference, " (", measured, ")");
  return absl::StrCat("no difference shown between ", arm, " and ", reference, " (", measured,
                      "; that far off 1 a thing compared with itself comes once in 20 times: more --runs would tell)");
}

std::vector<std::vector<size_t>> RandomOrders(size_t arm_count, size_t rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<size_t>> orders;
  std::vector<size_t> order(arm_count);
  while (orders.size() < rounds) {
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (size_t shift = 0; shift < arm_count && orders.size() < rounds; ++shift) {
      orders.push_back(order);
      std::rotate(order.begin(), order.begin() + 1, order.end());
    }
  }
  std::shuffle(orders.begin(), orders.end(), random);
  return orders;
}

}  // namespace ahead::cli
