#include "core/methods/runs.h"

namespace ahead {
namespace {

// Runs that are longer than any window gain nothing from it that the jump behind them is known.
constexpr int64_t kLongest = int64_t{16} << 20;

// Lengths of which one is at most a sixteenth more: a last read may be cut short.
bool IsSameLength(int64_t a, int64_t b) { return (a < b ? b - a : a - b) * 16 <= a; }

}  // namespace

bool RunLog::Observe(ByteRange read, ByteCount page) {
  const bool goes_on =
      known_ > 0 && read.begin <= end_ && read.begin + page >= end_ && read.end > end_ && read.begin.value > BeginOf(0);
  is_new_ = !goes_on;
  if (goes_on) {
    end_ = read.end;
  } else {
    ExtendRow(read.begin.value);
    newest_ = (newest_ + 1) % kRuns;
    if (known_ < kRuns) ++known_;
    begins_[newest_] = read.begin.value;
    bursts_[newest_] = 0;
    end_ = read.end;
  }
  const int64_t length = end_.value - begins_[newest_];
  lengths_[newest_] = static_cast<int32_t>(length < INT32_MAX ? length : INT32_MAX);
  return !goes_on;
}

// A run begins at `begin`: in the row, if the run before it was as long as the others, or in a row of its own.
void RunLog::ExtendRow(int64_t begin) {
  const int32_t length = known_ > 0 ? lengths_[newest_] : 0;
  const int64_t step = begin - row_.last;
  const bool goes_on = row_.count > 0 && (row_.count == 1 || (step == row_.step && length == row_.length));
  if (!goes_on) {
    row_before_ = row_;
    row_ = {begin, begin, 0, 0, 1};
    return;
  }
  if (row_.count == 1) row_.step = step, row_.length = length;
  row_.last = begin;
  if (row_.count < INT32_MAX) ++row_.count;
}

bool RunLog::FindRows(Cycle& cycle, ByteCount page) const {
  const Row& before = row_before_;
  if (row_.count != 2 || before.count < kLeastRow || row_.step != before.step || row_.length != before.length)
    return false;
  const int64_t apart = row_.step < 0 ? -row_.step : row_.step;
  const int64_t period = row_.begin - before.begin;
  const int64_t pages = (row_.length + page.value - 1) / page.value + 1;
  // Nothing is gained where hardly a page is spared.
  if (row_.length > kLongest || pages * page.value > apart - apart / 16 || apart > INT32_MAX) return false;
  if ((period < 0 ? -period : period) < before.count * apart) return false;
  cycle = {};
  cycle.runs = 1;
  cycle.rounds = before.count;
  cycle.step = row_.step;
  cycle.period = period;
  cycle.offsets[0] = static_cast<int32_t>(-row_.step);
  cycle.lengths[0] = row_.length;
  return true;
}

ByteCount RunLog::AlikeLength() const {
  if (known_ < 4) return {};
  const int64_t h1 = LengthOf(1);
  const int64_t h2 = LengthOf(2);
  const int64_t h3 = LengthOf(3);
  if (h1 * 2 <= h2 || h2 * 2 <= h3 || h3 * 2 <= h1) return {};
  return {h1 < h2 ? h1 : h2};
}

bool RunLog::AreLong(ByteCount least) const {
  if (known_ < 2) return false;
  for (int32_t age = 1; age <= 3 && age < known_; ++age)
    if (LengthOf(age) < least.value) return false;
  return true;
}

ByteCount RunLog::LongestBurst() const {
  int64_t longest = 0;
  for (int32_t age = 1; age <= 3 && age < known_; ++age)
    if (BurstOf(age) > longest) longest = BurstOf(age);
  return {longest};
}

ByteCount RunLog::LongestLength(ByteCount least) const {
  int64_t longest = 0;
  for (int32_t age = 1; age <= 3 && age < known_; ++age)
    if (LengthOf(age) >= least.value && LengthOf(age) > longest) longest = LengthOf(age);
  return {longest};
}

bool RunLog::FindLine(Cycle& cycle, ByteCount page) const {
  // Over so many steps a page more or less at either end is less than half a page for each.
  constexpr int32_t kSteps = 6;
  const int64_t size = LengthOf(0);
  const int64_t most_apart = 2 * page.value;
  if (known_ <= kSteps || size < 10 * most_apart || size > kLongest) return false;
  for (int32_t age = 1; age <= kSteps; ++age)
    if (LengthOf(age) != size) return false;
  const int64_t span = BeginOf(0) - BeginOf(kSteps);
  const int64_t step = AlignDown(span / kSteps + page.value / 2, page.value);
  int64_t first = 0;
  int64_t last = 0;
  for (int32_t age = 1; age <= kSteps; ++age) {
    const int64_t off = BeginOf(age) + age * step - BeginOf(0);
    if (off < first) first = off;
    if (off > last) last = off;
  }
  const int64_t distance = step < 0 ? -step : step;
  if (last - first > most_apart || size + most_apart > distance - distance / 16) return false;
  cycle = {};
  cycle.runs = 1;
  cycle.period = step;
  cycle.offsets[0] = static_cast<int32_t>(first);
  cycle.lengths[0] = static_cast<int32_t>(size + last - first);
  return true;
}

bool RunLog::Repeats(int32_t period, int32_t needed, ByteCount page) const {
  if (known_ <= period + needed) return false;
  for (int32_t age = 0; age < needed; ++age) {
    const int64_t off = BeginOf(age) - BeginOf(age + 1) - (BeginOf(age + period) - BeginOf(age + period + 1));
    // A long run may begin a little earlier once, with the head of the file.
    const int64_t most = IsLong(age + 1, page) ? page.value - 1 : 0;
    if (off > most || off < -most) return false;
    if (!IsSameLength(LengthOf(age + 1), LengthOf(age + 1 + period))) return false;
  }
  return true;
}

bool RunLog::FindCycle(Cycle& cycle, bool is_covered, ByteCount page) const {
  // A constant distance is no chance where lengths agree as well.
  const int32_t least = is_covered ? 4 * needed_ : needed_;
  int32_t period = 1;
  if (!Repeats(1, is_covered ? 2 * needed_ + 1 : needed_ - 1, page)) {
    const bool is_sure = IsLong(1, page) && !is_covered && needed_ == kNeeded;
    do {
      if (++period > Cycle::kMost) return false;
    } while (!Repeats(period, is_sure ? 1 : period / 2 > least ? period / 2 : least, page));
  }
  cycle = {};
  cycle.runs = period;
  cycle.period = BeginOf(0) - BeginOf(period);
  int64_t first = 0;
  int64_t last = 0;
  for (int32_t i = 0; i < period; ++i) {
    const int64_t offset = BeginOf(period - i) - BeginOf(period);
    if (offset != static_cast<int32_t>(offset) || LengthOf(period - i) > kLongest) return false;
    cycle.offsets[i] = static_cast<int32_t>(offset);
    cycle.lengths[i] = static_cast<int32_t>(LengthOf(period - i));
    if (offset < first) first = offset;
    if (offset + cycle.lengths[i] > last) last = offset + cycle.lengths[i];
  }
  // Several readers in turn each have a place of their own: the runs of rows do not lie farther apart than the rows.
  // And where hardly a page is spared, it is one reader that goes forward or backward.
  const int64_t size = cycle.period < 0 ? -cycle.period : cycle.period;
  return last - first <= size && cycle.SlotsPerCycle({BeginOf(0)}, page) * page.value <= size - size / 16;
}

}  // namespace ahead
