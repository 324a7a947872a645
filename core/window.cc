#include "core/window.h"

namespace ahead {
namespace {

constexpr double kGain = 2;
// 3: sizing allows no more than 3 x bandwidth x latency + 1 MiB ahead (tests/sim/sizing_test.cc); with 4 the last step
// went past that at 2 and 20 ms: 4.06 MiB of 3.86, 8.06 of 6.72.
constexpr double kStartupGain = 3;
// A round whose rate is this much above the best so far says that the device had more to give.
constexpr double kStillGrowing = 1.25;
// The windowed maximum: the best rate fades by a tenth a round, so about ten rounds.
constexpr double kFade = 0.9;
// A reader that waits at less than this share of the best rate has too little ahead, whatever the latency's minimum
// says.
constexpr double kTooLow = 0.8;
// Slots; farther than any file reaches. A clock that says a read took no time or years must not lead out of the
// numbers.
constexpr double kFarthest = double{int64_t{1} << 40};

int64_t Within(double distance) { return static_cast<int64_t>(distance < kFarthest ? distance : kFarthest); }

}  // namespace

void Window::Start(int64_t slot, int64_t distance, int64_t least, int64_t ample, Nanos now) {
  distance_ = distance;
  least_ = least > 0 ? least : 1;
  ample_ = ample;
  round_begin_ = slot;
  round_end_ = slot + distance;
  round_began_ = now;
  round_waited_ = {};
  round_took_ = 0;
  round_slots_ = 0;
  settled_ = false;
  best_rate_ = 0;
  starving_ = false;
  late_ = true;
  waits_ = false;
  rounds_ = 0;
}

double Window::Most(Nanos latency) const {
  const double product = kStartupGain * best_rate_ * static_cast<double>(latency.value);
  return product > static_cast<double>(ample_) ? product : static_cast<double>(ample_);
}

void Window::OnProgress(int64_t slot, Nanos waited, Nanos now, Nanos latency, Nanos arrival) {
  round_waited_ = round_waited_ + waited;
  if (waited.value > 0) starving_ = late_ = true;
  if (slot < round_end_) return;

  const double elapsed = static_cast<double>((now - round_began_).value);
  const int64_t slots = slot - round_begin_;
  // What this round consumed was asked for in the one before: a backlog read at once says nothing of the device. Both
  // rounds do; all of it by the longer time alone is too little (ahead score: sqlite-scan at 0.2 ms 0.79, so 0.86).
  const bool has_backlog = settled_ && elapsed < round_took_;
  const double spent = has_backlog ? elapsed + round_took_ : elapsed;
  const int64_t consumed = has_backlog ? slots + round_slots_ : slots;
  const double rate = spent > 0 ? static_cast<double>(consumed) / spent : 0;
  const bool waited_most = static_cast<double>(round_waited_.value) > elapsed / 2;
  const bool growing = rate > best_rate_ * kStillGrowing;
  if (!growing) settled_ = true;
  best_rate_ = rate > best_rate_ * kFade ? rate : best_rate_ * kFade;
  if (round_waited_.value > 0 && latency.value > 0) {
    const double gain = waited_most && growing ? kStartupGain : kGain;
    const double target = gain * best_rate_ * static_cast<double>(latency.value) + static_cast<double>(least_);
    const double distance = static_cast<double>(distance_);
    if (target > distance)
      distance_ = Within(target);
    else if (rate < best_rate_ * kTooLow && distance < Most(latency))
      distance_ = Within(distance * 5 / 4);
    else
      distance_ -= static_cast<int64_t>((distance - target) / 8);
  }
  if (round_waited_.value == 0 && latency.value > 0 && rate > 0) {
    const double enough = kOnTimeGain * best_rate_ * static_cast<double>(arrival.value);
    const double most = Most(latency);
    const double target = (enough < most ? enough : most) + static_cast<double>(least_);
    const double distance = static_cast<double>(distance_);
    if (target < distance) distance_ -= static_cast<int64_t>((distance - target) / 4);
  }
  if (distance_ < least_) distance_ = least_;
  round_took_ = elapsed;
  round_slots_ = slots;
  starving_ = waited_most;
  late_ = round_waited_.value > 0;
  waits_ = static_cast<double>(round_waited_.value) > elapsed / 4;
  ++rounds_;
  round_begin_ = slot;
  round_end_ = slot + (distance_ > 0 ? distance_ : 1);
  round_began_ = now;
  round_waited_ = {};
}

}  // namespace ahead
