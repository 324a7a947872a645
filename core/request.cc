#include "core/request.h"

namespace ahead {

int64_t UnitOf(const Track& track, const Facts& facts) {
  return track.shape == Shape::kStride ? 1 : facts.piece / facts.page;
}

Decision Describe(const Track& track, int64_t begin, int64_t end, const Facts& facts) {
  Decision decision;
  const int64_t piece = facts.piece.value;
  switch (track.shape) {
    case Shape::kForward:
      decision.floor = track.Begin(begin);
      decision.limit = track.Begin(end);
      decision.first = {AlignDown(decision.floor.value, piece)};
      decision.length = decision.step = facts.piece;
      decision.pieces = static_cast<int32_t>(FloorDivide((decision.limit - decision.first).value - 1, piece) + 1);
      break;
    case Shape::kBackward:
      decision.floor = track.Begin(end - 1);
      decision.limit = track.Begin(begin) + track.length;
      decision.first = {AlignDown(decision.limit.value - 1, piece)};
      decision.length = facts.piece;
      decision.step = -facts.piece;
      decision.pieces =
          static_cast<int32_t>((decision.first.value - AlignDown(decision.floor.value, piece)) / piece + 1);
      break;
    case Shape::kStride:
      decision.floor = {0};
      decision.limit = {facts.file_size.value};
      decision.first = track.Begin(begin);
      decision.length = track.length;
      decision.step = track.step;
      decision.pieces = static_cast<int32_t>(end - begin);
      break;
  }
  if (decision.limit.value > facts.file_size.value) decision.limit = {facts.file_size.value};
  return decision;
}

}  // namespace ahead
