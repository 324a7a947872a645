// What a trace says of the pieces of one decision: as it is written, and as it is read.
#pragma once

#include <cstdint>

#include "core/decision.h"
#include "core/units.h"

namespace ahead {

// What became of the pieces of one decision, summed.
struct TraceOutcomeCounts {
  uint32_t asked = 0;
  uint32_t resident = 0;
  uint32_t dropped = 0;
  uint32_t put_off = 0;
  uint32_t sure = 0;
  uint64_t fresh_pages = 0;
  Nanos blocked;

  void Add(const PieceOutcome& outcome) {
    using State = PieceOutcome::State;
    asked += outcome.state == State::kIssued;
    resident += outcome.state == State::kResident;
    dropped += outcome.state == State::kDropped;
    put_off += outcome.state == State::kPutOff;
    sure += outcome.sure;
    fresh_pages += static_cast<uint64_t>(outcome.fresh_pages);
    blocked = blocked + outcome.blocked;
  }
};

}  // namespace ahead
