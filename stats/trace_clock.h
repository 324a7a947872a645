// When was it, by the clock? Turns the ticks of a trace into nanoseconds, by the moments at which its chunks say what
// both clocks showed.
#pragma once

#include <vector>

#include "core/units.h"
#include "stats/trace_chunks.h"

namespace ahead {

// Thirty years of nanoseconds, so that times can be added up: monotonic clocks begin with the machine.
inline constexpr int64_t kLastTraceTime = int64_t{1} << 60;

class TraceClock {
 public:
  explicit TraceClock(const TraceChunks& trace);

  // Says whether times come of ticks, and are as exact as the conversion.
  bool has_ticks() const { return has_ticks_; }

  // Returns the time of `ticks` in `chunk`; below 0 when that makes no sense.
  Nanos TimeOf(const TraceChunk& chunk, uint64_t ticks) const;
  Nanos DurationOf(const TraceChunk& chunk, uint64_t ticks) const;

 private:
  double Rate(const TraceChunk& chunk) const;

  const bool has_ticks_;
  double rate_ = 1;  // nanoseconds a tick, over the whole trace
};

}  // namespace ahead
