// What a process learns from all of its files.
#pragma once

#include "core/habits.h"
#include "core/initial_size.h"
#include "core/safety.h"
#include "core/tap.h"

namespace ahead {

// Thread safety: none needed: a lost update costs one lesson.
struct Learnt {
  InitialSize initial_size;
  Safety safety;
  Tap tap;
  Habits habits;

  // Returns the habit of a folder; one that is not known is taken to be as what was read so far.
  Habit HabitOf(uint32_t folder) const;
  // A first window of a file of the folder: `fetched` bytes, of which `used` were read; `run`: what its reader read in
  // a row.
  void LearnInitial(uint32_t folder, ByteCount fetched, ByteCount used, ByteCount run);
  void LearnOpening(uint32_t folder, const FirstReads& opening);
};

}  // namespace ahead
