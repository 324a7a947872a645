// How far ahead of its reader may a stream be? What the control law wants (window.h), bounded by what the stream has
// proved (proof.cc), by time, and by options and memory.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

constexpr ByteCount kAutoMax{16 << 20};
// Streams that share what one alone would be given at its start: 100 files of which 1 MiB is read in turn fetch 1.25
// MiB each, 1.43 without (simulated, 128 MiB).
constexpr int64_t kFewStreams = 4;
// Simulated, 800 slow streams in 64 MiB: of the bytes from the disk 5.8 % come twice without, 3.3, 1.2, 0.4 % with 256,
// 512, 1024; 0.6 % where the first eight are spared. Of newly opened files two are: of the windows of slow readers the
// first are lost, 112 KiB each (bench/sizing/run.py --rows slow-streams --quick: 0.32 % come twice where four are
// spared and four more in part, 0.11 so).
constexpr int64_t kManyStreams = 8;
constexpr int64_t kFewFiles = 2;
constexpr int64_t kFirstWindows = 1024;
// Streams of which one piece each keeps any pipe full, and memory in which what lies ahead of so many is dear. With 32
// at 20 ms and 64 in flight they had 204 MB/s, the kernel alone 256; 64 have 402 both ways.
constexpr int64_t kEnoughStreams = 64;
constexpr ByteCount kDear{256 << 20};
// Of a piece: how much such a stream has left when the next is asked for.
constexpr int64_t kLeastLeft = 4;

// What lies farther ahead in time may be old when it is read, or never is: files of other machines change, readers
// stop.
constexpr Nanos kFarAhead{4'000'000'000};
// So many times the longest pause before is no pause that is usual for the reader.
constexpr int64_t kUnusual = 4;

// Returns how many streams share the memory.
int64_t StreamsOf(const Facts& facts) {
  return facts.share.value > 0 ? facts.safe.value / facts.share.value : INT64_MAX;
}

}  // namespace

// The stream is about to read. Who comes back after an unusual pause starts from near by.
void AdaptivePolicy::KeepTime(Stream& stream, Nanos now, const Facts& facts, const Options& options) {
  stream.pace.OnTime(now, options.max_time > 0 ? Nanos{options.max_time * 1'000'000'000} : kFarAhead * 2);
  const Nanos before = stream.read_at;
  const Nanos pause = now - before;
  stream.read_at = now;
  if (before.value < 0 || pause <= stream.longest_pause) return;
  if (pause > kFarAhead && pause / kUnusual > stream.longest_pause) {
    const int64_t least = LeastDistance(stream.track, facts);
    if (stream.window.distance() > least)
      stream.window.Start(stream.position, least, least, kStartup / stream.track.length.value, now);
  }
  stream.longest_pause = pause;
}

int64_t AdaptivePolicy::SafeBytes(const Stream& stream, const Facts& facts, const Options& options) {
  // What the stream holds already is its own to keep.
  const int64_t ahead = stream.frontier > stream.position ? stream.frontier - stream.position : 0;
  const int64_t held = stream.useful.outstanding() < ahead ? stream.useful.outstanding() : ahead;
  const int64_t left =
      facts.allowance.value / 100 * options.ratio + held * stream.track.PagesPerSlot(facts.page) * facts.page.value;
  // To the byte: a share may be just two reads.
  const int64_t safe = facts.share.value / 100 * options.ratio + facts.share.value % 100 * options.ratio / 100;
  return left < safe ? left : safe;
}

int64_t AdaptivePolicy::MostBytes(const Stream& stream, const Facts& facts, const Options& options) {
  const int64_t max = options.max != 0 ? options.max : kAutoMax.value;
  if (options.ratio < 10) return max;
  const int64_t safe = SafeBytes(stream, facts, options);
  return safe < max ? safe : max;
}

int64_t AdaptivePolicy::LeastDistance(const Track& track, const Facts& facts) {
  return track.shape == Shape::kStride ? 1 : 2 * UnitOf(track, facts);
}

// Slots that a stream of runs starts with: short ones as a stride does, but no more bytes than a forward stream.
int64_t AdaptivePolicy::CycleStartup(const Track& track, const Facts& facts) {
  const int64_t short_runs =
      track.cycle.SlotsPerRound(track.origin, facts.page) * StrideStartup(facts) / track.cycle.runs;
  const int64_t most = kStartup / facts.page.value;
  return short_runs < most ? short_runs : most;
}

// How far ahead a stream that was just proved starts, in slots: where the control law would hold it if it went on as
// fast as it can (appetite.h), at most startup_. Several that wait at the same time share that.
int64_t AdaptivePolicy::Startup(const Stream& stream, const Facts& facts, const Surroundings& around) const {
  if (stream.track.shape == Shape::kStride) return StrideStartup(facts);
  if (stream.track.shape == Shape::kRuns) return CycleStartup(stream.track, facts);
  int64_t alone = startup_.value / stream.track.length.value;
  const int64_t least = LeastDistance(stream.track, facts);
  const Nanos arrival = around.congestion.arrival();
  if (stream.appetite.rate() > 0 && arrival.value > 0) {
    const double enough = Window::kOnTimeGain * stream.appetite.rate() * static_cast<double>(arrival.value) /
                              static_cast<double>(stream.track.length.value) +
                          static_cast<double>(least);
    if (enough < static_cast<double>(alone)) alone = static_cast<int64_t>(enough);
  }
  // Others that began just now have not told yet that they wait.
  const int32_t beginning = around.congestion.FirstReads() + (stream.is_first_read ? 0 : 1);
  const int32_t waiting = around.congestion.Waiting();
  // Of many streams each costs what lies ahead of it when it ends, and all together keep the pipe full with less.
  const int64_t streams = facts.share.value > 0 ? facts.safe.value / facts.share.value / kFewStreams : 1;
  const int64_t others = beginning > waiting ? beginning : waiting;
  const int64_t shared = alone / (others > streams ? others : streams);
  return shared > least ? shared : least < alone ? least : alone;
}

// How many pieces a stream may have ahead beside others that this process does not see.
int64_t AdaptivePolicy::Beside(const Stream& stream, const Facts& facts, const Surroundings& around) {
  if (!stream.is_one_readers() || !stream.window.starving()) return INT32_MAX;
  const double unit = static_cast<double>(UnitOf(stream.track, facts));
  return around.congestion.Beside(stream.window.rate() / unit, stream.read_at);
}

int64_t AdaptivePolicy::Want(Stream& stream, SlotRange read, const Facts& facts, const Surroundings& around) const {
  const Options& options = around.options;
  int64_t want = stream.window.distance();
  if (options.ratio < 10) {
    want = options.initial / stream.track.length.value;
  } else if (stream.proved) {
    const bool is_strided = stream.track.shape == Shape::kStride || stream.track.shape == Shape::kRuns;
    const int64_t startup = Guess(stream, Startup(stream, facts, around), facts, around);
    if (is_strided || !stream.started) stream.window.Lift(startup);
    stream.started = true;
    const int64_t unit = UnitOf(stream.track, facts);
    const int64_t least = LeastDistance(stream.track, facts);
    // Pieces may have become larger since the window was begun.
    want = stream.window.distance() > least ? stream.window.distance() : least;
    const int64_t share = around.congestion.Share() * unit;
    if (!is_strided && stream.window.starving() && around.congestion.Waiting() > 1 && want > share) want = share;
    const int64_t beside = Beside(stream, facts, around) * unit;
    if (want > beside) want = beside;
    const int64_t proved = Proof(stream, startup, facts, around);
    if (want > proved) want = proved;
    // Among many random reads a scan goes slower than it could: it waits for them. Where it does not wait for its own,
    // a piece is enough; the startup distance would all be lost where it ends.
    if (stream.is_among_random && want > unit && (stream.window.rounds() == 0 || !stream.window.late())) want = unit;
    // A late stream asks for each piece as one is read, others for a quarter at a time: with an eighth less it has as
    // much ahead of it on the average, and as much is lost where it ends (columns: bytes 1.28 against 1.37).
    stream.low_water = LowWater(stream, read, facts, around);
    // Where many wait at a time each has to wait its turn, however far ahead it is: a piece is asked for as one is
    // read, as the kernel does, and no more lies ahead than its own. Simulated, 64 MiB, 64 threads: 499 MB/s with 4.9
    // MiB ahead at most, the same with 12.1; on a disk what is read in a second lacks just that (bench/sizing, readers:
    // 0.980 of bare).
    if (stream.track.shape == Shape::kForward && facts.safe < kDear && StreamsOf(facts) >= kEnoughStreams &&
        IsCrowded(around) && !keeps_kernel_out_)
      stream.low_water = read.size() > unit / kLeastLeft ? read.size() : unit / kLeastLeft;
    // Who may not have some more is not one to be given whole pieces.
    if (want < stream.low_water + unit / 4) stream.low_water = 0;
    if (stream.low_water > 0) want = stream.low_water;
    if (stream.track.shape == Shape::kForward && stream.low_water == 0 && stream.window.late() &&
        stream.window.rounds() > 0 && want > least)
      want = want - want / 8 > least ? want - want / 8 : least;
  }
  if (options.ratio >= 10 && stream.pace.rate() > 0) {
    const double slots = stream.pace.rate() * static_cast<double>(kFarAhead.value / stream.track.length.value);
    const double bound = slots + static_cast<double>(LeastDistance(stream.track, facts));
    if (static_cast<double>(want) > bound) want = static_cast<int64_t>(bound);
  }
  const int64_t most = MostBytes(stream, facts, options) / (stream.track.PagesPerSlot(facts.page) * facts.page.value);
  if (want > most) want = most;
  // How many first windows there will be is not known: each takes a part of what is left. Not where readers do little
  // but wait: there a first window saves a wait whenever it is read, and more than memory holds costs no more than the
  // kernel's own would. Simulated, 64 MiB, net-2ms, 64 files in turn: 443 MB/s, 415 with all bounded, the best fixed
  // window 463; 256 and 384 in their first second 100 and 97, before 60 and 58, the kernel alone 59 (MemoryTest).
  const int64_t streams = StreamsOf(facts);
  const bool are_many = streams > (stream.method == Class::initial ? kFewFiles : kManyStreams);
  const int64_t first = facts.allowance.value / 100 * options.ratio / kFirstWindows / stream.track.length.value;
  const bool is_bounded = are_many && options.ratio >= 10 && !around.congestion.IsAtFullSpeed();
  if (!stream.proved && is_bounded && want > first) want = first;
  want = SafeSlots(stream, want);
  if (want < stream.low_water) stream.low_water = 0;
  constexpr int64_t kRoom = Usefulness::kSlots / 2;
  return want < kRoom ? want : kRoom;
}

}  // namespace ahead
