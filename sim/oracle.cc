#include "sim/oracle.h"

#include <algorithm>
#include <tuple>

namespace ahead::sim {

OraclePolicy::OraclePolicy(const Workload& work, const OracleLimits& limits, Mount& mount)
    : work_(work),
      limits_(limits),
      ahead_pages_(limits.ahead.value / kPageBytes),
      horizon_pages_(std::max<int64_t>(1, limits.horizon.value / kPageBytes)),
      piece_pages_(mount.limits().most),
      done_(work.steps.size()) {
  mount.cache().KeepLost();
  if (ahead_pages_ > 0) return;
  // What a thread fetches for itself is not kept near the others' reads.
  horizon_pages_ = INT64_MAX / 2;
  Look(mount);
}

PageRange OraclePolicy::PagesOf(size_t index) const {
  const WorkStep& step = work_.steps[index];
  const ByteRange range = Reads(step) ? Clipped(work_, step) : ByteRange{};
  if (range.empty()) return {step.file, 0, 0};
  return {step.file, range.begin.value / kPageBytes, (range.end.value - 1) / kPageBytes + 1};
}

bool OraclePolicy::Next(Cursor& cursor, PageRange& page) const {
  for (; cursor.step < work_.steps.size(); ++cursor.step, cursor.page = -1) {
    if (done_[cursor.step]) continue;
    const PageRange pages = PagesOf(cursor.step);
    cursor.page = cursor.page < 0 ? pages.begin : cursor.page + 1;
    if (cursor.page >= pages.end) continue;
    ++cursor.passed;
    page = {pages.file, cursor.page, cursor.page + 1};
    return true;
  }
  return false;
}

// Marks as wanted what lies within the horizon.
void OraclePolicy::Look(Mount& mount) {
  PageRange page;
  while (look_.passed < fetch_.passed + horizon_pages_ && Next(look_, page))
    mount.cache().SetFlags(page.file, page.begin, page::kWanted);
}

PageRange OraclePolicy::Grow(Mount& mount, PageRange piece, int64_t most) {
  PageCache& cache = mount.cache();
  const auto take = [&](int64_t page) {
    const uint16_t flags = page < 0 ? uint16_t{0} : cache.Flags(piece.file, page);
    return (flags & (page::kWanted | page::kPresent | page::kPlanned)) == page::kWanted;
  };
  while (piece.end - piece.begin < most && take(piece.end)) ++piece.end;
  while (piece.end - piece.begin < most && take(piece.begin - 1)) --piece.begin;
  return piece;
}

bool OraclePolicy::NextAbsent(Mount& mount, PageRange& piece) {
  PageCache& cache = mount.cache();
  std::vector<PageCache::Lost>& lost = cache.lost();
  while (!lost.empty()) {
    const PageCache::Lost back = lost.back();
    lost.pop_back();
    if (cache.IsPresent(back.file, back.page)) continue;
    piece = Grow(mount, {back.file, back.page, back.page + 1}, piece_pages_);
    return true;
  }
  PageRange page;
  for (;;) {
    Look(mount);
    if (!Next(fetch_, page)) return false;
    if ((cache.Flags(page.file, page.begin) & (page::kPresent | page::kPlanned)) != 0) continue;
    piece = Grow(mount, page, piece_pages_);
    return true;
  }
}

void OraclePolicy::Gather(Mount& mount) {
  int64_t pages = 0;
  PageRange piece;
  do {
    if (!NextAbsent(mount, piece)) break;
    for (int64_t page = piece.begin; page < piece.end; ++page) mount.cache().SetFlags(piece.file, page, page::kPlanned);
    order_.push_back(piece);
    pages += piece.end - piece.begin;
  } while (pages < limits_.sorted.value / kPageBytes);
  const auto place = [&](const PageRange& at) { return std::tuple(work_.files[at.file].inode, at.file, at.begin); };
  if (limits_.sorted.value > 0)
    std::sort(order_.begin(), order_.end(),
              [&](const PageRange& a, const PageRange& b) { return place(a) > place(b); });
}

void OraclePolicy::Pump(Mount& mount, Nanos now) {
  PageCache& cache = mount.cache();
  // Of a piece of which something was fetched since it was planned, several requests are left.
  while (mount.Send(now, fetches_, first_fetch_) && !mount.is_full() && cache.counts().ahead < ahead_pages_) {
    if (order_.empty()) Gather(mount);
    if (order_.empty()) return;
    const PageRange piece = order_.back();
    order_.pop_back();
    for (int64_t page = piece.begin; page < piece.end; ++page) cache.ClearFlags(piece.file, page, page::kPlanned);
    mount.Lock(piece.file, {piece.begin, piece.end - piece.begin, 0}, Fetch{}, fetches_);
  }
}

// A thread came before the fetchers: it fetches itself, as they would have. Where requests are sorted, as much as they
// would have sorted: an arm that is where this thread reads should stay there for a while.
PageOrder OraclePolicy::OrderFor(const Runner& runner, Mount& mount) {
  for (int64_t page = runner.page; page < runner.pages.end; ++page)
    mount.cache().SetFlags(runner.pages.file, page, page::kWanted);
  const PageRange piece = Grow(mount, {runner.pages.file, runner.page, runner.page + 1},
                               std::max(piece_pages_, limits_.sorted.value / kPageBytes));
  return {piece.begin, piece.end - piece.begin, 0};
}

void OraclePolicy::ReadIsOver(Runner& runner, Mount& mount) {
  done_[runner.step_index] = true;
  Pump(mount, runner.now);
}

}  // namespace ahead::sim
