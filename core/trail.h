// Which readers might there be? The ends of recent reads that belong to no stream yet. A read that continues one of
// them, in either direction, is evidence for a stream; enough of it, and the table makes one. Random reads only wear
// out the trail, never a proven stream. Source: the table of expected next addresses of TaP (Li, Prabhakar, Shen, FAST
// 2008), separate from the streams.
#pragma once

#include <cstdint>

#include "core/appetite.h"
#include "core/units.h"

namespace ahead {

// How a read relates to the trail.
struct TrailMatch {
  enum class Kind : uint8_t { kNone, kForward, kBackward };
  Kind kind = Kind::kNone;
  int32_t hits = 0;        // continuations in a row, this one included
  bool immediate = false;  // it continues the read just before it
  ByteOffset run_begin;    // lowest offset of the run, this read included
  ByteOffset run_end;      // highest
  Appetite appetite;       // of the reader, as known before this read
};

// Thread safety: none.
class Trail {
 public:
  // Enters a read and says what it continues. `slack`: how far a read may overlap what it continues, a page.
  TrailMatch Enter(ByteRange read, ByteCount slack);

  // The read that was entered last of the run that ends at `read` is over (appetite.h).
  void End(ByteRange read, Nanos now, Nanos waited);

  // So many reads were not entered that continue nothing.
  void OnUnseen(int64_t reads) { score_ = reads < score_ ? score_ - static_cast<int>(reads) : 0; }

  // Takes the run that ends at `read` off the trail: a stream has it now.
  void Remove(ByteRange read);

  // Returns whether most of the recent reads continued something: then a single continuation is evidence enough.
  bool mostly_runs() const { return score_ >= kRunsScore; }

 private:
  struct Run {
    ByteOffset begin;  // the run covers [begin, end); it grows at the end its kind says
    ByteOffset end;
    int32_t hits = 0;
    TrailMatch::Kind kind = TrailMatch::Kind::kNone;
    uint32_t tick = 0;  // 0: unused
    Appetite appetite;
  };
  static constexpr int kRuns = 24;
  static constexpr int kTopScore = 16;
  static constexpr int kRunsScore = 6;

  Run runs_[kRuns];
  uint32_t tick_ = 0;
  int32_t score_ = 8;  // continuations add 2, others take 1; a new file has the benefit of the doubt
};

}  // namespace ahead
