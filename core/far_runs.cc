#include "core/far_runs.h"

namespace ahead {
void FarRuns::Erase(int index) {
  for (int i = index + 1; i < count_; ++i) runs_[i - 1] = runs_[i];
  --count_;
}

// Puts a run that meets no other in its place, and then sees to it that there are not too many.
void FarRuns::Insert(SlotRange range, Class method) {
  int at = count_;
  for (; at > 0 && runs_[at - 1].range.begin > range.begin; --at) runs_[at] = runs_[at - 1];
  runs_[at] = {range, method};
  ++count_;
  const auto joins = [this](int i) {
    return runs_[i - 1].range.end == runs_[i].range.begin && runs_[i - 1].method == runs_[i].method;
  };
  for (int i = at + 1 < count_ ? at + 1 : at; i >= 1 && i >= at; --i) {
    if (!joins(i)) continue;
    runs_[i - 1].range.end = runs_[i].range.end;
    Erase(i);
  }
  if (count_ <= kRuns) return;
  int nearest = 1;
  const auto gap = [this](int i) { return runs_[i].range.begin - runs_[i - 1].range.end; };
  for (int i = 2; i < count_; ++i)
    if (gap(i) < gap(nearest)) nearest = i;
  runs_[nearest].range.begin -= runs_[nearest - 1].range.size();
  Erase(nearest - 1);
}

int64_t FarRuns::Add(SlotRange range, Class method) {
  int64_t added = 0;
  // What lies between the runs, from below; to insert one may move others, but only upwards to where nothing is added.
  for (int64_t begin = range.begin; begin < range.end;) {
    SlotRange part{begin, range.end};
    int64_t next = range.end;
    for (int i = 0; i < count_; ++i) {
      const SlotRange& run = runs_[i].range;
      if (run.end <= begin) continue;
      part.end = run.begin < range.end ? (run.begin > begin ? run.begin : begin) : range.end;
      next = run.begin < range.end ? run.end : range.end;
      break;
    }
    if (part.size() > 0) Insert(part, method);
    added += part.size();
    begin = next;
  }
  return added;
}

int64_t FarRuns::Take(SlotRange range, int32_t (&slots)[kClassCount]) {
  int64_t taken = 0;
  for (int i = count_ - 1; i >= 0; --i) {
    const Run run = runs_[i];
    const SlotRange part = Intersect(run.range, range);
    if (part.size() == 0) continue;
    taken += part.size();
    slots[static_cast<int>(run.method)] += static_cast<int32_t>(part.size());
    const SlotRange below{run.range.begin, part.begin};
    const SlotRange above{part.end, run.range.end};
    Erase(i);
    if (above.size() > 0) Insert(above, run.method);
    if (below.size() > 0) Insert(below, run.method);
  }
  return taken;
}

int64_t FarRuns::Outstanding(Class cls) const {
  int64_t slots = 0;
  for (int i = 0; i < count_; ++i) slots += runs_[i].method == cls ? runs_[i].range.size() : 0;
  return slots;
}

bool FarRuns::Any(SlotRange range) const {
  for (int i = 0; i < count_; ++i)
    if (Intersect(runs_[i].range, range).size() > 0) return true;
  return false;
}

}  // namespace ahead
