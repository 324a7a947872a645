// What a process learns from all of its files.
#pragma once

#include "core/facts.h"
#include "core/habits.h"
#include "core/initial_size.h"
#include "core/options.h"
#include "core/safety.h"
#include "core/tap.h"

namespace ahead {

// What is fetched and not read yet, and for how many active streams, at least 1: of the process, and of its whole run.
struct MemoryUse {
  ByteCount of_process;
  ByteCount of_run;
  int64_t streams_of_process = 1;
  int64_t streams_of_run = 1;
};

// Thread safety: used by any number of threads without a lock: a lost update costs one lesson.
struct Learnt {
  InitialSize initial_size;
  Safety safety;
  Tap tap;
  Habits own_habits;
  Habits* run_habits = nullptr;  // where processes of a run share what they learn; outlives this

  const Habits& habits() const { return run_habits != nullptr ? *run_habits : own_habits; }
  Habits& habits() { return run_habits != nullptr ? *run_habits : own_habits; }

  // Returns the habit of a folder; one that is not known is taken to be as what was read so far.
  Habit HabitOf(uint32_t folder) const;
  // Fills in what is known of the folder's files, and of the memory, of which there is said to be so much.
  void Tell(Facts& facts, uint32_t folder, ByteCount memory, const MemoryUse& use, const Options& options) const;
  // A first window of a file of the folder: `fetched` bytes, of which `used` were read; `run`: what its reader read in
  // a row, `is_whole`: up to the end of the file.
  void LearnInitial(uint32_t folder, ByteCount fetched, ByteCount used, ByteCount run, bool is_whole);
  void LearnOpening(uint32_t folder, const FirstReads& opening);
};

}  // namespace ahead
