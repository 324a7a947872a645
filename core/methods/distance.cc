// How far ahead of its reader may a stream be? What the control law wants (window.h), bounded by what the stream has
// proved: at most 7/4 of what it has read in a row, and never less than the startup distance, so that a reader that
// stops after N bytes has cost at most 7/4 N more, or the startup distance; and by options and memory.

#include "core/adaptive_policy.h"

namespace ahead {
namespace {

constexpr ByteCount kAutoMax{16 << 20};

}  // namespace

int64_t AdaptivePolicy::MostBytes(const Options& options, const Facts& facts) {
  const int64_t max = options.max != 0 ? options.max : kAutoMax.value;
  if (options.ratio < 10) return max;
  const int64_t safe = facts.allowance.value / 100 * options.ratio;
  return safe < max ? safe : max;
}

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

}  // namespace ahead
