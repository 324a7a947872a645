#include "core/learnt.h"

namespace ahead {

Habit Learnt::HabitOf(uint32_t folder) const {
  Habit habit = habits().Find(folder);
  if (habit.folder != 0) return habit;
  habit.folder = folder;
  habit.share = initial_size.share();
  return habit;
}

void Learnt::Tell(Facts& facts, uint32_t folder, ByteCount memory, const MemoryUse& use, const Options& options) const {
  facts.habit = HabitOf(folder);
  facts.initial = InitialSize(facts.habit.share).Get({options.initial});
  facts.clock = safety.clock();
  facts.safe = safety.Distance(memory);
  facts.share = facts.safe / use.streams_of_run;
  // Of the memory the ratio is used: what is left of that.
  const int64_t ratio = options.ratio > 10 ? options.ratio : 10;
  const auto left = [ratio](ByteCount all, ByteCount used) { return all - used * 100 / ratio; };
  facts.allowance = left(facts.safe, use.of_run);
  if (options.memory != 0) {
    const ByteCount budget{options.memory};
    const auto keep_to = [&facts](ByteCount most) {
      if (most < facts.allowance) facts.allowance = most;
    };
    keep_to(left(budget, use.of_process));
    keep_to(budget / use.streams_of_process);
  }
  if (facts.allowance.value < 0) facts.allowance = {};
}

void Learnt::LearnInitial(uint32_t folder, ByteCount fetched, ByteCount used, ByteCount run, bool is_whole) {
  Habit habit = HabitOf(folder);
  InitialSize of_folder(habit.share);
  of_folder.Learn(fetched, used, run, is_whole);
  habit.share = of_folder.share();
  habits().Keep(habit);
  initial_size.Learn(fetched, used, run, is_whole);
}

void Learnt::LearnOpening(uint32_t folder, const FirstReads& opening) {
  Habit habit = HabitOf(folder);
  habit.Learn(opening);
  habits().Keep(habit);
}

}  // namespace ahead
