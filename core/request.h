// What is asked for at a time: slots of a track as pieces of bytes.
#pragma once

#include <cstdint>

#include "core/decision.h"
#include "core/facts.h"
#include "core/track.h"

namespace ahead {

// Returns how many slots of a track one piece takes: the unit in which windows are sized.
int64_t UnitOf(const Track& track, const Facts& facts);

// Returns the decision that asks for the slots [begin, end) of a track, begin < end: its pieces and its bounds.
Decision Describe(const Track& track, int64_t begin, int64_t end, const Facts& facts);

}  // namespace ahead
