// How fast is a stream read in the long run, pauses included? The window's rate (window.h) is that of a round, which a
// player's buffer makes look like a hundred times what it plays.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Pace {
 public:
  // Some more bytes were read.
  void OnRead(ByteCount count) { unseen_ += count; }

  // It is `now`. What was read since this was last said was read in that time, of which at most `horizon` counts: after
  // a long pause the pace is half of what it was before, not nothing. What is older than the horizon fades.
  void OnTime(Nanos now, Nanos horizon);

  // Returns bytes per nanosecond; 0 while unknown.
  double rate() const;
  // Returns the time that it is known for.
  Nanos elapsed() const { return elapsed_; }

 private:
  ByteCount unseen_;
  ByteCount read_;
  Nanos elapsed_;
  Nanos last_{-1};  // -1: never
};

}  // namespace ahead
