// Did a reader have the file to itself? What one reader has the kernel fetch may be what another is about to read; so
// how long a read took says how fast the device answers only if no other read went on beside it.
//
// Some ends are never heard of: of a thread that was cancelled in its call or jumped out of it, or that found the file
// busy. Such a read is forgotten within two seconds, and before that when nothing was heard for one.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class Concurrency {
 public:
  // A read begins at `now`.
  void OnBegin(Nanos now) {
    Forget(now);
    ++recent_;
    heard_at_ = now;
  }

  // Returns whether another read is under way beside the one that began last.
  bool has_company() const { return under_way() > 1; }

  // A read is over, at `now`, after `duration`. Returns whether no other was under way meanwhile.
  bool OnEnd(Nanos now, Nanos duration) {
    Forget(now);
    const Nanos began = now - duration;
    const bool was_alone = under_way() <= 1 && began >= ended_at_;
    int32_t& count = began < turned_at_ || recent_ == 0 ? earlier_ : recent_;
    count -= count > 0 ? 1 : 0;
    heard_at_ = ended_at_ = now;
    return was_alone;
  }

 private:
  // As long as few reads take.
  static constexpr Nanos kLong{1'000'000'000};

  int32_t under_way() const { return recent_ + earlier_; }

  void Forget(Nanos now) {
    if (now - heard_at_ > kLong) recent_ = earlier_ = 0;
    if (now - turned_at_ <= kLong) return;
    earlier_ = recent_;
    recent_ = 0;
    turned_at_ = now;
  }

  int32_t recent_ = 0;   // reads under way that began since turned_at_
  int32_t earlier_ = 0;  // and in the second before
  Nanos turned_at_;
  Nanos heard_at_;
  Nanos ended_at_;
};

}  // namespace ahead
