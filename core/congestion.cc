#include "core/congestion.h"

namespace ahead {
namespace {

// A call that takes longer waited for a free request slot. Handing over a piece takes 30-60 us; a slot of a FUSE mount
// comes free each piece / bandwidth, 260 us at 500 MB/s.
constexpr Nanos kWaitedForSlot{150'000};
// One on its way while another is read. With one alone a stream is slower than under the kernel (design, fact 3).
constexpr int32_t kLeastShare = 2;
// How long it is remembered that streams waited: several round trips of the slowest link that matters.
constexpr Nanos kMemory{100'000'000};
constexpr int32_t kMinLimit = 4;
constexpr int32_t kMaxLimit = 256;
// Of the time, in 1/16, that readers at full speed wait at least. Simulated: 64 to 512 files in turn, one thread, 2 ms
// a read, 98 %; 800 slow ones whose thread had fallen behind when they began 84 % (bench/traces, slow-streams).
constexpr double kLittleElse = 15;
// The limit grows by one for each 1/kGrow of itself that was taken.
constexpr int32_t kGrow = 8;
// The latency estimate is a minimum that forgets: it follows a slower device by 1/64 of the difference a sample.
constexpr int32_t kForget = 64;
// What is recent is an average over about so many pieces.
constexpr int32_t kRecent = 8;
// A passive mount is tried again after a second, then 2, ... 64: one request in a minute costs nothing.
constexpr Nanos kRetry{1'000'000'000};
constexpr int32_t kMostPatience = 6;
// How long others are taken to fill a mount that was full of their pieces: a quarter of a second, then twice that, ...,
// if they still do.
constexpr Nanos kOthersStay{250'000'000};
constexpr Nanos kOthersStayMost{64'000'000'000};
// Of a pipe that holds no more pieces of a stream, one more than that, on its way while it is filled, is enough.
constexpr double kShortPipe = 1.5;

int32_t Clamp(int32_t limit) { return limit < kMinLimit ? kMinLimit : limit > kMaxLimit ? kMaxLimit : limit; }

}  // namespace

int32_t Congestion::InFlight(Nanos now) const {
  // Until the latency is known nothing is known to have arrived; 100 ms is longer than most devices take.
  const int64_t horizon = latency_.value != 0 ? latency_.value : 100'000'000;
  int32_t count = 0;
  const uint32_t known = issued_ < kRing ? issued_ : kRing;
  while (static_cast<uint32_t>(count) < known) {
    const int64_t age = now.value - issued_at_[(issued_ - 1 - static_cast<uint32_t>(count)) % kRing];
    if (age >= horizon) break;
    ++count;
  }
  return count;
}

void Congestion::OnFirstRead(Nanos now) {
  if (now - first_read_at_ > kMemory) first_reads_ = 0;
  if (first_reads_ < kMaxLimit) ++first_reads_;
  first_read_at_ = now;
}

void Congestion::OnFirstReadOver() { first_reads_ -= first_reads_ > 0 ? 1 : 0; }

void Congestion::OnWaited(Nanos& counted, Nanos waited, Nanos now) {
  Nanos begin = now - waited;
  if (elapsed_ns_ <= 0) waited_at_ = begin;
  if (begin < counted) begin = counted;
  counted = now;
  double added = static_cast<double>((now - begin).value);
  double passed = static_cast<double>((now - waited_at_).value);
  if (added < 0) added = 0;
  if (passed < 0) passed = 0;
  const double memory = static_cast<double>(kMemory.value);
  const double fade = memory / (memory + passed);
  waited_ns_ = waited_ns_ * fade + (added < memory ? added : memory);
  elapsed_ns_ = elapsed_ns_ * fade + passed;
  waited_at_ = now;
}

int32_t Congestion::Waiting() const {
  if (waited_ns_ <= elapsed_ns_ || elapsed_ns_ <= 0) return 1;
  const double waiting = waited_ns_ / elapsed_ns_ + 0.5;
  return waiting < kMaxLimit ? static_cast<int32_t>(waiting) : kMaxLimit;
}

bool Congestion::IsAtFullSpeed() const { return waited_ns_ * 16 >= elapsed_ns_ * kLittleElse; }

int32_t Congestion::Share() const {
  const int32_t share = limit_ / Waiting();
  return share > kLeastShare ? share : kLeastShare;
}

void Congestion::OnFull(int32_t held, Nanos now) {
  // Streams that take turns hold pieces each, though but one waits.
  if ((held + 1) * Streams() > kFewPieces || InFlight(now) > kFewPieces) return;
  if (now >= others_until_) {
    const bool are_back = others_until_.value >= 0 && now - others_until_ < others_for_;
    others_for_ = are_back ? others_for_ * 2 : kOthersStay;
    if (others_for_ > kOthersStayMost) others_for_ = kOthersStayMost;
  }
  others_until_ = now + others_for_;
}

int32_t Congestion::Beside(double rate, Nanos now) const {
  if (now >= others_until_) return kMaxLimit;
  const double held = rate * static_cast<double>(latency_.value);
  const bool is_far = soonest_.value > 0 && soonest_ * 2 >= latency_ && (rate <= 0 || held > kShortPipe);
  return is_far ? kMaxLimit : kLeastShare;
}

int32_t Congestion::Allowed(Nanos now) const {
  const int32_t room = limit_ - InFlight(now);
  return room > 0 ? room : 0;
}

void Congestion::OnIssued(Nanos now, Nanos blocked) {
  if (blocked > kWaitedForSlot) {
    // The queue was full. To wait here is no better than to wait for the data, and worse where data had come already:
    // next time stop at what fitted, the most of late, for several calls that block in a row each see less in flight.
    const int32_t fitted = InFlight(now - blocked);
    fitted_ = fitted > fitted_ ? fitted : fitted_ - (fitted_ - fitted) / kForget;
    limit_ = Clamp(fitted_ + 1);
    credit_ = 0;
  } else if (++credit_ * kGrow >= limit_) {
    limit_ = Clamp(limit_ + 1);
    credit_ = 0;
  }
  issued_at_[issued_++ % kRing] = now.value;
}

void Congestion::OnDropped(Nanos now) {
  const int32_t fitted = InFlight(now);
  limit_ = Clamp(fitted < limit_ ? fitted : limit_ / 2);
  credit_ = 0;
}

void Congestion::OnArrival(Nanos time, bool is_exact) {
  if (time.value <= 0) return;
  soonest_ = soonest_.value == 0 || time < soonest_ ? time : soonest_ + (time - soonest_) / kForget;
  if (is_exact || time < arrival()) arrival_ = arrival() + (time - arrival()) / kRecent;
}

void Congestion::OnUseless(Nanos now) {
  if (useless_ < kTrials && ++useless_ < kTrials) return;
  retry_at_ = now + kRetry * (int64_t{1} << patience_);
  if (patience_ < kMostPatience) ++patience_;
}

void Congestion::OnMiss(Nanos duration) {
  // One of less than half is not believed, for it may have found its data on their way, for somebody we do not see. Two
  // in a row are.
  const bool is_odd = duration * 2 < latency_ && duration < last_miss_;
  const bool was_odd = latency_ == first_miss_ && latency_ * 2 < duration;
  const Nanos sample = is_odd ? last_miss_ : duration;
  last_miss_ = duration;
  if (first_miss_.value == 0) first_miss_ = duration;
  if (latency_.value == 0 || was_odd || sample < latency_)
    latency_ = sample;
  else
    latency_ = latency_ + (sample - latency_) / kForget;
}

}  // namespace ahead
