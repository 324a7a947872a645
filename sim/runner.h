// A thread of a simulated machine: where it is in its lane, and what its call into the kernel is about.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.h"
#include "sim/adaptive_driver.h"
#include "sim/mount.h"
#include "sim/schedule.h"
#include "sim/workload.h"

namespace ahead::sim {

struct Runner {
  // What is next.
  enum class Stage : uint8_t {
    kStep,        // the next step of the lane: gate and think time
    kBegin,       // the step begins
    kPieces,      // the policy's next piece
    kAsk,         // which was looked at
    kPieceSent,   // and handed over
    kRead,        // the read itself, from `page` on
    kReadOver,    // all of it was copied
    kAdviceSent,  // the program's own advice was carried out
    kOver,
  };

  const Lane* lane = nullptr;
  uint32_t index = 0;  // of the lane
  uint32_t at = 0;     // in its reads
  size_t gate = 0;     // the next one
  Stage stage = Stage::kStep;
  Nanos now;

  // The step under way.
  const WorkStep* step = nullptr;
  uint32_t step_index = 0;
  ByteRange range;     // the part that the file has
  PageRange pages;     // the same
  int64_t last = 0;    // where the request ends, in pages, whether or not the file does
  int64_t page = 0;    // the next to be read
  int64_t ready = 0;   // all from `page` to here are there, where memory is not bounded and nothing was dropped since
  uint64_t drops = 0;  // how often something had been
  bool asked = false;  // the kernel's readahead was asked for `page`, which was absent
  bool is_faulting = false;  // on `page`, which could not be mapped with what is around it
  bool has_waited = false;
  Nanos read_begin;

  // What it sends; and what it has to do besides once that has fitted.
  std::vector<Fetch> fetches;
  size_t first_fetch = 0;
  Nanos owed;
  // The page it waits for, of the step's file.
  int64_t awaited = 0;

  PieceOrder piece;
  Nanos call_begin;
  int64_t before_pages = 0;  // of the piece that were cached when it was looked at
};

}  // namespace ahead::sim
