#include "core/learnt.h"

namespace ahead {

Habit Learnt::HabitOf(uint32_t folder) const {
  Habit habit = habits().Find(folder);
  if (habit.folder != 0) return habit;
  habit.folder = folder;
  habit.share = initial_size.share();
  return habit;
}

void Learnt::LearnInitial(uint32_t folder, ByteCount fetched, ByteCount used, ByteCount run) {
  Habit habit = HabitOf(folder);
  InitialSize of_folder(habit.share);
  of_folder.Learn(fetched, used, run);
  habit.share = of_folder.share();
  habits().Keep(habit);
  initial_size.Learn(fetched, used, run);
}

void Learnt::LearnOpening(uint32_t folder, const FirstReads& opening) {
  Habit habit = HabitOf(folder);
  habit.Learn(opening);
  habits().Keep(habit);
}

}  // namespace ahead
