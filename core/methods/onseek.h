// Method onseek: after a jump, fetch as much as earlier jumps were followed by.
//
// Fires when the three runs before had similar length: with h1 the newest, request < h1, h1 > h2/2, h2 > h3/2, h3 >
// h1/2. Source: Wu Fengguang, Adaptive readahead V15, seek based method. There the runs were counted per open file by
// hits on fresh pages; here they are runs of consecutive reads.
#pragma once

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class OnSeek {
 public:
  // Takes each read of the file in turn. Returns how much to fetch from a jump on, the read itself included; 0 when
  // this is no jump or the runs were not alike.
  ByteCount Observe(ByteRange read);

 private:
  ByteOffset run_begin_;
  ByteOffset run_end_;
  bool started_ = false;
  ByteCount runs_[3];  // newest first
};

}  // namespace ahead
