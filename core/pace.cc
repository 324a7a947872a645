#include "core/pace.h"

namespace ahead {

void Pace::OnTime(Nanos now, Nanos horizon) {
  const ByteCount read = unseen_;
  const Nanos before = last_;
  unseen_ = {};
  last_ = now;
  // The first read took no time that is known of.
  if (before.value < 0) return;
  const Nanos passed = now - before;
  read_ += read;
  if (passed.value > 0) elapsed_ = elapsed_ + (passed < horizon ? passed : horizon);
  if (elapsed_ <= horizon) return;
  elapsed_ = elapsed_ / 2;
  read_ = read_ / 2;
}

double Pace::rate() const {
  return elapsed_.value > 0 ? static_cast<double>(read_.value) / static_cast<double>(elapsed_.value) : 0;
}

}  // namespace ahead
