#include "bench/sizing/picker.h"

#include <cmath>
#include <utility>

namespace ahead {

Picker::Pick Picker::Next() {
  if (shape_ == "zipf") return {false, Zipf()};
  if (shape_ == "clustered") return {false, Clustered()};
  if (shape_ == "mixed" && random_() % 10 == 0) return {true, sequential_++ % pages_};
  return {false, uniform_(random_)};
}

// The inverse of Zipf's law with exponent 1: the page of rank r is wanted 1/r as often as that of rank 1. Ranks lie
// scattered: times an odd number, which shares no factor with a power of two of pages.
int64_t Picker::Zipf() {
  const double u = std::uniform_real_distribution<double>(0, 1)(random_);
  const auto rank = static_cast<int64_t>(std::exp(u * std::log(static_cast<double>(pages_)))) - 1;
  return static_cast<int64_t>((static_cast<uint64_t>(rank) * 0x9E3779B1) % static_cast<uint64_t>(pages_));
}

// All pages of a place, in random order, then another place.
int64_t Picker::Clustered() {
  if (left_ == 0) {
    left_ = kCluster;
    constexpr auto kPages = static_cast<int64_t>(kCluster);
    place_ = uniform_(random_) / kPages * kPages;
    for (size_t i = 0; i < kCluster; ++i) order_[i] = static_cast<int64_t>(i);
    for (size_t k = kCluster; k > 1; --k) std::swap(order_[k - 1], order_[random_() % k]);
  }
  return place_ + order_[--left_];
}

}  // namespace ahead
