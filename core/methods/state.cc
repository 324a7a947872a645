// Method state, and the shape of every window: how far a stream's next request reaches, where its mark lies, and what
// became of the pieces.
//
// A stream asks again when its reader reaches the mark. Then everything up to `distance` slots ahead of the reader is
// asked for, in pieces aligned to the piece size. The distance comes from the control law (window.h) and is bounded by
// what the stream has proved: at most 7/4 of what it has read in a row, and never less than the startup distance. So a
// reader that stops after N bytes has cost at most 7/4 N more, or the startup distance.
// Source: the look-ahead mark, the stretch to the end of file and the request classes are those of Wu Fengguang,
// Adaptive readahead V15 (2006). Differences: distances come from rate and latency, not from page ageing.

#include "core/adaptive_policy.h"

namespace ahead {
namespace {

constexpr ByteCount kAutoMax{16 << 20};
// More pieces than this are not issued in one call of the host.
constexpr int32_t kMostPieces = 64;

// The mark leaves a quarter of the distance to be asked for at a time, so that requests are not too small.
int64_t Quantum(int64_t distance, int64_t unit) { return distance / 4 > unit ? distance / 4 : unit; }

int64_t Unit(const Stream& stream, const Facts& facts) {
  return stream.track.shape == Shape::kStride ? 1 : facts.piece / facts.page;
}

int64_t MostBytes(const Options& options, const Facts& facts) {
  const int64_t max = options.max != 0 ? options.max : kAutoMax.value;
  if (options.ratio < 10) return max;
  const int64_t safe = facts.allowance.value / 100 * options.ratio;
  return safe < max ? safe : max;
}

// Rounds the end of a window inwards to a piece boundary, if that leaves anything after `begin`.
int64_t AlignEnd(const Track& track, int64_t begin, int64_t end, int64_t unit) {
  int64_t aligned = end;
  if (track.shape == Shape::kForward) aligned = AlignDown(end, unit);
  if (track.shape == Shape::kBackward) {
    const int64_t pages = track.origin.value / track.length.value + 1;
    aligned = pages - AlignUp(pages - end, unit);
  }
  return aligned > begin ? aligned : end;
}

// Returns how many of the decision's first pieces the read itself needs. A single read may be as large as the file:
// what it needs is asked for in advance as far as memory allows, waiting for the disk as the read would.
int32_t RequiredPieces(const Stream& stream, int64_t begin, const Decision& decision, const Facts& facts) {
  if (begin >= stream.position) return 0;
  int64_t required = stream.position - begin;
  if (stream.track.shape == Shape::kForward)
    required = (stream.track.Begin(stream.position) - decision.first).value / facts.piece.value + 1;
  if (stream.track.shape == Shape::kBackward)
    required = (decision.first - stream.track.Begin(stream.position - 1)).value / facts.piece.value + 1;
  const int64_t most = facts.allowance / facts.piece + 1;
  required = required < most ? required : most;
  return static_cast<int32_t>(required < decision.pieces ? required : decision.pieces);
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

}  // namespace

int64_t AdaptivePolicy::Want(const Stream& stream, const Facts& facts, const Surroundings& around) const {
  const Options& options = around.options;
  const int64_t length = stream.track.length.value;
  int64_t want = stream.window.distance();
  if (options.ratio < 10) {
    want = options.initial / length;
  } else if (stream.proved) {
    const int64_t read = stream.position - stream.first;
    int64_t proved = stream.track.shape == Shape::kStride ? 8 * read : read * 7 / 4;
    const int64_t startup = stream.track.shape == Shape::kStride ? StrideStartup(facts) : startup_.value / length;
    if (proved < startup) proved = startup;
    if (want < startup) want = startup;
    if (want > proved) want = proved;
  }
  const int64_t most = MostBytes(options, facts) / (stream.track.PagesPerSlot(facts.page) * facts.page.value);
  if (want > most) want = most;
  constexpr int64_t kRoom = Usefulness::kSlots / 2;
  return want < kRoom ? want : kRoom;
}

// Asks for the stream's next window, if that is due. `from`: the first slot of the read that is about to happen.
Decision AdaptivePolicy::Extend(Stream& stream, int64_t from, const Facts& facts, Nanos now,
                                const Surroundings& around) {
  // A stream that cannot outgrow what the kernel does by itself is left to it (design, fact 3).
  stream.left_alone =
      around.options.ratio == 0 || (stream.track.shape == Shape::kForward && stream.method != Class::initial &&
                                    MostBytes(around.options, facts) <= facts.kernel_window.value);
  if (stream.left_alone) return {};
  if (IsLed(stream)) {
    stream.frontier = stream.mark = stream.position;
    return LookAhead(stream, from, facts);
  }
  const bool open = stream.frontier > from;
  if (open && stream.position < stream.mark) return {};
  const int64_t pages_per_slot = stream.track.PagesPerSlot(facts.page);
  const bool crossed = stream.marked && stream.position >= stream.mark;
  stream.marked = false;
  if (crossed)
    around.ledger.Add(Event::lookahead_hit, stream.mark_method,
                      static_cast<uint64_t>((stream.frontier - stream.mark) * pages_per_slot));

  const int64_t want = Want(stream, facts, around);
  const int64_t file_end = stream.track.EndSlot(facts.file_size);
  const int64_t begin = open ? stream.frontier : from;
  int64_t end = AlignEnd(stream.track, begin, stream.position + want, Unit(stream, facts));
  if (end + (end - begin) / 4 >= file_end) end = file_end;
  if (end <= begin) {
    if (crossed) around.ledger.Add(Event::lookahead_ignore, stream.mark_method, 0);
    stream.mark = stream.position + Unit(stream, facts);
    return {};
  }
  if (want < stream.window.distance() && MostBytes(around.options, facts) <= want * stream.track.length.value)
    around.ledger.Add(Event::readahead_shrink, stream.method,
                      static_cast<uint64_t>((stream.window.distance() - want) * pages_per_slot));

  Decision decision = Describe(stream.track, begin, end, facts);
  decision.method = stream.method;
  decision.starving = stream.window.starving() || !open;
  decision.required = RequiredPieces(stream, begin, decision, facts);
  int32_t allowed = around.congestion.Allowed(now);
  if (allowed > kMostPieces) allowed = kMostPieces;
  if (allowed < decision.required) allowed = decision.required;
  if (decision.pieces > allowed) {
    if (allowed < kMostPieces)
      around.ledger.Add(Event::io_congestion, stream.method,
                        static_cast<uint64_t>((decision.pieces - allowed) * Unit(stream, facts) * pages_per_slot));
    decision.pieces = allowed;
  }
  stream.frontier = begin;
  if (decision.empty()) stream.mark = stream.position + 1;
  return decision;
}

void AdaptivePolicy::Issued(const Decision& decision, int32_t index, const PieceOutcome& outcome, Nanos now,
                            const Facts& facts, const Surroundings& around) {
  Stream* stream = table_.Find(decision.stream);
  if (stream == nullptr) return;
  if (index == 0) books_ = {};
  const ByteRange piece = decision.Piece(index);
  const SlotRange slots = stream->track.Slots(piece);
  const int64_t pages_per_slot = stream->track.PagesPerSlot(facts.page);
  switch (outcome.state) {
    case PieceOutcome::State::kIssued: {
      around.congestion.OnIssued(now, outcome.blocked);
      // Which of the pages were new is not known; what was there before lies mostly at the near end.
      const int64_t fresh = (outcome.fresh_pages + pages_per_slot - 1) / pages_per_slot;
      const SlotRange added{slots.end - (fresh < slots.size() ? fresh : slots.size()), slots.end};
      Usefulness::Count lost;
      const Usefulness::Count count = stream->useful.Add(added, decision.method, lost);
      // What the read itself needs is as good as read when the ring of slots is too short for it.
      index < decision.required ? Credit(*stream, lost, facts, around) : GiveUp(*stream, lost, facts, around);
      for (size_t cls = 0; cls < kClassCount; ++cls) books_.fresh.slots[cls] += count.slots[cls];
      books_.fresh.total += count.total;
      books_.asked += slots.size() * pages_per_slot;
      books_.resident += (slots.size() - added.size()) * pages_per_slot;
      if (!outcome.sure) books_.unsure += count.total * pages_per_slot;
      break;
    }
    case PieceOutcome::State::kResident:
      books_.resident += slots.size() * pages_per_slot;
      break;
    case PieceOutcome::State::kDropped:
      books_.asked += slots.size() * pages_per_slot;
      ++books_.dropped;
      books_.hole = true;
      break;
    case PieceOutcome::State::kPutOff:
      books_.hole = true;
      break;
  }
  if (decision.look_only) {
    if (index + 1 == decision.pieces) JudgeKernel(*stream, facts);
    return;
  }
  if (!books_.hole && slots.end > stream->frontier) stream->frontier = slots.end;
  if (index + 1 == decision.pieces) CloseBooks(*stream, decision, now, facts, around);
}

void AdaptivePolicy::CloseBooks(Stream& stream, const Decision& decision, Nanos now, const Facts& facts,
                                const Surroundings& around) {
  const Class method = decision.method;
  const uint64_t pages_per_slot = static_cast<uint64_t>(stream.track.PagesPerSlot(facts.page));
  Ledger& ledger = around.ledger;
  if (books_.resident > 0) ledger.Add(Event::io_cache_hit, method, static_cast<uint64_t>(books_.resident));
  if (books_.dropped > 0) {
    around.congestion.OnDropped(now);
    ledger.Add(Event::io_congestion, method,
               static_cast<uint64_t>(books_.dropped) * static_cast<uint64_t>(Unit(stream, facts)) * pages_per_slot);
  }
  if (books_.asked == 0) {
    // All of it was there, and not by our doing: the file is cached, or the kernel is ahead of us. Either way there is
    // nothing to do.
    if (books_.resident > 0 && !books_.hole && OutstandingPages() == 0) passive_ = true;
    PlaceMark(stream, decision, facts, around);
    return;
  }
  for (size_t cls = 0; cls < kClassCount; ++cls) {
    const bool own = static_cast<Class>(cls) == method;
    const uint64_t fresh = static_cast<uint64_t>(books_.fresh.slots[cls]) * pages_per_slot;
    if (own || fresh != 0) ledger.Add(Event::readahead, static_cast<Class>(cls), fresh, own ? 1 : 0);
  }
  const uint64_t fresh = static_cast<uint64_t>(books_.fresh.total) * pages_per_slot;
  ledger.Add(Event::readahead_asked, method, static_cast<uint64_t>(books_.asked));
  if (books_.unsure > 0) ledger.Add(Event::readahead_unsure, method, static_cast<uint64_t>(books_.unsure));
  if (stream.frontier >= stream.track.EndSlot(facts.file_size)) ledger.Add(Event::readahead_eof, method, fresh);
  if (method == Class::mapped) ledger.Add(Event::readahead_mmap, method, fresh);
  if (method == Class::initial) stream.initial_slots += books_.fresh.total;

  stream.issued_at = now;
  last_method_ = method;
  if (stream.track.shape == Shape::kForward) stream.method = Class::state;
  if (method == Class::onseek) stream.led = facts.kernel_leads;
  PlaceMark(stream, decision, facts, around);
}

void AdaptivePolicy::PlaceMark(Stream& stream, const Decision& decision, const Facts& facts,
                               const Surroundings& around) {
  const int64_t unit = Unit(stream, facts);
  const int64_t ahead = stream.frontier - stream.position;
  const bool at_end = stream.frontier >= stream.track.EndSlot(facts.file_size);
  if (at_end) {
    stream.mark = stream.frontier;  // nothing more will be due
  } else if (books_.hole) {
    stream.mark = stream.position + (unit > 8 ? unit / 8 : 1);
  } else if (decision.method == Class::initial) {
    stream.mark = stream.frontier - (stream.frontier - stream.first) / 8;  // ra/8, as the ancestor's initial method
  } else if (decision.method == Class::onseek) {
    stream.mark = stream.frontier;
  } else {
    const int64_t next = stream.position + Quantum(ahead, unit);
    stream.mark = next < stream.frontier ? next : stream.frontier;
  }
  stream.marked = stream.mark < stream.frontier && !books_.hole && books_.asked > 0;
  if (!stream.marked) return;
  stream.mark_method = decision.method;
  around.ledger.Add(Event::lookahead, decision.method,
                    static_cast<uint64_t>((stream.frontier - stream.mark) * stream.track.PagesPerSlot(facts.page)));
}

Decision AdaptivePolicy::PlanMapping(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around) {
  const ByteOffset begin{AlignDown(range.begin.value, facts.page.value)};
  if (around.options.ratio == 0 || passive_ || is_random_ || facts.kernel_leads || begin.value < 0 ||
      begin.value >= facts.file_size.value)
    return {};
  const bool small = facts.file_size.value <= facts.initial.value + facts.initial.value / 4;
  // Programs map parts of a file one beside the other. There the kernel reads around a fault, past the end of the
  // mapping, and a window that ends with it would keep the kernel from that: git log took 1.74 times as long at 20 ms.
  if (!small && begin.value > 0) return {};
  ByteRange window{begin, {facts.file_size.value}};
  if (!small && window.size() > facts.initial) window.end = window.begin + facts.initial;
  if (!small && window.end > range.end && range.end > window.begin) window.end = range.end;
  Stream& stream = Begin(Class::mapped, Track::Forward(facts.page), window, {}, now, facts, around);
  const SlotRange slots = stream.track.Slots(window);
  Decision decision = Describe(stream.track, slots.begin, slots.end, facts);
  decision.method = Class::mapped;
  decision.stream = table_.IdOf(stream);
  return decision;
}

}  // namespace ahead
