// When does a disk of flash chips answer? Arithmetic without a clock, so that it can be tested to the nanosecond.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "core/units.h"
#include "sim/devices/placement.h"
#include "sim/devices/request.h"

namespace ahead::sim {

// A SATA disk: a page of TLC flash is read in some 80 us; eight channels then give 100,000 random reads of 4 KiB a
// second, and one reader at a time 11,000, which is what data sheets of such disks claim.
struct SsdParameters {
  int32_t channels = 8;
  Nanos latency{80'000};                       // of one read of a chip, which does nothing else meanwhile
  ByteCount stripe{16 << 10};                  // one read of a chip; the next stripe is on the next channel
  int64_t bandwidth_per_second = 550'000'000;  // bytes, of the interface all share; 0: unlimited
};

//   channel(p) = (p / stripe) mod channels
//   read       = max(arrival, channel free) + latency, for each stripe that the request touches;  channel free = read
//   answer     = max(last of its reads, interface free) + bytes / bandwidth;                      interface free =
//   answer
//
// The interface takes requests in the order in which their data are complete, of several at once the one that came
// first.
class SsdDevice {
 public:
  SsdDevice(const SsdParameters& parameters, Placement placement);

  void Submit(Nanos now, const DeviceRequest& request);
  Nanos NextAnswer() const;
  DeviceRequest TakeAnswer();
  Nanos TransferTime(ByteCount size) const;

 private:
  struct Complete {
    Nanos time;
    uint64_t number;  // of arrival
    DeviceRequest request;
    bool operator<(const Complete& other) const {
      return time != other.time ? time < other.time : number < other.number;
    }
  };

  Nanos AnswerTime(const Complete& complete) const;
  void SendFirst();

  SsdParameters parameters_;
  Placement placement_;
  std::vector<Nanos> channel_free_;
  Nanos interface_free_{};
  std::set<Complete> complete_;    // not yet on the interface
  std::deque<DeviceAnswer> sent_;  // on it or through, not yet taken
  uint64_t submitted_ = 0;
};

}  // namespace ahead::sim
