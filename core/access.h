// What was observed: a read that is about to happen, and how it ended.
#pragma once

#include "core/units.h"

namespace ahead {

// A read of one file that the host is about to make and that its filter did not absorb.
struct Access {
  ByteRange range;     // what the host asks for; the end is clipped to the file's size by the policy
  Nanos time;          // monotonic, just before the call
  bool fresh = false;  // the first read through a description that this process opened
};

// How that read ended.
struct Completion {
  ByteRange range;  // what was read; empty at end of file or after an error
  Nanos time;       // monotonic, just after the call
  Nanos duration;   // of the call
};

}  // namespace ahead
