// Method state, and the shape of every window: how far a stream's next request reaches.
//
// A stream asks again when its reader reaches the mark. Then everything up to its distance ahead of the reader
// (distance.cc) is asked for, in pieces aligned to the piece size.
// Source: the look-ahead mark, the stretch to the end of file and the request classes are those of Wu Fengguang,
// Adaptive readahead V15 (2006). Differences: distances come from rate and latency, not from page ageing.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

// When less than such a part of a burst is left, the next may as well begin.
constexpr int64_t kNearlyRead = 8;
// Pieces of a whole burst that are handed over with each read, until a call blocks.
constexpr int32_t kHurried = 20;
// Pieces that a forward stream whose reader waits may have ahead, however much seems to be in flight: a disk with an
// arm, whose latency is that of a seek, brings pieces in a row many times as fast, and goes elsewhere when the next has
// not been asked for. On ahead-disk (bench/sizing/run.py --rows hdd, 4 readers, rotation, 12 in flight) the arm moved
// 17 to 27 times without, 4 to 6 times so, and as often under the kernel alone.
constexpr int64_t kAlways = 3;

// Rounds the end of a window inwards to a piece boundary, if that leaves half of what comes after `begin`; where the
// window goes on from an earlier one and is larger than a piece, whatever it leaves, if nothing then that: a part of a
// piece now and the rest a moment later would be two requests.
int64_t AlignEnd(const Track& track, int64_t begin, int64_t end, int64_t unit, bool goes_on) {
  int64_t aligned = end;
  if (track.shape == Shape::kForward) aligned = AlignDown(end, unit);
  if (track.shape == Shape::kBackward) {
    const int64_t pages = track.origin.value / track.length.value + 1;
    aligned = pages - AlignUp(pages - end, unit);
  }
  if (track.shape == Shape::kRuns) {
    const Cycle::Run run = track.RunAt(end);
    if (end > run.slots.begin && run.slots.end - end <= unit / 4) return run.slots.end;
    aligned = run.slots.begin + AlignDown(end - run.slots.begin, unit);
    if (aligned <= begin) return run.slots.end < begin + unit ? run.slots.end : begin + unit;
    return aligned;
  }
  if (goes_on) return aligned > begin ? aligned : begin;
  return aligned - begin > (end - begin) / 2 ? aligned : end;
}

// Returns how many pieces are asked for at any rate, however full the mount seems: as many as memory has room for.
int64_t MostAtAnyRate(const Facts& facts) { return facts.allowance / facts.piece + 1; }

// Returns how many of the decision's first pieces the read itself needs. A single read may be as large as the file:
// what it needs is asked for in advance as far as memory allows, waiting for the disk as the read would.
int32_t RequiredPieces(const Stream& stream, int64_t begin, const Decision& decision, const Facts& facts) {
  if (begin >= stream.position) return 0;
  int64_t required = stream.position - begin;
  if (stream.track.shape == Shape::kForward)
    required = (stream.track.Begin(stream.position) - decision.first).value / facts.piece.value + 1;
  if (stream.track.shape == Shape::kBackward)
    required = (decision.first - stream.track.Begin(stream.position - 1)).value / facts.piece.value + 1;
  if (stream.track.shape == Shape::kRuns) {
    required = 0;
    while (required < decision.pieces) {
      if (stream.track.Slots(decision.Piece(static_cast<int32_t>(required))).begin >= stream.position) break;
      ++required;
    }
  }
  const int64_t most = MostAtAnyRate(facts);
  required = required < most ? required : most;
  return static_cast<int32_t>(required < decision.pieces ? required : decision.pieces);
}

}  // namespace

// How far the next window of a stream reaches, as far as that was decided.
struct AdaptivePolicy::Reach {
  int64_t from = 0;   // of the read under way
  int64_t unit = 1;   // slots in a piece
  int64_t burst = 0;  // slots of a whole burst; 0: none is due
  int64_t want = 0;   // slots ahead of the reader
  SlotRange window{};
  bool open = false;     // something lies ahead of the reader
  bool joins = false;    // the disk is awake for another stream's burst
  bool at_risk = false;  // what was asked for may be gone
  bool crossed = false;  // the look-ahead mark was reached
};

// A stream that cannot outgrow what the kernel does by itself is left to it (design, fact 3), unless memory has no
// room for the two windows that the kernel keeps for each stream.
bool AdaptivePolicy::IsLeftAlone(const Stream& stream, const Facts& facts, Nanos now,
                                 const Surroundings& around) const {
  if (around.options.ratio == 0 || around.congestion.IsPassive(now)) return true;
  return stream.track.shape == Shape::kForward && stream.method != Class::initial &&
         MostBytes(stream, facts, around.options) <= facts.kernel_window.value && !keeps_kernel_out_ &&
         (!IsShort(facts) || IsCrowded(around));
}

// Nothing is asked for: what the read itself needs is the kernel's to fetch.
Decision AdaptivePolicy::LeaveToKernel(Stream& stream) {
  stream.frontier = stream.mark = stream.position;
  return {};
}

// Finds how far ahead of the reader to ask. Returns false where the read is left to the kernel.
bool AdaptivePolicy::FindWant(Stream& stream, SlotRange read, Reach& reach, const Facts& facts,
                              const Surroundings& around) {
  const bool is_forward = stream.track.shape == Shape::kForward;
  const int64_t size = stream.position - reach.from;
  int64_t want = Want(stream, read, facts, around);
  if (want < reach.burst) want = reach.burst;
  if (IsInCrowd(stream, around))
    want = 0;
  else if (keeps_kernel_out_ && !IsShort(facts) && stream.proved && want < reach.unit)
    want = reach.unit;  // as the kernel has
  // Nothing ahead: then what the read itself needs is the kernel's, but for one of many pieces; and but for where all
  // the windows that the kernel would begin have no room in memory.
  const bool asks_for_read =
      facts.share * 4 < facts.kernel_window * 3 && is_forward && stream.proved && !keeps_kernel_out_;
  // A part of the next read would have it wait all the same, and may be lost before. So would a part of a later one:
  // what is beyond whole reads is read a turn later. 800 slow streams of 32 KiB with 40 KiB each: 2634 reads wait, 1643
  // so, and 2.5 % of the bytes come twice, 0.5 % so (ahead score, slow-streams in 64 MiB).
  if (IsShort(facts) && is_forward && size > 0 && want > size) want -= want % size;
  if ((asks_for_read || (keeps_kernel_out_ && IsShort(facts))) && want < size) want = 0;
  reach.want = want;
  return want != 0 || size > reach.unit || asks_for_read || keeps_kernel_out_;
}

// Finds where the window begins and ends. Returns false where the read is left to the kernel.
bool AdaptivePolicy::FindWindow(Stream& stream, SlotRange read, Reach& reach, const Facts& facts,
                                const Surroundings& around) {
  const int64_t want = reach.want;
  const int64_t unit = reach.unit;
  const int64_t file_end = stream.track.EndSlot(facts.file_size);
  // A reader behind the stream, whom another overtook, comes to what was read.
  const int64_t unread = read.end < stream.position ? stream.position : reach.from;
  const int64_t begin = reach.at_risk ? reach.from : reach.open ? stream.frontier : unread;
  int64_t end = stream.low_water > 0 && stream.proved
                    ? AlignUp(stream.position + want, unit)
                    : AlignEnd(stream.track, begin, stream.position + want, unit, reach.open && want > unit);
  // By a quarter, but a large read does not count: it must not take memory for more than itself where there is none.
  const int64_t most_stretch = want / 4 > unit ? want / 4 : unit;
  const int64_t stretch = (end - begin) / 4 < most_stretch ? (end - begin) / 4 : most_stretch;
  if (end + stretch >= file_end) end = file_end;
  // Of a read that is begun all is asked for: the kernel would fetch the rest only when the first part has come.
  if (end < stream.position) end = stream.position < file_end ? stream.position : file_end;
  if (keeps_kernel_out_ && stream.frontier < stream.position) {
    const int64_t crowd_end = CrowdEnd(stream, reach.from, facts, around);
    if (end < crowd_end) end = crowd_end < file_end ? crowd_end : file_end;
    // The kernel fetches just that.
    if (end <= stream.position && stream.frontier <= reach.from && stream.position - reach.from <= unit) return false;
  }
  const int64_t bound = stream.bound < file_end ? stream.bound : file_end;
  // A slow reader that comes near the bound is given what it needs beyond, little beside its run: it may well go on.
  const int64_t beyond = stream.low_water * 4 <= stream.position - stream.first ? stream.low_water : 0;
  if (reach.burst == 0 && stream.position + beyond <= bound && end + stretch > bound) end = bound;
  reach.window = {begin, end};
  return true;
}

// A burst is asked for as a whole, over as many reads as that takes.
void AdaptivePolicy::KeepToBurst(Stream& stream, Reach& reach, Nanos now, const Surroundings& around) {
  const int64_t burst = reach.burst;
  const int64_t ahead = stream.frontier - stream.position;
  // To look whether a burst is still there is no reason for another.
  const bool looks_only = reach.at_risk && !reach.joins && burst > 0 && ahead * kNearlyRead > burst;
  if (looks_only && !stream.is_bursting()) {
    stream.burst_end = stream.frontier;
    stream.looks_at_burst = true;
  }
  if (stream.is_bursting() || looks_only) {
    reach.window.end = stream.burst_end;
  } else {
    stream.burst_end = burst > 0 && reach.want == burst ? reach.window.end : 0;
    stream.looks_at_burst = false;
  }
  if (stream.is_bursting() && reach.open && !reach.joins && !stream.looks_at_burst) around.congestion.OnBurst(now);
}

// There is nothing to ask for yet: says at which slot to look again.
Decision AdaptivePolicy::PutOff(Stream& stream, const Reach& reach, Ledger& ledger) {
  if (reach.crossed) ledger.Add(Event::lookahead_ignore, stream.mark_method, 0);
  const int64_t next = stream.frontier - stream.low_water;
  if (stream.low_water == 0)
    stream.mark = stream.position + reach.unit;
  else
    stream.mark = next > stream.position ? next : stream.position + 1;
  if (stream.mark > stream.frontier && stream.frontier > stream.position) stream.mark = stream.frontier;
  return {};
}

// Makes a decision of the window: as many of its pieces as may be asked for now.
Decision AdaptivePolicy::AskFor(Stream& stream, const Reach& reach, const Facts& facts, Nanos now,
                                const Surroundings& around) {
  const auto [begin, end] = reach.window;
  const int64_t unit = reach.unit;
  const bool at_risk = reach.at_risk;
  Decision decision = Describe(stream.track, begin, end, facts);
  decision.method = at_risk ? Class::onthrash : stream.method;
  decision.starving = stream.window.starving() || !reach.open;
  decision.alone = stream.is_one_readers() && around.congestion.Streams() <= 1;
  decision.required = RequiredPieces(stream, begin, decision, facts);
  const bool waits = stream.window.starving() && stream.proved && stream.is_one_readers() && !at_risk;
  const int64_t beside = Beside(stream, facts, around);
  const int64_t always = beside < kAlways ? beside : kAlways;
  const int64_t most_needed = always < MostAtAnyRate(facts) ? always : MostAtAnyRate(facts);
  const int64_t needed = most_needed - (begin > stream.position ? (begin - stream.position) / unit : 0);
  if (waits && decision.required < needed)
    decision.required = static_cast<int32_t>(needed < decision.pieces ? needed : decision.pieces);
  const int32_t most = decision.required > kMostPieces ? decision.required : kMostPieces;
  if (stream.is_bursting() && decision.pieces > most) decision.pieces = most;
  int32_t allowed = around.congestion.Allowed(now);
  if (stream.is_bursting() && Hurries(stream, reach.burst, around.options) && allowed < kHurried) allowed = kHurried;
  if (allowed > kMostPieces) allowed = kMostPieces;
  if (allowed < decision.required) allowed = decision.required;
  if (at_risk && allowed < kMostPieces) allowed = kMostPieces;  // to be looked at; what is asked for is another matter
  if (decision.pieces > allowed) {
    if (allowed < kMostPieces)
      around.ledger.Add(
          Event::io_congestion, stream.method,
          static_cast<uint64_t>((decision.pieces - allowed) * unit * stream.track.PagesPerSlot(facts.page)));
    decision.pieces = allowed;
  }
  stream.frontier = begin;
  if (decision.empty()) stream.mark = stream.position + 1;
  return decision;
}

// Asks for the stream's next window, if that is due. `read`: the slots of the read that is about to happen.
Decision AdaptivePolicy::Extend(Stream& stream, SlotRange read, const Facts& facts, Nanos now,
                                const Surroundings& around) {
  stream.left_alone = IsLeftAlone(stream, facts, now, around);
  if (stream.left_alone) {
    kernel_has_read_ = true;
    return {};
  }
  KeepTime(stream, now, facts, around.options);
  if (stream.asking.IsOn(now)) return {};
  Reach reach{.from = read.begin, .unit = UnitOf(stream.track, facts), .burst = BurstSlots(stream, facts, around)};
  if (reach.burst > 0) stream.led = false;
  if (IsLed(stream)) {
    kernel_has_read_ = true;
    LeaveToKernel(stream);
    return LookAhead(stream, reach.from, facts);
  }
  reach.open = stream.frontier > reach.from;
  reach.joins = reach.burst > 0 && JoinsBurst(stream, reach.burst, now, around);
  // What is there is to be read before anything is waited for: it would be gone by then.
  if (reach.open && keeps_kernel_out_ && IsShort(facts) && IsCrowded(around)) {
    if (stream.frontier < stream.position) stream.frontier = stream.position;
    stream.mark = stream.frontier;
    stream.marked = false;
    return {};
  }
  reach.at_risk = reach.open && IsAtRisk(stream, reach.from, facts, around.options);
  if (reach.open && stream.position < stream.mark && !reach.joins && !reach.at_risk) return {};
  const int64_t pages_per_slot = stream.track.PagesPerSlot(facts.page);
  reach.crossed = stream.marked && stream.position >= stream.mark;
  stream.marked = false;
  if (reach.crossed)
    around.ledger.Add(Event::lookahead_hit, stream.mark_method,
                      static_cast<uint64_t>((stream.frontier - stream.mark) * pages_per_slot));

  if (!FindWant(stream, read, reach, facts, around)) {
    kernel_has_read_ = true;
    return LeaveToKernel(stream);
  }
  if (!FindWindow(stream, read, reach, facts, around)) return LeaveToKernel(stream);
  KeepToBurst(stream, reach, now, around);
  if (reach.at_risk) {
    if (reach.window.end < stream.frontier) reach.window.end = stream.frontier;
    stream.looked = facts.clock;
    stream.suspected = false;
  }
  if (!failed_.empty()) reach.window.end = failed_.Before(reach.window, stream.track).end;
  if (reach.window.end <= reach.window.begin) return PutOff(stream, reach, around.ledger);
  const int64_t less = stream.window.distance() - reach.want;
  if (less > 0 && MostBytes(stream, facts, around.options) <= reach.want * stream.track.length.value)
    around.ledger.Add(Event::readahead_shrink, stream.method, static_cast<uint64_t>(less * pages_per_slot));
  return AskFor(stream, reach, facts, now, around);
}

}  // namespace ahead
