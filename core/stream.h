// One reader of a file: where it is, where it goes, what was fetched for it.
#pragma once

#include <cstdint>

#include "core/appetite.h"
#include "core/books.h"
#include "core/decision.h"
#include "core/overtaking.h"
#include "core/pace.h"
#include "core/safety.h"
#include "core/tap.h"
#include "core/track.h"
#include "core/units.h"
#include "core/usefulness.h"
#include "core/window.h"

namespace ahead {

// Readers of one file in several threads overtake each other by about this much.
inline constexpr ByteCount kSlack{128 << 10};

// Thread safety: none. Invariants: first <= position; slots outstanding lie below frontier.
struct Stream {
  uint32_t tick = 0;  // of the file, when it last read

  Class method = Class::none;    // of the request that starts the stream; what follows is `state` on forward streams
  bool proved = false;           // its reads have followed each other; before that it is a guess
  bool led = false;              // the kernel reads ahead for it, so far (methods/led.cc)
  double led_rate = 0;           // how fast it went then
  int32_t own_since = 0;         // round in which the kernel's lead was last looked at, and perhaps taken over
  bool left_alone = false;       // nothing will be asked for, whatever it does
  bool has_skipped = false;      // its run began anew after a read that left much out
  bool has_strayed = false;      // its last read was one of a page far ahead, in what was fetched for it
  bool jumped = false;           // it began after a jump, not at the start of a newly opened file
  bool is_at_end = false;        // it came to the end of the file
  bool is_tail = false;          // it began at the end of a newly opened file (methods/tail.cc)
  bool is_among_random = false;  // its description is advised: most reads are in no stream (methods/hint.cc)
  bool is_cluster = false;       // it is a block that is read in any order (methods/clusters.cc)
  bool is_in_order = false;      // of such a one: so far it was read in order
  Track track;
  ByteOffset next;  // where the next read should begin or, on backward streams, end

  int64_t first = 0;     // slot where the run began
  int64_t position = 0;  // first slot not read yet
  int64_t frontier = 0;  // first slot not asked for yet
  int64_t in_row = 0;    // slots read of those from first to position
  int64_t mark = 0;      // reaching it asks for the next window
  Overtaking overtaking;
  int64_t bound = 0;    // earlier runs say that it ends before this slot; nothing beyond is fetched until it does not
  bool marked = false;  // the mark counts as look-ahead
  Class mark_method = Class::none;

  Pace pace;
  Nanos read_at{-1};            // when it last asked, or might have
  Nanos longest_pause;          // between such times
  ByteCount run_before;         // of the stream that read before it began
  bool looks_at_burst = false;  // what the newest burst asked for is only looked at: the disk need not wake for it
  int64_t burst_end = 0;        // where the newest burst ends; 0: there was none

  Window window;
  Usefulness useful;
  Tap tap;
  int64_t initial_slots = 0;  // fetched by an `initial` request, and read of it: what InitialSize learns from
  int64_t initial_hits = 0;
  Appetite appetite;
  int64_t taken = 0;  // slot up to which it was last told
  int64_t probe = 0;  // slot whose arrival is timed, and when it was asked for
  Nanos probe_asked;
  Nanos counted;              // until when its waiting was counted (congestion.h)
  bool is_first_read = true;  // its first read is not over
  int32_t waits = 0;          // reads that waited for what had been asked for, after the first
  int64_t low_water = 0;      // slots ahead at which more is asked for, of a slow reader (methods/paced.cc); 0: as ever
  bool started = false;       // it was given its startup distance (methods/distance.cc)
  Nanos issued_at;            // the newest request
  bool is_sure = false;       // it was seen that the kernel took it
  bool suspected = false;     // pages of its window seem to be gone: to be looked at

  Asking asking;
  Books books;         // of the newest request
  StreamId other_end;  // whose the last extent of that is (methods/both_ends.cc)
  IssueLog issues;
  ByteCount looked;        // on the clock of memory: when it was last looked whether pages were lost
  int64_t safe_slots = 0;  // what it keeps to after it lost some (methods/onthrash.cc); 0: it lost none

  // Returns whether `read` goes on where this stream is: at its next place, or, unless strided, within its window or
  // within `slack` behind it (readers of one file in several threads overtake each other).
  bool Continues(ByteRange read, ByteCount page, ByteCount slack) const;

  // Returns whether that is its next place.
  bool Expects(ByteRange read) const { return (track.shape == Shape::kBackward ? read.end : read.begin) == next; }

  // Moves to the end of `read`. Returns the slots the read touches.
  SlotRange Advance(ByteRange read);

  // Returns whether it goes forward and no two readers were in it at the same time.
  bool is_one_readers() const { return track.shape == Shape::kForward && !overtaking.was_shared(); }

  // Returns whether it leaves out most of where it goes.
  bool has_gaps() const { return in_row * 2 < position - first; }

  // Returns whether a part of a burst is still to be asked for.
  bool is_bursting() const { return burst_end > frontier; }

  // Begins a new run at `slot`: what was read before counts for nothing.
  void Restart(int64_t slot);

  // Returns how many bytes the stream has read in a row.
  ByteCount run() const { return track.length * (position - first); }
};

}  // namespace ahead
