// How much memory may a run have in data that is fetched and not yet read, as memory is now?
//
// What is there, of which three things tell: the limit of its cgroups, of which a quarter is for programs
// (core/safety.h); what they leave of it at this moment; and what the machine has available, of which an eighth is the
// run's: with the default ratio a sixteenth of it is fetched ahead at the most. What is fetched and not read is part of
// what is left, because the kernel can take it back; so the budget does not fall because it is used. It follows at
// once, up and down. Streams share the budget (core/learnt.h); one that has more than its share asks for no more until
// it has read that much.
//
// Pressure, the share of time in which some task waits for memory, says that even so there is too much: then the run
// has half of it, once for an event, as TCP halves its window once for a round trip. It halves again only where the
// pressure lasts kEvent looks longer, in which what was fetched under the old budget is read or gone. Under a slight
// pressure nothing grows; without, a sixteenth of what is there comes back with each look, so that a run that has
// halved its share and brought another out of its distress does not take it back at once.
//
// Pressure counts only where memory is short. Who reads fast through a full cgroup makes the kernel reclaim all the
// time, and harms nobody. With a limit of 64 MiB (cat of cold files of 64 MiB on ext4, /proc/pressure/memory): one
// reader waits in 4 % of the time, eight at the same time in 25 %; a program that has 48 MiB of its own and reads, in
// 10 %, with 54 MiB 16 % and half as fast.
//
// Source: Van Jacobson, Congestion Avoidance and Control (1988), for halving once and growing slowly; the linear growth
// is a share of the whole and not a constant, because budgets here differ by a factor of 1000.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// What a look at the machine found. Nothing is assumed of the numbers.
struct MemoryNow {
  ByteCount limit;               // the least of the run's memory cgroups; 0: none
  ByteCount left;                // to the data of files within them: the least of all; means nothing without a limit
  ByteCount total;               // the machine's memory; 0: not known
  ByteCount available;           // of that, MemAvailable
  int64_t pressure = 0;          // of the time since the last look, in 1/1000; 0 where the kernel does not say
  bool is_pressure_own = false;  // of the run's cgroup, not of the whole machine
};

// Thread safety: none.
class Budget {
 public:
  // Returns the memory for the data of files, at least kLeast; 0 when nothing is known of it.
  ByteCount Look(const MemoryNow& now);

  static constexpr ByteCount kLeast{1 << 20};

 private:
  static constexpr int64_t kWhole = 1024;
  int64_t part_ = kWhole;  // of what is there, in 1/kWhole: what pressure left
  int64_t looks_ = 0;      // until the next event
  ByteCount last_;
};

}  // namespace ahead
