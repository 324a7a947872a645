// What the pieces of one request came to: kept with its stream from its first piece to its last, for several threads
// may each ask for a stream of their own at a time.
#pragma once

#include <cstdint>

#include "core/units.h"
#include "core/usefulness.h"

namespace ahead {

// Thread safety: none.
struct Books {
  int64_t asked = 0;
  int64_t unsure = 0;
  int64_t resident = 0;
  int64_t fetched = 0;  // pages
  int64_t lost = 0;     // slots that had been asked for before, and were gone
  int32_t dropped = 0;
  bool hole = false;  // a piece was not taken: the window ends before it
  Nanos first_asked;  // when the first piece was; 0: never
  Usefulness::Count fresh;
};

// Says whether a thread is asking the kernel for a stream's window, which lasts as long as its calls do. Others leave
// the asking to it. Who never came back, for it was ended in between, is forgotten in time.
class Asking {
 public:
  void Begin(Nanos now) { since_ = now; }
  void End() { since_ = kNever; }
  bool IsOn(Nanos now) const { return since_ != kNever && now - since_ < kForgotten; }

 private:
  static constexpr Nanos kNever{-1};
  // A batch of pieces takes a slow device less, and calls of the host that take longer are rare.
  static constexpr Nanos kForgotten{1'000'000'000};

  Nanos since_ = kNever;
};

}  // namespace ahead
