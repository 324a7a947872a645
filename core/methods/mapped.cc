// Method mapped: what to fetch when a file is mapped. What the mapping touches is not seen.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {

Decision AdaptivePolicy::PlanMapping(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around) {
  const ByteOffset begin{AlignDown(range.begin.value, facts.page.value)};
  if (around.options.ratio == 0 || passive_ || is_random_ || around.congestion.IsPassive(now) || facts.kernel_leads ||
      begin.value < 0 || begin.value >= facts.file_size.value || !failed_.empty())
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
  if (!decision.empty()) stream.asking.Begin(now);
  return decision;
}

}  // namespace ahead
