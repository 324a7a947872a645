#include "core/request.h"

namespace ahead {
namespace {

// More than 12 requests of 128 KiB, what FUSE takes at a time.
constexpr ByteCount kFarAhead{2 << 20};
constexpr ByteCount kFarFromBegin{4 << 20};

}  // namespace

Facts WithPieceOf(const Stream& stream, HostAdvice advice, const Facts& facts) {
  Facts suited = facts;
  const bool is_far = stream.run() >= kFarFromBegin || facts.page * stream.window.distance() >= kFarAhead;
  if (advice == HostAdvice::kSequential && stream.track.shape == Shape::kForward && is_far)
    suited.piece = facts.piece * 2;
  return suited;
}

int64_t UnitOf(const Track& track, const Facts& facts) {
  const int64_t piece = facts.piece / facts.page;
  if (track.shape == Shape::kStride) return 1;
  if (track.shape != Shape::kRuns) return piece;
  const int64_t run = track.cycle.SlotsPerRound(track.origin, facts.page) / track.cycle.runs;
  return run < piece ? run : piece;
}

namespace {

// Lists the runs of the slots [begin, end), as many as there is room for; a run that was begun is asked for from the
// piece that `begin` lies in.
void DescribeRuns(const Track& track, int64_t begin, int64_t end, const Facts& facts, Decision& decision) {
  decision.floor = {0};
  decision.limit = {facts.file_size.value};
  decision.length = decision.step = facts.piece;
  while (begin < end && decision.extent_count < Decision::kMostExtents) {
    const Cycle::Run run = track.RunAt(begin);
    const int64_t first = AlignDown(run.range.begin.value, facts.page.value);
    const int64_t skipped = AlignDown((begin - run.slots.begin) * facts.page.value, facts.piece.value);
    int64_t last = AlignUp(run.range.end.value, facts.page.value);
    if (end < run.slots.end) last = first + (end - run.slots.begin) * facts.page.value;
    if (last > facts.file_size.value) last = facts.file_size.value;
    begin = run.slots.end;
    if (first + skipped >= last) continue;
    Extent& extent = decision.extents[decision.extent_count++];
    extent = {first + skipped, static_cast<int32_t>(last - first - skipped)};
    decision.pieces += decision.PiecesOf(extent);
  }
  decision.first = {decision.extents[0].begin};
}

}  // namespace

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
    case Shape::kRuns:
      DescribeRuns(track, begin, end, facts, decision);
      break;
  }
  if (decision.limit.value > facts.file_size.value) decision.limit = {facts.file_size.value};
  return decision;
}

}  // namespace ahead
