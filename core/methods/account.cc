// What became of the pieces of a request, and where its mark lies.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

// Slots of one piece: those of forward windows may be large (request.h).
int64_t UnitOf(const Decision& decision, const Track& track, const Facts& facts) {
  return track.shape == Shape::kForward ? decision.length / track.length : ahead::UnitOf(track, facts);
}

// A stream on time has a quarter of its distance asked for at a time, so that requests are not too small.
int64_t Quantum(int64_t distance, int64_t unit) { return distance / 4 > unit ? distance / 4 : unit; }

}  // namespace

void AdaptivePolicy::Issued(const Decision& decision, int32_t index, const PieceOutcome& outcome, Nanos now,
                            const Facts& facts, const Surroundings& around) {
  Stream* const main = table_.Find(decision.stream);
  if (main == nullptr) return;
  if (index + 1 == decision.pieces) main->asking.End();
  const int32_t other_end = FirstOfOtherEnd(*main, decision);
  Stream* const stream = index < other_end ? main : table_.Find(main->other_end);
  if (stream == nullptr) return;
  Books& books = stream->books;
  if (index == 0) main->books = {};
  if (index == other_end) books = {};
  const ByteRange piece = decision.Piece(index);
  const SlotRange slots = stream->track.Slots(piece);
  const int64_t pages_per_slot = stream->track.PagesPerSlot(facts.page);
  const bool was_taken = outcome.state == PieceOutcome::State::kIssued && outcome.blocked <= kLongestCallOfBatch;
  const bool was_asked =
      outcome.state == PieceOutcome::State::kIssued || outcome.state == PieceOutcome::State::kDropped;
  if (was_asked && !was_taken && decision.starving && stream->is_one_readers()) {
    const int64_t held = (slots.begin - stream->position) / UnitOf(decision, stream->track, facts);
    around.congestion.OnFull(held > 0 ? static_cast<int32_t>(held) : 0, now);
  }
  switch (outcome.state) {
    case PieceOutcome::State::kIssued: {
      if (index == 0) books.first_asked = now;
      around.congestion.OnIssued(now, outcome.blocked);
      // Which of the pages were new is not known; what was there before lies mostly at the near end.
      int64_t fresh = (outcome.fresh_pages + pages_per_slot - 1) / pages_per_slot;
      if (fresh > slots.size()) fresh = slots.size();
      SlotRange added{slots.end - fresh, slots.end};
      if (decision.method == Class::onthrash && outcome.sure) {
        const int64_t lost = TakeLost(*stream, slots, fresh, index >= decision.required, facts, around);
        if (lost > 0) added = {slots.begin, slots.begin + fresh};
        books.lost += lost;
      }
      books.fetched += outcome.fresh_pages;
      const Usefulness::Count count = stream->useful.Add(added, MethodOf(*stream, decision));
      for (size_t cls = 0; cls < kClassCount; ++cls) books.fresh.slots[cls] += count.slots[cls];
      books.fresh.total += count.total;
      books.asked += slots.size() * pages_per_slot;
      books.resident += (slots.size() - added.size()) * pages_per_slot;
      if (!outcome.sure) books.unsure += count.total * pages_per_slot;
      break;
    }
    case PieceOutcome::State::kResident:
      books.resident += (slots.size() - stream->useful.Held(slots)) * pages_per_slot;
      break;
    case PieceOutcome::State::kDropped:
      books.asked += slots.size() * pages_per_slot;
      ++books.dropped;
      books.hole = true;
      break;
    case PieceOutcome::State::kPutOff:
      books.hole = true;
      break;
  }
  if (decision.look_only) {
    if (index + 1 == decision.pieces) JudgeKernel(*stream, facts);
    return;
  }
  if (!books.hole && slots.end > stream->frontier) stream->frontier = slots.end;
  if (index + 1 == other_end || index + 1 == decision.pieces) CloseBooks(*stream, decision, now, facts, around);
}

// A window that was looked at and found whole is the stream's as ever.
Class AdaptivePolicy::MethodOf(const Stream& stream, const Decision& decision) const {
  return decision.method == Class::onthrash && stream.books.lost == 0 ? stream.method : decision.method;
}

void AdaptivePolicy::CloseBooks(Stream& stream, const Decision& decision, Nanos now, const Facts& facts,
                                const Surroundings& around) {
  const Books& books = stream.books;
  const Class method = MethodOf(stream, decision);
  if (books.lost > 0) LearnFromLoss(stream, stream.track.Slots(decision.Piece(0)).begin, facts, around);
  if (books.fetched > 0) {
    around.learnt.safety.Advance(facts.page * books.fetched);
    stream.issues.Note(stream.frontier, facts.clock, stream.position);
    stream.is_sure = books.unsure == 0;
  }
  const uint64_t pages_per_slot = static_cast<uint64_t>(stream.track.PagesPerSlot(facts.page));
  Ledger& ledger = around.ledger;
  if (books.resident > 0) ledger.Add(Event::io_cache_hit, method, static_cast<uint64_t>(books.resident));
  if (books.dropped > 0) {
    around.congestion.OnDropped(now);
    ledger.Add(Event::io_congestion, method,
               static_cast<uint64_t>(books.dropped) * static_cast<uint64_t>(UnitOf(decision, stream.track, facts)) *
                   pages_per_slot);
  }
  if (books.fresh.total > 0 && books.unsure == 0)
    around.congestion.OnUseful();
  else if (books.dropped > 0 && around.congestion.InFlight(now) == 0)
    around.congestion.OnUseless(now);
  if (books.asked == 0) {
    // All of it was there, and not by our doing: the file is cached, or the kernel is ahead of us. Either way there is
    // nothing to do.
    // Where memory is short that may not last, and then the kernel's windows would have no room.
    // A block of a cluster may be there because it was read before.
    if (stream.is_cluster)
      clusters_.NoteCached(stream.first / Clusters::kBlock);
    else if (books.resident > 0 && !books.hole && OutstandingPages() == 0 && !IsShort(facts))
      BePassive();
    PlaceMark(stream, decision, facts, around);
    return;
  }
  for (size_t cls = 0; cls < kClassCount; ++cls) {
    const bool own = static_cast<Class>(cls) == method;
    const uint64_t fresh = static_cast<uint64_t>(books.fresh.slots[cls]) * pages_per_slot;
    if (own || fresh != 0) ledger.Add(Event::readahead, static_cast<Class>(cls), fresh, own ? 1 : 0);
  }
  const uint64_t fresh = static_cast<uint64_t>(books.fresh.total) * pages_per_slot;
  ledger.Add(Event::readahead_asked, method, static_cast<uint64_t>(books.asked));
  if (books.unsure > 0) ledger.Add(Event::readahead_unsure, method, static_cast<uint64_t>(books.unsure));
  if (stream.frontier >= stream.track.EndSlot(facts.file_size)) ledger.Add(Event::readahead_eof, method, fresh);
  if (method == Class::mapped) ledger.Add(Event::readahead_mmap, method, fresh);
  if (method == Class::initial) stream.initial_slots += books.fresh.total;

  stream.issued_at = now;
  if (stream.probe <= stream.position && stream.frontier > stream.position) {
    stream.probe = stream.frontier;
    stream.probe_asked = now;
  }
  last_method_ = method;
  if (stream.track.shape == Shape::kForward) stream.method = Class::state;
  if (method == Class::onseek && stream.track.shape == Shape::kForward) stream.led = facts.kernel_leads;
  PlaceMark(stream, decision, facts, around);
}

void AdaptivePolicy::PlaceMark(Stream& stream, const Decision& decision, const Facts& facts,
                               const Surroundings& around) {
  const int64_t unit = UnitOf(decision, stream.track, facts);
  const int64_t ahead = stream.frontier - stream.position;
  const bool at_end = stream.frontier >= stream.track.EndSlot(facts.file_size);
  if (at_end || stream.is_cluster) {
    stream.mark = stream.frontier;  // nothing more will be due
  } else if (stream.books.hole || stream.is_bursting()) {
    stream.mark = stream.position + (unit > 8 ? unit / 8 : 1);
  } else if (stream.burst_end > 0) {
    stream.mark = BurstMark(stream, around);
  } else if (stream.low_water > 0) {
    stream.mark = ahead > stream.low_water ? stream.frontier - stream.low_water : stream.position + 1;
  } else if (decision.method == Class::initial) {
    // ra/8, as the ancestor's initial method. A window larger than a piece is that because others of the folder were
    // read on: whoever reads a piece of it goes on. At 7/8 of it md5sum-walk took 698 ms, so 667 (net-2ms).
    const int64_t window = stream.frontier - stream.first;
    stream.mark = stream.frontier - window / 8;
    if (stream.mark > stream.first + unit - unit / 8) stream.mark = stream.first + unit - unit / 8;
  } else {
    // A late stream asks for a piece as one is read: what comes in larger lots leaves places at the device empty
    // between them (20 ms, 500 MB/s, 64 in flight: 0.84 of the limit, 0.98 so). Backward, a disk wants lots to put in
    // order.
    const bool one_by_one = stream.window.late() && stream.track.shape == Shape::kForward;
    // A decision has no room for more runs: the next read goes on.
    const bool is_cut = decision.extent_count == Decision::kMostExtents;
    // Where memory leaves room for two pieces at the most, a request that was put off needs a second chance before the
    // reader comes (64 MiB, 256 files in turn: 75 MB/s, 97 so).
    const bool is_short = facts.share <= facts.piece * 4 && ahead <= 2 * unit;
    const int64_t lot = one_by_one ? unit : Quantum(ahead, unit);
    const int64_t next = stream.position + (is_cut ? 1 : is_short ? ahead / 2 : lot);
    stream.mark = next < stream.frontier ? next : stream.frontier;
  }
  stream.marked =
      stream.mark < stream.frontier && !stream.books.hole && !stream.is_bursting() && stream.books.asked > 0;
  if (!stream.marked) return;
  stream.mark_method = decision.method;
  around.ledger.Add(Event::lookahead, decision.method,
                    static_cast<uint64_t>((stream.frontier - stream.mark) * stream.track.PagesPerSlot(facts.page)));
}

}  // namespace ahead
