// When does a disk with an arm answer? Arithmetic without a clock, so that it can be tested to the nanosecond.
//
// The shape is that of C. Ruemmler and J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994:
// a seek is a settle time and, over short and middle distances, a term with the square root of the distance; then the
// platter turns until the data are under the head; then the transfer. Left out are their linear term for long seeks
// (the root carries the full stroke), head and track switches (taken as hidden by skew), zones and controller time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "core/units.h"
#include "sim/devices/placement.h"
#include "sim/devices/request.h"

namespace ahead::sim {

// A 7200 rpm desktop disk of 1 TB. The mean seek between two random places is settle + 8/15 (full_stroke - settle) =
// 8.5 ms, as the data sheet of the Hitachi Deskstar 7K1000.C gives for reads.
struct HddParameters {
  Nanos settle{1'000'000};
  Nanos full_stroke{15'000'000};              // a seek over the whole disk, settling included
  ByteCount capacity{1'000'000'000'000};      // what the full stroke spans
  int64_t transfer_per_second = 150'000'000;  // bytes; 0: unlimited
  Nanos revolution{8'333'333};                // 7200 rpm
  bool has_rotation = true;                   // off: data are under the head when the arm is there
};

//   seek(d)   = settle + (full_stroke - settle) * sqrt(d / capacity)
//   turn(t,p) = time from t until angle (p mod track) / track is under the head;  track = transfer rate * revolution
//   answer    = begin + reach + bytes / transfer rate
//   reach     = 0 where the last request ended; else seek and turn, or, forwards, the time to pass over the gap at
//               transfer rate, whichever is less
//
// The last two lines stand for the disk's own buffer: it reads on behind a request, so that one which continues it
// loses no revolution by coming a little later.
//
// The queue is C-LOOK: when the arm becomes free it takes the request nearest in ascending position, where there is
// none the lowest of all; of several at one position the one that came first. A request that arrives in the very
// nanosecond in which the arm chooses is not among those chosen from.
class HddDevice {
 public:
  HddDevice(const HddParameters& parameters, Placement placement);

  void Submit(Nanos now, const DeviceRequest& request);
  Nanos NextAnswer() const;
  DeviceRequest TakeAnswer();
  Nanos TransferTime(ByteCount size) const;

  // How often the arm has moved so far, and how long requests took to reach their place.
  int64_t seeks() const { return seeks_; }
  Nanos positioning() const { return positioning_; }

 private:
  struct Waiting {
    Position position;
    uint64_t number;  // of arrival
    DeviceRequest request;
    bool operator<(const Waiting& other) const {
      return position != other.position ? position < other.position : number < other.number;
    }
  };

  void Advance(Nanos now);
  void Begin(Nanos now, const Waiting& chosen);
  void BeginNext(Nanos now);
  Nanos SeekTime(ByteCount distance) const;
  Nanos TurnTime(Nanos now, Position position) const;

  HddParameters parameters_;
  Placement placement_;
  ByteCount track_;
  Position arm_{};
  std::set<Waiting> queue_;
  uint64_t submitted_ = 0;
  std::optional<DeviceAnswer> serving_;
  std::deque<DeviceAnswer> done_;  // served, not yet taken
  int64_t seeks_ = 0;
  Nanos positioning_{};
};

}  // namespace ahead::sim
