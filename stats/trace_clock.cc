#include "stats/trace_clock.h"

#include <algorithm>

namespace ahead {
namespace {

// Processors count at 20 MHz to 10 GHz. What says something else is damaged.
constexpr double kLeastRate = 0.1;
constexpr double kMostRate = 50;
// The two clocks are read some 30 ns apart: over a longer time that is less than one in ten thousand.
constexpr int64_t kLongEnough = 1'000'000;

bool IsRate(double rate) { return rate >= kLeastRate && rate <= kMostRate; }

}  // namespace

TraceClock::TraceClock(const TraceChunks& trace) : has_ticks_((trace.header.flags & TraceHeader::kHasTicks) != 0) {
  if (!has_ticks_ || trace.chunks.empty()) return;
  const auto& first = *std::min_element(trace.chunks.begin(), trace.chunks.end(), [](const auto& a, const auto& b) {
    return a.head.begin_ticks < b.head.begin_ticks;
  });
  const auto& last = *std::max_element(trace.chunks.begin(), trace.chunks.end(), [](const auto& a, const auto& b) {
    return a.head.last_ticks < b.head.last_ticks;
  });
  const double rate = (static_cast<double>(last.head.last_ns) - static_cast<double>(first.head.begin_ns)) /
                      (static_cast<double>(last.head.last_ticks) - static_cast<double>(first.head.begin_ticks));
  if (IsRate(rate)) rate_ = rate;
}

double TraceClock::Rate(const TraceChunk& chunk) const {
  if (!has_ticks_ || chunk.last_ticks <= chunk.begin_ticks || chunk.last_ns <= chunk.begin_ns || chunk.begin_ns < 0 ||
      chunk.last_ns - chunk.begin_ns < kLongEnough)
    return rate_;
  const double rate =
      static_cast<double>(chunk.last_ns - chunk.begin_ns) / static_cast<double>(chunk.last_ticks - chunk.begin_ticks);
  return IsRate(rate) ? rate : rate_;
}

Nanos TraceClock::TimeOf(const TraceChunk& chunk, uint64_t ticks) const {
  if (!has_ticks_) return {ticks <= kLastTraceTime ? static_cast<int64_t>(ticks) : -1};
  const bool is_later = ticks >= chunk.begin_ticks;
  const uint64_t distance = is_later ? ticks - chunk.begin_ticks : chunk.begin_ticks - ticks;
  const Nanos span = DurationOf(chunk, distance);
  if (chunk.begin_ns < 0 || chunk.begin_ns > kLastTraceTime) return {-1};
  return {is_later ? chunk.begin_ns + span.value : chunk.begin_ns - span.value};
}

Nanos TraceClock::DurationOf(const TraceChunk& chunk, uint64_t ticks) const {
  const double span = has_ticks_ ? static_cast<double>(ticks) * Rate(chunk) : static_cast<double>(ticks);
  return {span < static_cast<double>(kLastTraceTime) ? static_cast<int64_t>(span) : kLastTraceTime};
}

}  // namespace ahead
