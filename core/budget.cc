#include "core/budget.h"

#include "core/safety.h"

namespace ahead {
namespace {

// Of what the machine has available.
constexpr int64_t kShareOfMachine = 8;
// What cannot be meant.
constexpr int64_t kMost = int64_t{1} << 60;

// In 1/1000 of the time. Ten per cent is where a program that has most of its cgroup for itself gets slower (see the
// head); one per cent is what an idle machine with other work shows.
constexpr int64_t kHigh = 100;
constexpr int64_t kSlight = 10;
// Looks that one event lasts; and what was taken comes back in 16 looks from nothing to all.
constexpr int64_t kEvent = 4;
constexpr int64_t kGrowth = 16;

int64_t Within(ByteCount count) { return count.value < 0 ? 0 : count.value < kMost ? count.value : kMost; }

int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

// Returns what is there for the data of files; 0: not known.
int64_t There(const MemoryNow& now) {
  const int64_t limit = Within(now.limit);
  const int64_t available = Within(now.available);
  if (limit == 0 && available == 0) return 0;
  int64_t there = kMost;
  if (limit > 0) there = Least(LeftToFiles(limit), Within(now.left));
  if (available > 0) there = Least(there, available / kShareOfMachine);
  return there > Budget::kLeast.value ? there : Budget::kLeast.value;
}

// What others' cgroups suffer from is no reason for this run, unless the machine is short of memory.
bool IsPressed(const MemoryNow& now, int64_t pressure) {
  if (now.pressure < pressure) return false;
  const bool is_cgroup_short = Within(now.limit) > 0 && Within(now.left) < Within(now.limit) / 2;
  const bool is_machine_short = Within(now.available) < Within(now.total) / kShareOfMachine;
  return is_machine_short || (is_cgroup_short && now.is_pressure_own);
}

}  // namespace

ByteCount Budget::Look(const MemoryNow& now) {
  const int64_t there = There(now);
  if (there == 0) return {};
  if (looks_ > 0) --looks_;
  const bool is_slight = IsPressed(now, kSlight);
  if (looks_ == 0 && IsPressed(now, kHigh)) {
    looks_ = kEvent;
    part_ = part_ / 2 > 0 ? part_ / 2 : 1;
  } else if (!is_slight && part_ < kWhole) {
    part_ = Least(kWhole, part_ + kWhole / kGrowth);
  }
  int64_t budget = there / kWhole * part_;
  if (is_slight && last_.value > 0) budget = Least(budget, last_.value);
  last_ = {budget > kLeast.value ? budget : kLeast.value};
  return last_;
}

}  // namespace ahead
