#include "sim/slotted_net.h"

#include <algorithm>
#include <cassert>

namespace ahead::sim {

Nanos SlottedNet::FreeAt(Nanos now) const {
  const auto slots = static_cast<size_t>(parameters_.in_flight);
  if (answers_.size() < slots) return now;
  return std::max(now, answers_[answers_.size() - slots]);
}

Nanos SlottedNet::Submit(Nanos now, ByteCount size) {
  assert(FreeAt(now) == now);
  pipe_free_ = std::max(now + parameters_.latency, pipe_free_) + TransferTime(size);
  answers_.push_back(pipe_free_);
  while (answers_.size() > static_cast<size_t>(parameters_.in_flight)) answers_.pop_front();
  ++requests_;
  bytes_ += size;
  return pipe_free_;
}

Nanos SlottedNet::TransferTime(ByteCount size) const {
  if (parameters_.bandwidth_per_second <= 0) return {};
  const double seconds = static_cast<double>(size.value) / static_cast<double>(parameters_.bandwidth_per_second);
  return {static_cast<int64_t>(seconds * 1e9)};
}

Nanos SlottedNet::LeastTime(int64_t requests, ByteCount bytes) const {
  if (requests <= 0) return {};
  const Nanos transfer = TransferTime({bytes.value / requests});
  // Request k = q * in_flight + r waits for request k - in_flight to leave its slot, so the last one is answered after
  // q + 1 latencies and transfers, and behind r transfers of the first round; or the pipe is what is full.
  const int64_t rounds = (requests - 1) / parameters_.in_flight;
  const int64_t rest = (requests - 1) % parameters_.in_flight;
  return std::max((parameters_.latency + transfer) * (rounds + 1) + transfer * rest,
                  parameters_.latency + TransferTime(bytes));
}

}  // namespace ahead::sim
