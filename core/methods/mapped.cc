// Method mapped: what to fetch when a file is mapped. What the mapping touches is not seen.
//
// A file of which small mappings are made in order, each where the last one ended, is read so: the next one is made
// when the last was done with. From the third on what comes next is asked for, as much as was mapped in a row. Who lays
// many mappings side by side at once reads none of them yet: they come faster than memory can be read. Simulated (ahead
// score): git fsck of a pack mapped 128 KiB at a time takes 0.88 of the time at 2 ms and 0.60 at 20 ms, no byte more.
//
// Larger mappings are left to the kernel: one call at their begin is all there is, what it asks for beyond nine
// requests is dropped, for the kernel is ahead by itself through the same description (design, fact 2), and a hole is a
// seek. Simulated, memmap, shares of what can be had at 0.2, 2, 20 ms, on hdd and ssd: with eight pieces a mapping
// 0.02, 0.39, 0.53, -0.47, 0.08; with all that the mapping has -0.26, 0.33, 0.52, -0.97, -0.20.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

constexpr int32_t kProofs = 3;
// Beyond a mapping at most; no more than nine requests of 128 KiB, of which that is eight.
constexpr ByteCount kMostBeyond{1 << 20};
// Of the kernel: within larger mappings it gets ahead of who touches them.
constexpr int64_t kFewWindows = 2;
// Bytes a nanosecond: no memory is read faster by one thread.
constexpr int64_t kFastest = 16;

}  // namespace

bool MappedRun::Follow(ByteRange range, Nanos now, const Facts& facts) {
  const ByteCount gap = range.begin - end;
  const bool was_read = now - at >= Nanos{last.value / kFastest};
  const bool is_small = range.size() <= facts.kernel_window * kFewWindows;
  const bool goes_on = mappings > 0 && gap < facts.page && -gap < facts.page && range.end > end && was_read;
  if (!goes_on || !is_small) *this = {};
  if (!is_small) return false;
  mappings += mappings < kProofs ? 1 : 0;
  last = range.size();
  run = run < kMostBeyond ? run + last : run;
  end = range.end;
  at = now;
  return mappings >= kProofs;
}

// Asks for the slots, all at once.
Decision AdaptivePolicy::AskForMapping(Stream& stream, SlotRange slots, Nanos now, const Facts& facts) {
  Decision decision = Describe(stream.track, slots.begin, slots.end, facts);
  decision.method = Class::mapped;
  decision.stream = table_.IdOf(stream);
  if (!decision.empty()) stream.asking.Begin(now);
  return decision;
}

// Decides what to fetch for the next of mappings in a row.
Decision AdaptivePolicy::ContinueMappings(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around) {
  Stream* stream = table_.Find(mapped_run_.stream);
  if (stream == nullptr) {
    stream = &Begin(Class::mapped, Track::Forward(facts.page), range, {}, now, facts, around);
    mapped_run_.stream = table_.IdOf(*stream);
    around.congestion.OnFirstReadOver();
  }
  stream->tick = tick_;
  if (stream->asking.IsOn(now)) return {};
  const int64_t file_end = stream->track.EndSlot(facts.file_size);
  SlotRange slots = stream->track.Slots(range);
  if (slots.end > file_end) slots.end = file_end;
  CreditHits(*stream, {stream->first, slots.begin}, facts, around);  // they are done with
  stream->position = slots.end;
  const int64_t safe = SafeBytes(*stream, facts, around.options);
  const int64_t run = mapped_run_.run < kMostBeyond ? mapped_run_.run.value : kMostBeyond.value;
  const int64_t unit = UnitOf(stream->track, facts);
  const int64_t begin = stream->frontier > slots.begin ? stream->frontier : slots.begin;
  int64_t end = slots.end + (run < safe ? run : safe) / facts.page.value;
  end = end < file_end ? AlignDown(end, unit) : file_end;
  if (end <= begin) return {};
  stream->frontier = begin;
  Decision decision = AskForMapping(*stream, {begin, end}, now, facts);
  if (decision.pieces > kMostPieces) decision.pieces = kMostPieces;
  return decision;
}

Decision AdaptivePolicy::PlanMapping(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around) {
  const ByteOffset begin{AlignDown(range.begin.value, facts.page.value)};
  if (around.options.ratio == 0 || passive_ || is_random_ || around.congestion.IsPassive(now) || facts.kernel_leads ||
      begin.value < 0 || begin.value >= facts.file_size.value || !failed_.empty())
    return {};
  if (range.end > begin && mapped_run_.Follow({begin, range.end}, now, facts))
    return ContinueMappings({begin, range.end}, now, facts, around);
  const bool small = facts.file_size.value <= facts.initial.value + facts.initial.value / 4;
  // Programs map parts of a file here and there. There the kernel reads around a fault, past the end of the
  // mapping, and a window that ends with it would keep the kernel from that: git log took 1.74 times as long at 20 ms.
  if (!small && begin.value > 0) return {};
  ByteRange window{begin, {facts.file_size.value}};
  if (!small && window.size() > facts.initial) window.end = window.begin + facts.initial;
  if (!small && window.end > range.end && range.end > window.begin) window.end = range.end;
  Stream& stream = Begin(Class::mapped, Track::Forward(facts.page), window, {}, now, facts, around);
  return AskForMapping(stream, stream.track.Slots(window), now, facts);
}

}  // namespace ahead
