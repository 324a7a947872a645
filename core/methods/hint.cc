// Does the kernel's own reading ahead do harm here? Then it is told that the reads are random.
//
// The kernel takes a read beside pages that it has cached for the next one of a stream, and fetches twice as many; in a
// file of which a part is cached, random reads come to lie so by chance. With FADV_RANDOM it fetches what is asked for.
// A scan among nine times as many random reads, kernel window of 8 MiB: 36 MiB become 29
// (tests/sim/random_reads_test.cc).
//
// But under FADV_RANDOM it reads what a stream lacks a page at a time. So the advice is withdrawn before the first read
// of a stream that the engine has not asked for, and when streams are more than a fifth of what is read. A stream of a
// local file, which is the kernel's by rule (led.cc), is the engine's as long as its description is advised. Each time
// it takes twice as many random reads to come back, so that phases do not flap.
//
// Streams are advised as well where memory has no room for the kernel's windows (crowd.cc).

#include "core/adaptive_policy.h"

namespace ahead {
namespace {

// Fewer pages in a row are not a stream yet: reads within a cluster follow each other by chance.
constexpr int64_t kFewPages = 4;

bool GoesOn(const Stream& stream, ByteCount page) {
  return stream.proved && stream.in_row * 2 >= stream.position - stream.first &&
         stream.in_row * stream.track.PagesPerSlot(page) >= kFewPages;
}

// Says whether what the read needs was asked for, or is.
bool IsCarried(const Stream& stream, SlotRange read, const Decision& decision) {
  return !stream.led && !stream.left_alone &&
         (!decision.empty() || stream.frontier > stream.position || stream.useful.Any(read));
}

}  // namespace

bool AdaptivePolicy::IsByChance(const Stream& stream, const Facts& facts) const {
  return hint_.is_given() && !GoesOn(stream, facts.page);
}

// `stream`: that of the read that is about to happen, or null; it has been moved to the end of that, `read`, and
// `decision` is what is to be asked for.
Decision::Hint AdaptivePolicy::HintFor(const Access& access, const Stream* stream, SlotRange read,
                                       const Decision& decision, const Facts& facts, const Surroundings& around) {
  if (passive_ || around.options.advice == 0 || around.options.ratio == 0) return Decision::Hint::kNone;
  const bool is_hinted = access.hinted && access.advice == HostAdvice::kNormal;
  if (keeps_kernel_out_ && stream != nullptr) return is_hinted ? Decision::Hint::kNone : Decision::Hint::kRandom;
  // Those in clusters are random as well.
  const bool is_cluster = stream != nullptr && stream->is_cluster;
  const bool follows = !is_cluster && hint_.Follows(access.range, facts.page);
  // Of one near a read that passed it is not known whether it goes on from that.
  if (stream == nullptr && !follows && is_near_unseen_) return Decision::Hint::kNone;
  if (is_cluster || (stream == nullptr && !follows)) {
    hint_.OnRandom();
    if (is_hinted || !hint_.is_proved() || !access.own || access.advice != HostAdvice::kNormal)
      return Decision::Hint::kNone;
    hint_.OnGiven();
    return Decision::Hint::kRandom;
  }
  if (stream == nullptr) {
    hint_.OnFollowing();
  } else {
    if (!GoesOn(*stream, facts.page)) return Decision::Hint::kNone;
    // One that the kernel leads is taken over once the advice is given.
    stream->led || IsCarried(*stream, read, decision) ? hint_.OnCarried() : hint_.OnKernels();
  }
  if (!is_hinted || !hint_.is_refuted()) return Decision::Hint::kNone;
  hint_.OnWithdrawn();
  for (Stream& other : table_) other.led = other.led || (facts.kernel_leads && other.track.shape == Shape::kForward);
  kernel_has_read_ = true;
  return Decision::Hint::kNormal;
}

}  // namespace ahead
