#include "bench/disk/net_model.h"

#include <algorithm>

namespace ahead::disk {

Nanos NetModel::Admit(Nanos arrival, ByteCount size) {
  pipe_free_ = std::max(arrival + latency_, pipe_free_) + TransferTime(size);
  return pipe_free_;
}

Nanos NetModel::TransferTime(ByteCount size) const {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  if (bandwidth_ <= 0 || size.value <= 0) return {};
  // Whole seconds apart, so that the product below stays inside 64 bits for any size.
  const int64_t seconds = size.value / bandwidth_;
  const int64_t rest = size.value % bandwidth_;
  if (rest <= INT64_MAX / kNanosPerSecond) return {seconds * kNanosPerSecond + rest * kNanosPerSecond / bandwidth_};
  return {seconds * kNanosPerSecond + rest / (bandwidth_ / kNanosPerSecond)};
}

}  // namespace ahead::disk
