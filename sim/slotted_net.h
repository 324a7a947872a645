// When does a simulated disk at the far end of a network link answer, and when does it take a request? The arithmetic
// of ahead-disk's model `net`, in virtual time, with a bound on what is in flight.
#pragma once

#include <cstdint>
#include <deque>

#include "core/units.h"

namespace ahead::sim {

// The link: each request takes the latency, which requests share freely, and its bytes pass one pipe in turn.
struct SlottedNetParameters {
  Nanos latency{2'000'000};
  int64_t bandwidth_per_second = 500'000'000;
  int32_t in_flight = 12;
  ByteCount max_request{128 << 10};
};

// Thread safety: none.
class SlottedNet {
 public:
  explicit SlottedNet(const SlottedNetParameters& parameters) : parameters_(parameters) {}

  // Returns the first time, not before `now`, at which a request would be taken.
  Nanos FreeAt(Nanos now) const;

  // Takes a request of `size` bytes at `now` and returns when it is answered.
  // REQUIRES: FreeAt(now) == now; `now` does not decrease from call to call.
  Nanos Submit(Nanos now, ByteCount size);

  // Returns how long `size` bytes occupy the pipe.
  Nanos TransferTime(ByteCount size) const;

  // Returns the least time in which `requests` requests of equal size with `bytes` bytes together can be answered.
  Nanos LeastTime(int64_t requests, ByteCount bytes) const;

  const SlottedNetParameters& parameters() const { return parameters_; }
  int64_t requests() const { return requests_; }
  ByteCount bytes() const { return bytes_; }

 private:
  SlottedNetParameters parameters_;
  Nanos pipe_free_{};
  std::deque<Nanos> answers_;  // of requests in flight, ascending; old ones linger until a slot is needed
  int64_t requests_ = 0;
  ByteCount bytes_{};
};

}  // namespace ahead::sim
