// Burst mode (`max_time`, laptop mode): a stream asks at once for what it will consume in so many seconds, and then is
// silent, so that the disk can spin down.
//
// How much: the stream's pace in the long run (pace.h) x max_time, at most `ratio` % of the memory that is left. `max`
// does not apply: it bounds what latency asks for, and would turn 180 s of a film into 30. A reader who waits for the
// disk, or whose burst would not even fit for an eighth of max_time, keeps the disk busy anyway, and gets windows as
// ever.
//
// Trust: at its beginning, and after each jump, a stream is given kDoubted times what it has read, at most a thirtieth
// of the whole. When it has read that it is trusted; after a jump with no more than the rest of what was read between
// the jump before and this one, until it has clearly read more: who jumps every 20 s is not given 180 s each time.
//
// When: a burst is handed over by the reader's own thread, as far as the mount takes it without blocking, read after
// read until it is complete: on a mount of 12 slots 180 MB take 9 s at 15 reads a second; 6 s where a whole burst of a
// stream that has read for a while goes on until a call blocks, at most kHurried pieces (state.cc). Without a bound
// that is 4 s, and on a clock 20 times as fast (bench-sizing, player) the calls themselves make the reader late. The
// next burst is due when a sixteenth of max_time is left: a sleeping disk needs some seconds to wake. Nothing is asked
// for unless the stream reads, so that one who pauses is not fetched for. Streams of one mount burst together: while
// the disk is awake for one, the others that have less than three quarters of theirs ask for the rest, as soon as they
// read.
//
// Source: the laptop mode of Wu Fengguang's adaptive readahead (2006), where the size was the readahead maximum.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

constexpr double kWorthwhile = 1.0 / 8;  // of max_time: what memory must at least be good for
constexpr double kReserve = 1.0 / 16;    // of max_time: what is left when the next burst is due
constexpr int64_t kLow = 4;              // a stream with less than three of so many parts joins another's burst
constexpr int64_t kDoubted = 8;
constexpr double kProof = 1.0 / 32;
constexpr double kSurelyLonger = 5.0 / 4;

double Consumption(const Stream& stream, const Options& options) {
  return stream.pace.rate() * static_cast<double>(options.max_time) * 1e9;
}

// Returns how much of `wanted` bytes the stream has proved to be worth.
double Trusted(const Stream& stream, double wanted) {
  const auto run = static_cast<double>(stream.run().value);
  const auto before = static_cast<double>(stream.run_before.value);
  const double proof = wanted * kProof;
  if (run < proof) return run * kDoubted < proof ? run * kDoubted : proof;
  if (before >= wanted) return wanted;
  if (run < before) return before - run > proof ? before - run : proof;
  return run < before * kSurelyLonger ? proof : wanted;
}

}  // namespace

// Returns how many slots ahead of its reader a burst of the stream should reach; 0: no burst.
int64_t AdaptivePolicy::BurstSlots(const Stream& stream, const Facts& facts, const Surroundings& around) const {
  const Options& options = around.options;
  if (options.max_time == 0 || options.ratio < 10 || !stream.proved || stream.track.shape == Shape::kStride ||
      stream.track.shape == Shape::kRuns || stream.window.waits())
    return 0;
  const double wanted = Consumption(stream, options);
  const int64_t safe = SafeBytes(stream, facts, options);
  if (static_cast<double>(safe) < wanted * kWorthwhile) return 0;
  int64_t burst = static_cast<int64_t>(Trusted(stream, wanted));
  if (burst > safe) burst = safe;
  burst /= stream.track.length.value;
  return burst >= UnitOf(stream.track, facts) ? burst : 0;
}

// Returns whether a stream that would not be due yet asks because the disk is awake for another one.
bool AdaptivePolicy::JoinsBurst(const Stream& stream, int64_t burst, Nanos now, const Surroundings& around) {
  const Nanos since = around.congestion.burst_at();
  if (since.value < 0 || stream.issued_at >= since || stream.is_bursting() ||
      stream.frontier - stream.position > burst / kLow * (kLow - 1))
    return false;
  return static_cast<double>((now - since).value) < static_cast<double>(around.options.max_time) * 1e9 * kReserve;
}

// Returns whether a burst of `burst` slots is handed over until a call blocks: a whole one is over the sooner (player
// on ahead-disk: 0.2 s of a scaled clock, 0.45 without); a reader who jumps is not held up for that.
bool AdaptivePolicy::Hurries(const Stream& stream, int64_t burst, const Options& options) {
  const double wanted = Consumption(stream, options);
  const bool is_settled = static_cast<double>(stream.run().value) * 8 > wanted;
  return is_settled && static_cast<double>(burst * stream.track.length.value) * 2 > wanted;
}

// Returns where the mark of a stream lies whose burst is complete.
int64_t AdaptivePolicy::BurstMark(const Stream& stream, const Surroundings& around) {
  const int64_t ahead = stream.frontier - stream.position;
  const double reserve =
      Consumption(stream, around.options) * kReserve / static_cast<double>(stream.track.length.value);
  const int64_t most = ahead / 4;
  return stream.frontier - (reserve < static_cast<double>(most) ? static_cast<int64_t>(reserve) : most);
}

}  // namespace ahead
