#include "sim/devices/ssd_device.h"

#include <algorithm>
#include <utility>

#include "sim/devices/transfer.h"

namespace ahead::sim {

SsdDevice::SsdDevice(const SsdParameters& parameters, Placement placement)
    : parameters_(parameters),
      placement_(std::move(placement)),
      channel_free_(static_cast<size_t>(std::max(parameters.channels, 1))) {
  parameters_.stripe = std::max(parameters_.stripe, 1_B);
}

void SsdDevice::Submit(Nanos now, const DeviceRequest& request) {
  // What is on the interface by now stays there; what is not may be overtaken.
  while (!complete_.empty() && std::max(complete_.begin()->time, interface_free_) <= now) SendFirst();
  const Position begin = placement_.Of(request.inode, request.range.begin);
  const int64_t stripe = parameters_.stripe.value;
  const int64_t first = begin.value / stripe;
  const int64_t last = std::max(first, (begin.value + request.range.size().value - 1) / stripe);
  Nanos all_read = now;
  for (int64_t at = first; at <= last; ++at) {
    Nanos& free = channel_free_[static_cast<size_t>(at) % channel_free_.size()];
    free = std::max(now, free) + parameters_.latency;
    all_read = std::max(all_read, free);
  }
  complete_.insert({all_read, submitted_++, request});
}

Nanos SsdDevice::AnswerTime(const Complete& complete) const {
  return std::max(complete.time, interface_free_) + TransferTime(complete.request.range.size());
}

void SsdDevice::SendFirst() {
  const Complete first = *complete_.begin();
  complete_.erase(complete_.begin());
  interface_free_ = AnswerTime(first);
  sent_.push_back({interface_free_, first.request});
}

Nanos SsdDevice::NextAnswer() const {
  if (!sent_.empty()) return sent_.front().time;
  return complete_.empty() ? kNever : AnswerTime(*complete_.begin());
}

DeviceRequest SsdDevice::TakeAnswer() {
  if (sent_.empty()) SendFirst();
  const DeviceRequest request = sent_.front().request;
  sent_.pop_front();
  return request;
}

Nanos SsdDevice::TransferTime(ByteCount size) const {
  return sim::TransferTime(size, parameters_.bandwidth_per_second);
}

}  // namespace ahead::sim
