// When does a disk at the far end of a network link answer? The arithmetic of model `net`, with no clock in it, so that
// it can be tested to the nanosecond.
#pragma once

#include "core/units.h"

namespace ahead::disk {

// A link with a round trip that requests share freely and one pipe that they share in turn.
//
//   done = max(arrival + latency, pipe_free) + bytes / bandwidth;   pipe_free = done
//
// `pipe_free` is the model's own time, not the time at which an answer really left: a late answer never costs
// bandwidth.
class NetModel {
 public:
  // Takes `bandwidth_per_second` in bytes a second; 0 means unlimited.
  NetModel(Nanos latency, int64_t bandwidth_per_second) : latency_(latency), bandwidth_(bandwidth_per_second) {}

  // Returns when a request of `size` bytes that arrived at `arrival` is answered, and occupies the pipe until then.
  // Arrivals must not decrease from call to call. Cost: constant, no allocation.
  Nanos Admit(Nanos arrival, ByteCount size);

  // Returns how long `size` bytes occupy the pipe, rounded down to a nanosecond.
  Nanos TransferTime(ByteCount size) const;

  Nanos latency() const { return latency_; }
  int64_t bandwidth_per_second() const { return bandwidth_; }

 private:
  Nanos latency_;
  int64_t bandwidth_;
  Nanos pipe_free_{};
};

}  // namespace ahead::disk
