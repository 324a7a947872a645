// A reader that is slow and jumps: a player that is moved about in its film. What lies ahead of it at a jump is lost,
// and what it needs ahead is little: at 1 MB/s a latency of 20 ms is worth 20 KB.
//
// How slow it is, is known from before the jump (pace.h). As long as it does not wait, it is asked for only when less
// than kLatencies of its own consumption and a read are left, and then for whole pieces until that much is
// there again: half a piece more on the average. Who has waited gets windows as ever.
//
// At the jump itself the first read waits. That the second does not, it is asked for as much as readers take at once
// after a jump: a player first fills its buffer as fast as it can (RunLog::LongestBurst).
//
// Simulated, player-jumps, 153 jumps (ahead score): waste at 0.2, 2 and 20 ms 51, 55 and 72 MiB without, 15, 19 and 27
// so (the kernel alone 17); share at 20 ms 0.39 and 0.71, where the first reads after jumps alone cost 0.2. With the
// middle one of three bursts instead of the longest 15, 22 and 27 MiB, and 0.70.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

// The pace of less time may be that of a buffer being filled. With a second half a megabyte at 1 MB/s told nothing, and
// the jump after it had the reader wait three times (bench-sizing, jumps: 1.75 stalls a jump, 1.12 with all of this).
constexpr Nanos kKnown{250'000'000};
constexpr double kLeisurely = 0.004;  // bytes a nanosecond
// Room for pieces that take longer than usual.
constexpr double kLatencies = 4;
// Of a piece: what a reader of small reads may read unseen before it is looked at again.
constexpr int64_t kUnseenParts = 4;
// Who has waited so often, and not of late, is taken for slow again.
constexpr int32_t kForgiven = 2;
// Runs shorter than this are not those of a reader who stays for a while.
constexpr ByteCount kLeastRun{256 << 10};

}  // namespace

// Says whether a reader is so slow that to look at each of its reads costs it nothing: at 4 KiB a read a thousandth.
bool AdaptivePolicy::IsLeisurely(const Pace& pace) { return pace.elapsed() >= kKnown && pace.rate() < kLeisurely; }

// Returns how many bytes ahead are enough for a reader of that pace, beside its next read; -1: it is not known to be
// slow. In laptop mode none is (burst.cc).
ByteCount AdaptivePolicy::EnoughFor(const Pace& pace, const Facts& facts, const Surroundings& around) {
  const Nanos arrival = around.congestion.arrival();
  if (pace.elapsed() < kKnown || arrival.value <= 0 || around.options.max_time > 0) return {-1};
  const double enough = kLatencies * pace.rate() * static_cast<double>(arrival.value);
  return {enough <= static_cast<double>(facts.piece.value) ? static_cast<int64_t>(enough) : -1};
}

// Returns how many slots ahead are enough for a stream whose reader is slow and reads `read` at a time; 0: it is not
// one of those.
int64_t AdaptivePolicy::LowWater(const Stream& stream, SlotRange read, const Facts& facts, const Surroundings& around) {
  const bool has_enough = stream.waits == 0 || (stream.waits <= kForgiven && !stream.window.late());
  if (!stream.jumped || !has_enough || stream.track.shape != Shape::kForward) return 0;
  const ByteCount enough = EnoughFor(stream.pace, facts, around);
  if (enough.value < 0) return 0;
  const int64_t unseen = UnitOf(stream.track, facts) / kUnseenParts;
  return (enough.value + facts.page.value - 1) / facts.page.value + (read.size() > unseen ? read.size() : unseen);
}

// Returns how much to ask for ahead of `read`, the first after a jump of the reader that read last; 0: nothing.
ByteCount AdaptivePolicy::EnoughAfterJump(ByteRange read, const Facts& facts, const Surroundings& around) const {
  const Stream* latest = Latest();
  if (latest == nullptr || latest->window.waits()) return {};
  const ByteCount enough = EnoughFor(latest->pace, facts, around);
  if (enough.value < 0 || !runs_.AreLong(kLeastRun)) return {};
  const ByteCount burst = runs_.LongestBurst();
  // Of a burst the last read may not have been seen.
  return burst > read.size() ? burst + enough + facts.piece / 2 : enough + read.size();
}

// Notes whether the reader of a stream, when it was last seen, took what it read in so little time that pieces asked
// for one by one would have come too late.
void AdaptivePolicy::NoteHaste(const Stream& stream, const Facts& facts, const Surroundings& around) {
  const double in_two_arrivals = stream.appetite.rate() * static_cast<double>(around.congestion.arrival().value) * 2;
  if (in_two_arrivals >= static_cast<double>(facts.piece.value)) runs_.NoteHaste();
}

}  // namespace ahead
