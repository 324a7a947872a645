// Streams that the kernel leads. On a disk of the machine's own the kernel's window may be many megabytes, and it costs
// the program nothing: windows of ours, asked for by its own thread, could only be worse. Nobody says how large that
// window is -- sysfs names it by device, which btrfs and overlayfs hide, and opening files inside the program is not
// for us -- so it is watched: a forward stream starts as the kernel's. Once the kernel's window had time to grow, and
// while the reader waits for more than a quarter of a round, the cache ahead of it is looked at. Where the kernel is
// well ahead, nothing of ours would help. Where it is not, the stream is taken over; and given back for good if it does
// not then go faster. Measured: dd of 256 MiB on a virtio disk with read_ahead_kb 8192, 1.7 GB/s: 2.3 times as long
// when windows of ours lead.

#include "core/adaptive_policy.h"

namespace ahead {
namespace {

// By then the kernel has reached its full window, which it quadruples from 16 KiB on.
constexpr ByteCount kKernelStartup{1 << 20};
// Pieces ahead of the reader: more than a window of 128 KiB, doubled by FADV_SEQUENTIAL, ever has.
constexpr int64_t kWellAhead = 4;
// Rounds that a stream is given to show that it goes faster than before, by this much.
constexpr int32_t kTrialRounds = 6;
constexpr double kFaster = 1.1;

}  // namespace

// Returns whether the stream is the kernel's; gives it back to the kernel when it had its trial.
bool AdaptivePolicy::IsLed(Stream& stream) {
  if (!stream.led && stream.led_rate > 0 && stream.window.rounds() - stream.own_since >= kTrialRounds) {
    if (stream.window.rate() < stream.led_rate * kFaster) stream.led = kernel_is_better_ = true;
    stream.led_rate = 0;
  }
  return stream.led;
}

// Looks at what the kernel has fetched ahead of a reader that waits. `from`: the first slot of the read about to
// happen.
Decision AdaptivePolicy::LookAhead(Stream& stream, int64_t from, const Facts& facts) {
  Decision decision;
  if (kernel_is_better_ || !stream.window.waits() || stream.run() < kKernelStartup ||
      stream.window.rounds() == stream.own_since)
    return decision;
  stream.own_since = stream.window.rounds();
  const int64_t unit = facts.piece / facts.page;
  const int64_t end = stream.track.EndSlot(facts.file_size);
  int64_t most = from + (kWellAhead + 1) * unit;
  if (most > end) most = end;
  if (most <= from) return decision;
  decision.method = stream.method;
  decision.look_only = true;
  decision.first = decision.floor = stream.track.Begin(from);
  decision.length = decision.step = facts.piece;
  decision.limit = stream.track.Begin(most);
  if (decision.limit.value > facts.file_size.value) decision.limit = {facts.file_size.value};
  decision.pieces = static_cast<int32_t>((most - from + unit - 1) / unit);
  return decision;
}

// Takes the stream over unless the pieces looked at show that the kernel is well ahead.
void AdaptivePolicy::JudgeKernel(Stream& stream, const Facts& facts) {
  const int64_t ahead = stream.books.resident / (facts.piece / facts.page);
  if (!stream.books.hole || ahead >= kWellAhead) return;
  stream.led = false;
  stream.led_rate = stream.window.rate();
}

}  // namespace ahead
