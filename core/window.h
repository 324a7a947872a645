// How far ahead of its reader should a stream be? The control law.
//
// Problem. Too near and the reader waits for every piece; too far and memory, and the disk's time, go to data that may
// never be read. The right distance is what the reader consumes while one request is under way.
//
// Law. Time is cut into rounds: a round is over when the reader has passed what lay ahead of it when the round began,
// so one round is one trip of the window through the device. Over a round the reader's rate is measured. If it had to
// wait,
//     distance = gain * rate * latency
// with gain 2; with gain 4 while the reader does little but wait and the rate still grows. A reader that waits consumes
// at the rate it is served, so each round doubles (or quadruples) the distance until the device's bandwidth caps the
// rate; the distance then rests at twice bandwidth x latency, where the device is never idle and its queue never long.
// A reader that did not wait keeps the distance it has.
//
// Source: Cardwell et al., BBR: Congestion-Based Congestion Control (ACM Queue 14(5), 2016): rate as a windowed
// maximum, latency as a minimum, startup by doubling per round. AMP (Gill, Bathen, FAST 2007): a stream grows when its
// reader catches up. Differences: the "sender" is the reader's own consumption, nothing is paced, and the caller also
// bounds the distance by what the stream has proved (adaptive_policy.cc) and by what the mount takes (congestion.h).
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Window {
 public:
  // A stream starts at `slot` with `distance` slots ahead.
  void Start(int64_t slot, int64_t distance, Nanos now);

  // The reader reached `slot` at `now` and had to wait `waited` for it. `latency`: of the device, 0 while unknown.
  void OnProgress(int64_t slot, Nanos waited, Nanos now, Nanos latency);

  // Returns the distance to keep ahead of the reader, in slots.
  int64_t distance() const { return distance_; }
  // Returns whether the reader did nothing but wait in the round before this one, or has waited in this one.
  bool starving() const { return starving_; }
  // Returns whether the reader waited for more than a quarter of the last full round.
  bool waits() const { return waits_; }
  // Returns the reader's best rate of late, in slots per nanosecond, and how many rounds it has taken.
  double rate() const { return best_rate_; }
  int32_t rounds() const { return rounds_; }
  // Returns whether the reader waited in this round or the one before; a new stream is late until a round has passed.
  bool late() const { return late_; }

 private:
  int64_t distance_ = 0;
  int64_t round_begin_ = 0;  // slot
  int64_t round_end_ = 0;
  Nanos round_began_;
  Nanos round_waited_;
  double best_rate_ = 0;  // slots per nanosecond
  bool starving_ = false;
  bool late_ = true;
  bool waits_ = false;
  int32_t rounds_ = 0;
};

}  // namespace ahead
