#include "sim/devices/net_device.h"

#include <algorithm>

namespace ahead::sim {

void NetDevice::Submit(Nanos now, const DeviceRequest& request) {
  pipe_free_ = std::max(now + parameters_.latency, pipe_free_) + TransferTime(request.range.size());
  waiting_.push_back({pipe_free_, request});
}

DeviceRequest NetDevice::TakeAnswer() {
  const DeviceRequest request = waiting_.front().request;
  waiting_.pop_front();
  return request;
}

Nanos NetDevice::TransferTime(ByteCount size) const {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  const int64_t bandwidth = parameters_.bandwidth_per_second;
  if (bandwidth <= 0 || size.value <= 0) return {};
  // Whole seconds apart, so that the product below stays inside 64 bits for any size.
  const int64_t seconds = size.value / bandwidth;
  const int64_t rest = size.value % bandwidth;
  if (rest <= INT64_MAX / kNanosPerSecond) return {seconds * kNanosPerSecond + rest * kNanosPerSecond / bandwidth};
  return {seconds * kNanosPerSecond + rest / (bandwidth / kNanosPerSecond)};
}

}  // namespace ahead::sim
