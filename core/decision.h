// What to do and why: the value the policy returns. "Nothing" is a decision without pieces.
#pragma once

#include <cstdint>

#include "core/ledger.h"
#include "core/units.h"

namespace ahead {

// Names a stream across the real call, during which other threads may have replaced it.
struct StreamId {
  int16_t index = -1;  // -1: none
  uint32_t generation = 0;
};

// A range of bytes, in half the room.
struct Extent {
  int64_t begin = 0;
  int32_t length = 0;
};

// The pieces to ask the kernel for, in the order of issue, clipped to [floor, limit). As an arithmetic progression,
// piece i is [first + i * step, first + i * step + length): forward windows step by +length, backward ones by -length,
// strided ones by the stride. Windows of several runs list their extents instead, each cut into pieces of `length`.
struct Decision {
  Class method = Class::none;
  StreamId stream;
  ByteOffset first;
  ByteCount length;
  ByteCount step;
  int32_t pieces = 0;
  // To be asked for even where the mount is full: the first so many are part of the read itself, or next after it where
  // the reader waits.
  int32_t required = 0;
  ByteOffset limit;        // end of file, or the end of the window
  ByteOffset floor;        // begin of the window: no piece starts below it
  bool look_only = false;  // ask for nothing: only say which pieces are resident
  bool check = true;       // look whether the pieces are resident before asking for them
  bool starving = false;   // the reader waits for data: a blocking call costs it nothing extra
  bool alone = false;      // no other stream of this process is known to wait
  // What to tell the kernel of the description: that its reads are random, or that they no longer are.
  enum class Hint : uint8_t { kNone, kRandom, kNormal };
  Hint hint = Hint::kNone;
  static constexpr int32_t kMostExtents = 16;
  int32_t extent_count = 0;
  Extent extents[kMostExtents] = {};

  constexpr bool empty() const { return pieces <= 0; }

  // Returns piece `index`, 0 <= index < pieces; it may be empty after clipping.
  constexpr ByteRange Piece(int32_t index) const {
    ByteOffset begin = first + step * index;
    ByteOffset end = begin + length;
    if (extent_count > 0) {
      int32_t at = 0;
      for (; at + 1 < extent_count && index >= PiecesOf(extents[at]); ++at) index -= PiecesOf(extents[at]);
      begin = ByteOffset{extents[at].begin} + length * index;
      const ByteOffset last{extents[at].begin + extents[at].length};
      end = begin + length < last ? begin + length : last;
    }
    if (begin < floor) begin = floor;
    if (end > limit) end = limit;
    if (end < begin) end = begin;
    return {begin, end};
  }

  // Returns how many pieces an extent is cut into. REQUIRES: length > 0.
  constexpr int32_t PiecesOf(const Extent& extent) const {
    return static_cast<int32_t>((extent.length + length.value - 1) / length.value);
  }
};

// What became of one piece. Pages are counted in units of Facts::page.
struct PieceOutcome {
  enum class State : uint8_t {
    kIssued,    // asked for; `fresh_pages` of its pages were not in the cache before
    kResident,  // was in the cache already, not asked for
    kDropped,   // asked for and not taken by the kernel
    kPutOff,    // not asked for: enough is in flight
  };
  State state = State::kPutOff;
  bool sure = false;  // residency was seen, not assumed
  int32_t fresh_pages = 0;
  Nanos blocked;  // how long the call took; 0 when it was not timed
};

}  // namespace ahead
