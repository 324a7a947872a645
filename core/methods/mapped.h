// Are the mappings of a file made in order, each where the last one ended?
#pragma once

#include <cstdint>

#include "core/decision.h"
#include "core/facts.h"
#include "core/units.h"

namespace ahead {

// Thread safety: none.
struct MappedRun {
  // A range is mapped at `now`. Returns whether it goes on where several did that were done with.
  bool Follow(ByteRange range, Nanos now, const Facts& facts);

  int32_t mappings = 0;  // in a row, as far as they count
  ByteOffset end;        // of the last one
  ByteCount last;        // its size
  ByteCount run;         // of all, at least so much
  Nanos at;
  StreamId stream;  // what is fetched for them
};

}  // namespace ahead
