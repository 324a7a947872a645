#include "sim/oracle.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace ahead::sim {

OraclePolicy::OraclePolicy(const Workload& work, const OracleLimits& limits, Mount& mount)
    : work_(work),
      mount_(mount),
      limits_(limits),
      ahead_pages_(limits.ahead.value / kPageBytes),
      horizon_pages_(std::max<int64_t>(1, limits.horizon.value / kPageBytes)),
      piece_pages_(mount.limits().most),
      gap_pages_(limits.gap.value / kPageBytes),
      done_(work.steps.size()),
      is_met_(work.files.size(), !limits.waits_for_opens),
      put_off_(work.files.size()) {
  first_page_.reserve(work.steps.size() + 1);
  first_page_.push_back(0);
  for (size_t step = 0; step < work.steps.size(); ++step) {
    const PageRange pages = PagesOf(step);
    first_page_.push_back(first_page_.back() + pages.end - pages.begin);
  }
  mount.cache().KeepLost();
  if (ahead_pages_ > 0) return;
  // What a thread fetches for itself is not kept near the others' reads.
  horizon_pages_ = INT64_MAX / 2;
  Look(mount);
}

PageRange OraclePolicy::PagesOf(size_t index) const {
  const WorkStep& step = work_.steps[index];
  return Reads(step) ? sim::PagesOf(work_, step) : PageRange{};
}

bool OraclePolicy::Next(Cursor& cursor, PageRange& page) const {
  for (; cursor.step < work_.steps.size(); ++cursor.step, cursor.page = -1) {
    if (done_[cursor.step]) continue;
    const PageRange pages = PagesOf(cursor.step);
    cursor.page = cursor.page < 0 ? pages.begin : cursor.page + 1;
    if (cursor.page >= pages.end) continue;
    page = {pages.file, cursor.page, cursor.page + 1};
    return true;
  }
  return false;
}

// Returns how many pages are read before the cursor's.
int64_t OraclePolicy::Position(const Cursor& cursor) const {
  if (cursor.page < 0 || cursor.step == work_.steps.size()) return first_page_[cursor.step];
  return first_page_[cursor.step] + cursor.page - PagesOf(cursor.step).begin;
}

bool OraclePolicy::IsToBeFetched(const Mount& mount, const PageRange& page) {
  return (mount.cache().Flags(page.file, page.begin) & (page::kPresent | page::kPlanned)) == 0;
}

void OraclePolicy::Meet(uint32_t file, Nanos now) {
  if (is_met_[file]) return;
  is_met_[file] = true;
  if (put_off_[file].empty()) return;
  met_.push_back(file);
  Pump(mount_, now);
}

// Takes the next page that was put off and may be fetched now.
bool OraclePolicy::TakeMet(PageRange& page) {
  for (; !met_.empty(); met_.pop_front()) {
    std::deque<int64_t>& pages = put_off_[met_.front()];
    while (!pages.empty()) {
      page = {met_.front(), pages.front(), pages.front() + 1};
      pages.pop_front();
      --put_off_pages_;
      if (IsToBeFetched(mount_, page)) return true;
    }
  }
  return false;
}

// Marks as wanted what lies within the horizon.
void OraclePolicy::Look(Mount& mount) {
  PageRange page;
  while (Position(look_) < Position(fetch_) + horizon_pages_ && Next(look_, page))
    mount.cache().SetFlags(page.file, page.begin, page::kWanted);
}

// Passes by what needs no fetching any more.
void OraclePolicy::CatchUp(const Mount& mount) {
  PageRange page;
  for (Cursor next = fetch_; Next(next, page) && !IsToBeFetched(mount, page);) fetch_ = next;
}

PageRange OraclePolicy::Grow(Mount& mount, PageRange piece, int64_t most) {
  PageCache& cache = mount.cache();
  const uint32_t file = piece.file;
  const auto is_absent = [&](int64_t page) {
    return page >= 0 && page < cache.PagesOf(file) &&
           (cache.Flags(file, page) & (page::kPresent | page::kPlanned)) == 0;
  };
  // Returns the end of `piece`, in the direction of `step`, after the next page that may be taken; else where it was.
  const auto next = [&](int64_t from, int64_t step) {
    for (int64_t page = from; std::abs(page - from) <= gap_pages_ && is_absent(page); page += step)
      if ((cache.Flags(file, page) & page::kWanted) != 0) return page + step;
    return from;
  };
  for (int64_t end = piece.end; (end = next(piece.end, 1)) != piece.end && end - piece.begin <= most;) piece.end = end;
  for (int64_t first = 0; (first = next(piece.begin - 1, -1) + 1) != piece.begin && piece.end - first <= most;)
    piece.begin = first;
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
  if (TakeMet(page)) {
    piece = Grow(mount, page, piece_pages_);
    return true;
  }
  for (;;) {
    Look(mount);
    // As far ahead as it may fetch; what lies beyond is not of this hour.
    if (put_off_pages_ >= ahead_pages_ || !Next(fetch_, page)) return false;
    if (!IsToBeFetched(mount, page)) continue;
    if (!is_met_[page.file]) {
      put_off_[page.file].push_back(page.begin);
      ++put_off_pages_;
      continue;
    }
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

// A thread came before the fetchers: it fetches itself, as they would have, and as far as a call reaches, for it knows
// what it will read however fast the others are. Where requests are sorted, as much as they would have sorted: an arm
// that is where this thread reads should stay there for a while.
PageOrder OraclePolicy::OrderFor(const Runner& runner, Mount& mount) {
  const uint32_t file = runner.pages.file;
  CatchUp(mount);
  Look(mount);
  const std::vector<uint32_t>& reads = runner.lane->reads;
  const size_t end = std::min(reads.size(), runner.at + static_cast<size_t>(piece_pages_));
  for (size_t at = runner.at; at < end; ++at) {
    const PageRange pages = PagesOf(reads[at]);
    if (pages.file != file) continue;
    for (int64_t page = std::max(pages.begin, runner.page - piece_pages_);
         page < std::min(pages.end, runner.page + piece_pages_); ++page)
      mount.cache().SetFlags(file, page, page::kWanted);
  }
  const PageRange piece =
      Grow(mount, {file, runner.page, runner.page + 1}, std::max(piece_pages_, limits_.sorted.value / kPageBytes));
  return {piece.begin, piece.end - piece.begin, 0};
}

void OraclePolicy::ReadIsOver(Runner& runner, Mount& mount) {
  done_[runner.step_index] = true;
  Pump(mount, runner.now);
}

}  // namespace ahead::sim
