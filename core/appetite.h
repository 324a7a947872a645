// How fast would a reader read if it never waited? Bytes by the time between the end of one read and the begin of the
// next: a program's own work, known before there is a window whose rate could be measured (window.h), and not slowed by
// the device as that rate is.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Appetite {
 public:
  // A read ended at `now`; until then the readers of the file had waited for `waited` in all.
  void OnEnd(Nanos now, Nanos waited) {
    ended_ = now;
    waited_ = waited;
    is_known_ = true;
  }

  // The next begins, and `count` bytes were taken since the one before began. What one thread, which takes its files in
  // turn, waited for others in between is not its own time; more than passed has been waited by several threads, whose
  // waiting says nothing of this one.
  void OnBegin(ByteCount count, Nanos now, Nanos waited) {
    if (!is_known_ || count.value <= 0) return;
    Nanos own = now - ended_;
    const Nanos elsewhere = waited - waited_;
    if (elsewhere.value > 0 && elsewhere <= own) own = own - elsewhere;
    rate_ = static_cast<double>(count.value) / static_cast<double>(own.value > 0 ? own.value : 1);
  }

  // Returns bytes per nanosecond; 0 while unknown.
  double rate() const { return rate_; }

 private:
  Nanos ended_;
  Nanos waited_;
  double rate_ = 0;
  bool is_known_ = false;
};

}  // namespace ahead
