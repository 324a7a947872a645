// When does a disk at the far end of a network link answer? Arithmetic without a clock, so that it can be tested to the
// nanosecond.
#pragma once

#include <cstdint>
#include <deque>

#include "core/units.h"
#include "sim/devices/request.h"

namespace ahead::sim {

// A link with a round trip that requests share freely and one pipe that they share in turn.
struct NetParameters {
  Nanos latency{2'000'000};
  int64_t bandwidth_per_second = 500'000'000;  // bytes; 0: unlimited
};

//   answer = max(arrival + latency, pipe free) + bytes / bandwidth;   pipe free = answer
//
// `pipe free` is the model's own time, not the time at which an answer really left: a late answer never costs
// bandwidth.
class NetDevice {
 public:
  explicit NetDevice(const NetParameters& parameters) : parameters_(parameters) {}

  void Submit(Nanos now, const DeviceRequest& request);
  Nanos NextAnswer() const { return waiting_.empty() ? kNever : waiting_.front().time; }
  DeviceRequest TakeAnswer();

  // Returns how long `size` bytes occupy the pipe, rounded down to a nanosecond.
  Nanos TransferTime(ByteCount size) const;

 private:
  NetParameters parameters_;
  Nanos pipe_free_{};
  std::deque<DeviceAnswer> waiting_;  // in the order of arrival, which is that of the answers
};

}  // namespace ahead::sim
