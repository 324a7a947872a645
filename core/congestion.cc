#include "core/congestion.h"

namespace ahead {
namespace {

// A call that takes longer waited for a free request slot. Handing over a piece takes 30-60 us; a slot of a FUSE mount
// comes free each piece / bandwidth, 260 us at 500 MB/s.
constexpr Nanos kWaitedForSlot{150'000};
constexpr int32_t kMinLimit = 4;
constexpr int32_t kMaxLimit = 256;
// The limit grows by one for each 1/kGrow of itself that was taken.
constexpr int32_t kGrow = 8;
// The latency estimate is a minimum that forgets: it follows a slower device by 1/64 of the difference a sample.
constexpr int32_t kForget = 64;

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

void Congestion::OnMiss(Nanos duration) {
  if (latency_.value == 0 || duration < latency_)
    latency_ = duration;
  else
    latency_ = latency_ + (duration - latency_) / kForget;
}

}  // namespace ahead
