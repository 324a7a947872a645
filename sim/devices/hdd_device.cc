#include "sim/devices/hdd_device.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/devices/transfer.h"

namespace ahead::sim {

HddDevice::HddDevice(const HddParameters& parameters, Placement placement)
    : parameters_(parameters),
      placement_(std::move(placement)),
      track_{std::llround(static_cast<double>(parameters.transfer_per_second) *
                          static_cast<double>(parameters.revolution.value) / 1e9)} {}

void HddDevice::Submit(Nanos now, const DeviceRequest& request) {
  Advance(now);
  const Waiting waiting{placement_.Of(request.inode, request.range.begin), submitted_++, request};
  if (serving_) {
    queue_.insert(waiting);
  } else {
    Begin(now, waiting);
  }
}

Nanos HddDevice::NextAnswer() const {
  if (!done_.empty()) return done_.front().time;
  return serving_ ? serving_->time : kNever;
}

DeviceRequest HddDevice::TakeAnswer() {
  if (done_.empty()) Advance(serving_->time);
  const DeviceRequest request = done_.front().request;
  done_.pop_front();
  return request;
}

Nanos HddDevice::TransferTime(ByteCount size) const { return sim::TransferTime(size, parameters_.transfer_per_second); }

// The arm does not wait for anybody to take its answers: what would have been served until `now` has been.
void HddDevice::Advance(Nanos now) {
  while (serving_ && serving_->time <= now) {
    const Nanos free = serving_->time;
    done_.push_back(*serving_);
    serving_.reset();
    BeginNext(free);
  }
}

void HddDevice::BeginNext(Nanos now) {
  if (queue_.empty()) return;
  auto chosen = queue_.lower_bound({arm_, 0, {}});
  if (chosen == queue_.end()) chosen = queue_.begin();
  const Waiting next = *chosen;
  queue_.erase(chosen);
  Begin(now, next);
}

void HddDevice::Begin(Nanos now, const Waiting& chosen) {
  const ByteCount size = std::max(chosen.request.range.size(), ByteCount{});
  const ByteCount distance = chosen.position - arm_;
  Nanos reach{};
  if (distance.value != 0) {
    reach = SeekTime(distance);
    reach = reach + TurnTime(now + reach, chosen.position);
    const Nanos gap = TransferTime(distance);
    if (distance.value > 0 && parameters_.transfer_per_second > 0 && gap <= reach) {
      reach = gap;
    } else {
      ++seeks_;
    }
  }
  positioning_ = positioning_ + reach;
  arm_ = chosen.position + size;
  serving_ = DeviceAnswer{now + reach + TransferTime(size), chosen.request};
}

Nanos HddDevice::SeekTime(ByteCount distance) const {
  const double part = static_cast<double>(std::abs(distance.value)) / static_cast<double>(parameters_.capacity.value);
  const auto longest = static_cast<double>((parameters_.full_stroke - parameters_.settle).value);
  return parameters_.settle + Nanos{std::llround(longest * std::sqrt(std::min(part, 1.0)))};
}

Nanos HddDevice::TurnTime(Nanos now, Position position) const {
  const int64_t revolution = parameters_.revolution.value;
  if (!parameters_.has_rotation || track_.value <= 0 || revolution <= 0) return {};
  const double angle = static_cast<double>(position.value % track_.value) / static_cast<double>(track_.value);
  const int64_t wanted = std::llround(angle * static_cast<double>(revolution));
  const int64_t turned = (wanted - now.value % revolution) % revolution;
  return {turned < 0 ? turned + revolution : turned};
}

}  // namespace ahead::sim
