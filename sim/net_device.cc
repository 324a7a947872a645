#include "sim/net_device.h"

#include <algorithm>
#include <cassert>

namespace ahead::sim {

Nanos NetDevice::FreeAt(Nanos now) const {
  const auto slots = static_cast<size_t>(parameters_.in_flight);
  if (answers_.size() < slots) return now;
  return std::max(now, answers_[answers_.size() - slots]);
}

Nanos NetDevice::Submit(Nanos now, ByteCount size) {
  assert(FreeAt(now) == now);
  pipe_free_ = std::max(now + parameters_.latency, pipe_free_) + TransferTime(size);
  answers_.push_back(pipe_free_);
  while (answers_.size() > static_cast<size_t>(parameters_.in_flight)) answers_.pop_front();
  ++requests_;
  bytes_ += size;
  return pipe_free_;
}

Nanos NetDevice::TransferTime(ByteCount size) const {
  if (parameters_.bandwidth_per_second <= 0) return {};
  const double seconds = static_cast<double>(size.value) / static_cast<double>(parameters_.bandwidth_per_second);
  return {static_cast<int64_t>(seconds * 1e9)};
}

Nanos NetDevice::LeastTime(int64_t requests, ByteCount bytes) const {
  if (requests <= 0) return {};
  // Full rounds of `in_flight` requests, each a latency, or the pipe behind the first latency: whichever is longer.
  const int64_t rounds = (requests + parameters_.in_flight - 1) / parameters_.in_flight;
  const Nanos smallest = TransferTime({bytes.value / requests});
  return std::max(parameters_.latency * rounds + smallest, parameters_.latency + TransferTime(bytes));
}

}  // namespace ahead::sim
