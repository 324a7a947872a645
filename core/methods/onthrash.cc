// Method onthrash: pages that were fetched for a stream and are gone before its reader came.
//
// A window that has waited longer than is safe (safety.h) is looked at: from the read that is about to happen on it is
// asked for again, and what is still there answers so. Pages that had to be fetched anew were lost: they count as
// readahead_thrash, to the class that fetched them, and, where the reader has not come to them yet, as rescued. The
// stream then keeps to three quarters of what it had read between the request and the loss, and the process to a
// shorter safe distance. Both recover slowly.
//
// Where the cache cannot be asked, a read tells that waits as long as for a page nobody fetched, though it should have
// arrived long ago: within the safe distance the kernel had never taken the request, beyond it the page was evicted.
//
// Source: Wu Fengguang, Adaptive readahead V15 (2006): the classes and their sizes. His rescue moved pages in the
// kernel's list before they were lost; from outside one can only look sooner and ask again.

#include "core/adaptive_policy.h"

namespace ahead {
namespace {

// What a stream keeps to after a loss grows by this part with each request.
constexpr int64_t kRecovery = 32;

// Returns what may pass through memory before a window has to be looked at.
ByteCount Usable(const Facts& facts, const Options& options) {
  return {facts.safe.value / 100 * (options.ratio < 10 ? 50 : options.ratio)};
}

}  // namespace

bool AdaptivePolicy::IsAtRisk(Stream& stream, int64_t from, const Facts& facts, const Options& options) {
  if (stream.useful.outstanding() == 0) return false;
  if (stream.suspected) return true;
  if (!stream.is_sure) return false;
  const IssueLog::Entry* const issue = stream.issues.At(from);
  if (issue == nullptr) return false;
  const ByteCount since = stream.looked > issue->clock ? stream.looked : issue->clock;
  return facts.clock - since > Usable(facts, options);
}

// Notes that pages of the slots, of which `fresh` had to be fetched, were lost. Returns how many slots of them.
int64_t AdaptivePolicy::TakeLost(Stream& stream, SlotRange slots, int64_t fresh, bool is_ahead, const Facts& facts,
                                 const Surroundings& around) {
  const int64_t kept = slots.size() - fresh;
  const int64_t lost = stream.useful.Held(slots) - kept;
  if (lost <= 0) return 0;
  // What came first goes first.
  const SlotRange gone{slots.begin, slots.begin + fresh};
  const Usefulness::Count taken = stream.useful.Take(gone);
  stream.useful.Rename(gone, Class::onthrash);
  ChargeLost(stream, taken, facts, around);
  if (is_ahead)
    around.ledger.Add(Event::readahead_rescue, Class::onthrash,
                      static_cast<uint64_t>(taken.total * stream.track.PagesPerSlot(facts.page)));
  return taken.total;
}

void AdaptivePolicy::ChargeLost(Stream& stream, const Usefulness::Count& lost, const Facts& facts,
                                const Surroundings& around) {
  for (size_t cls = 0; cls < kClassCount; ++cls)
    if (lost.slots[cls] != 0)
      around.ledger.Add(Event::readahead_thrash, static_cast<Class>(cls),
                        static_cast<uint64_t>(lost.slots[cls] * stream.track.PagesPerSlot(facts.page)));
  GiveUp(stream, lost, facts, around);
}

// Draws the lesson from a loss at `slot`.
void AdaptivePolicy::LearnFromLoss(Stream& stream, int64_t slot, const Facts& facts, const Surroundings& around) {
  const IssueLog::Entry* const issue = stream.issues.At(slot);
  if (issue == nullptr) return;
  around.learnt.safety.OnLost(facts.clock - issue->clock, facts.safe);
  const int64_t read = (stream.position - issue->position) * 3 / 4;
  if (stream.safe_slots == 0 || read < stream.safe_slots) stream.safe_slots = read > 1 ? read : 1;
  stream.issues.Clear();
}

// A read waited, at `now`, for what should have arrived long ago, as long as for a page that nobody asked for.
void AdaptivePolicy::OnMissing(Stream& stream, ByteRange read, Nanos now, const Facts& facts,
                               const Surroundings& around) {
  stream.mark = stream.position;
  if (stream.is_sure) {
    // It was there. Or it is late, because the device is busy: the next request looks.
    stream.suspected = true;
    return;
  }
  stream.frontier = stream.position;
  const SlotRange slots = stream.track.Slots(read);
  const IssueLog::Entry* const issue = stream.issues.At(slots.begin);
  if (issue == nullptr || facts.clock - issue->clock <= Usable(facts, around.options))
    return around.congestion.OnDropped(now);
  ChargeLost(stream, stream.useful.Take(slots), facts, around);
  LearnFromLoss(stream, slots.begin, facts, around);
}

// Returns what a stream that lost pages keeps to, in slots; `want` where it lost none.
int64_t AdaptivePolicy::SafeSlots(Stream& stream, int64_t want) {
  if (stream.safe_slots == 0) return want;
  stream.safe_slots += stream.safe_slots / kRecovery + 1;
  if (stream.safe_slots < want) return stream.safe_slots;
  stream.safe_slots = 0;
  return want;
}

}  // namespace ahead
