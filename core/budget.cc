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
// Looks that one event lasts; and the budget grows by this part of what is there: in 16 looks from nothing to all.
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
  if (budget_.value < 0 || budget_.value > there) {
    budget_ = {there};
  } else if (!IsPressed(now, kSlight)) {
    const int64_t step = there / kGrowth > kLeast.value ? there / kGrowth : kLeast.value;
    budget_ = {Least(there, budget_.value + step)};
  }
  if (looks_ == 0 && IsPressed(now, kHigh)) {
    looks_ = kEvent;
    budget_ = budget_ / 2 > kLeast ? budget_ / 2 : kLeast;
  }
  return budget_;
}

}  // namespace ahead
