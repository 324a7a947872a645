// How far ahead of its reader should a stream be? The control law.
//
// Problem. Too near and the reader waits for every piece; too far and memory, and the disk's time, go to data that may
// never be read. The right distance is what the reader consumes while one request is under way.
//
// Law. Time is cut into rounds: a round is over when the reader has passed what lay ahead of it when the round began,
// so one round is one trip of the window through the device. Over a round the reader's rate is measured.
//   late (it had to wait):   distance = gain * rate * latency + least
//   on time (it did not):    distance stays, or comes nearer to 8 * rate * arrival + least
// `least` is two pieces: one is read while another, which takes its time on the pipe too, is on its way. The gain is 2;
// it is 3 while the reader does little but wait and the rate still grows. A reader that waits consumes at the rate it
// is served, so each round doubles or triples the distance until the device's bandwidth caps the rate; the distance
// then rests at twice bandwidth x latency, where the device is never idle and its queue never long. A paced reader
// ends at `least`, whatever it was given to start with. The caller also bounds the distance by what the stream has
// proved and by its share of what the mount takes (methods/distance.cc, congestion.h).
//
// Source. Cardwell et al., BBR: Congestion-Based Congestion Control (ACM Queue 14(5), 2016): rate as a windowed
// maximum, latency as a minimum, startup by a gain a round. Differences: the "sender" is the reader's own consumption,
// and nothing is paced. Other laws it descends from, and what differs:
// - The state method of Wu Fengguang's adaptive readahead (2006) sizes a window by what the reader consumed between two
//   requests against what memory aged meanwhile: the most that is safe. Here by arrival time: the least that is enough.
//   The look-ahead mark is that method's.
// - AMP (Gill, Bathen, FAST 2007) has a degree and a trigger distance per stream and grows one by one when the last
//   block fetched is reached. Here both follow from the distance, which is computed, not felt for.
// - PostgreSQL's read stream (read_stream.c, 17) rises fast when a read really waited and falls by one a block found
//   cached. Here too waiting raises and its absence lowers, but to what rate x latency says.
// - Seastar (fstream.cc) grows only while dropping all of it would keep waste under a target. Here what is proved,
//   7/4 of what was read in a row, bounds what may be lost.
// - mountpoint-s3 (prefetch.rs) doubles with every read in order, up to 2 GiB. Here growth ends when the rate does.
// - DuckDB (pull request 23290) fits read time = latency + bytes / bandwidth and bridges gaps by it. Here the latency
//   is the shortest time seen and the bandwidth the reader's best rate; `least` stands for a piece's bytes / bandwidth.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Window {
 public:
  // A late reader rests at kGain, by the shortest latency. One that is on time keeps four times that, by recent times
  // of arrival, against what varies. Mean share of the laboratory (`ahead score`) with 4, 6, 8, 12, 16: 0.437, 0.446,
  // 0.449, 0.422, 0.440.
  static constexpr double kOnTimeGain = 8;

  // A stream starts at `slot` with `distance` slots ahead. `least`: how near the law may come to the reader; `ample`:
  // up to where a reader on time is given more than a late one.
  void Start(int64_t slot, int64_t distance, int64_t least, int64_t ample, Nanos now);

  // Makes the distance at least that.
  void Lift(int64_t distance) {
    if (distance <= distance_) return;
    if (rounds_ == 0) round_end_ += distance - distance_;
    distance_ = distance;
  }

  // The reader reached `slot` at `now` and had to wait `waited` for it. `latency`: of the device, 0 while unknown;
  // `arrival`: how long pieces took to come of late.
  void OnProgress(int64_t slot, Nanos waited, Nanos now, Nanos latency, Nanos arrival);

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
  // Returns what a reader on time keeps at most: 3 x rate x latency, or `ample`.
  double Most(Nanos latency) const;

  int64_t distance_ = 0;
  int64_t least_ = 1;
  int64_t ample_ = 1;
  int64_t round_begin_ = 0;  // slot
  int64_t round_end_ = 0;
  Nanos round_began_;
  Nanos round_waited_;
  double round_took_ = 0;  // nanoseconds; the last one
  int64_t round_slots_ = 0;
  double best_rate_ = 0;  // slots per nanosecond
  bool settled_ = false;  // a round was no faster than those before
  bool starving_ = false;
  bool late_ = true;
  bool waits_ = false;
  int32_t rounds_ = 0;
};

}  // namespace ahead
