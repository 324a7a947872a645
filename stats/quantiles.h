// How are many values spread? By nearest rank, so that what is said is a value that occurred.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ahead {

struct Quantiles {
  size_t count = 0;  // of values; all others are 0 when it is
  int64_t total = 0;
  int64_t least = 0;
  int64_t median = 0;
  int64_t p90 = 0;
  int64_t p99 = 0;
  int64_t most = 0;
};

// Returns the value of rank ceil(share * count) in `sorted`, which is not empty and ascends; 0 < share <= 1.
inline int64_t NearestRank(const std::vector<int64_t>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

inline Quantiles QuantilesOf(std::vector<int64_t> values) {
  Quantiles quantiles;
  if (values.empty()) return quantiles;
  std::sort(values.begin(), values.end());
  quantiles.count = values.size();
  for (const int64_t value : values) quantiles.total += value;
  quantiles.least = values.front();
  quantiles.median = NearestRank(values, 0.5);
  quantiles.p90 = NearestRank(values, 0.9);
  quantiles.p99 = NearestRank(values, 0.99);
  quantiles.most = values.back();
  return quantiles;
}

}  // namespace ahead
