// What was observed: a read that is about to happen, and how it ended.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// What the host told the kernel about its reads. The first four stand for a description until they are replaced, the
// others concern a range.
enum class HostAdvice : uint8_t {
  kNormal,
  kSequential,
  kRandom,
  kNoReuse,   // each page is read once
  kWillNeed,  // load the range
  kDontNeed,  // drop the range
};

// A read of one file that the host is about to make and that its filter did not absorb.
struct Access {
  ByteRange range;     // what the host asks for; the end is clipped to the file's size by the policy
  Nanos time;          // monotonic, just before the call
  bool fresh = false;  // the first read through a description that this process opened
  HostAdvice advice = HostAdvice::kNormal;  // standing for the description
  bool own = false;                         // this process opened the description, and gave no advice about it
  bool hinted = false;                      // it carries FADV_RANDOM of the engine's
};

// How that read ended.
struct Completion {
  ByteRange range;      // what was read; empty at end of file or after an error
  Nanos time;           // monotonic, just after the call
  Nanos duration;       // of the call
  bool failed = false;  // the device has no data at range.begin: EIO
};

}  // namespace ahead
