#include "sim/devices/net_device.h"

#include <algorithm>

#include "sim/devices/transfer.h"

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
  return sim::TransferTime(size, parameters_.bandwidth_per_second);
}

}  // namespace ahead::sim
