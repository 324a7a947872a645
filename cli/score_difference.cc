#include "cli/score_difference.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/amounts.h"
#include "cli/columns.h"

namespace ahead::cli {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;

std::map<Key, const sim::LabScore*> CellsOf(const ScoreTable& table) {
  std::map<Key, const sim::LabScore*> cells;
  for (const ScoreRow& row : table.rows)
    for (const ScoreCell& cell : row.cells) cells.emplace(Key{row.trace, row.device, cell.policy}, &cell.score);
  return cells;
}

bool AreSame(const sim::LabScore& a, const sim::LabScore& b) {
  return a.elapsed == b.elapsed && a.reads == b.reads && a.waits == b.waits && a.read_bytes == b.read_bytes &&
         a.requests == b.requests && a.bytes == b.bytes && a.wasted_bytes == b.wasted_bytes &&
         a.repeated_bytes == b.repeated_bytes && a.peak_ahead == b.peak_ahead && a.decisions == b.decisions &&
         a.digest == b.digest;
}

double Change(int64_t before, int64_t after) {
  if (before == after) return 0;
  return before == 0 ? 1 : static_cast<double>(after) / static_cast<double>(before) - 1;
}

// Says whether `more` is more than 1 % above `less`. In whole numbers, so that exactly 1 % is not.
bool IsNoticed(int64_t less, int64_t more) { return more - less > less / 100; }

std::string Percent(double change) { return absl::StrFormat("%+.2f%%", 100 * change); }

std::string SharesOf(const PolicySummary& summary) {
  if (summary.shares == 0) return "no share";
  return absl::StrFormat("mean %.3f, worst %.3f (%s)", summary.mean_share, summary.worst_share, summary.worst_row);
}

}  // namespace

double CellDifference::time() const { return Change(before.elapsed.value, after.elapsed.value); }
double CellDifference::bytes() const { return Change(before.bytes.value, after.bytes.value); }

bool CellDifference::is_loss() const {
  return IsNoticed(before.elapsed.value, after.elapsed.value) || IsNoticed(before.bytes.value, after.bytes.value);
}

bool CellDifference::is_gain() const {
  return !is_loss() &&
         (IsNoticed(after.elapsed.value, before.elapsed.value) || IsNoticed(after.bytes.value, before.bytes.value));
}

size_t ScoreDifference::Losses() const {
  return static_cast<size_t>(
      std::count_if(cells.begin(), cells.end(), [](const CellDifference& cell) { return cell.is_loss(); }));
}

ScoreDifference Compare(const ScoreTable& before, const ScoreTable& after) {
  ScoreDifference difference;
  const std::map<Key, const sim::LabScore*> old = CellsOf(before);
  size_t common = 0;
  for (const ScoreRow& row : after.rows) {
    for (const ScoreCell& cell : row.cells) {
      const auto was = old.find({row.trace, row.device, cell.policy});
      if (was == old.end()) {
        ++difference.only_after;
        continue;
      }
      ++common;
      if (AreSame(*was->second, cell.score))
        ++difference.same;
      else
        difference.cells.push_back({row.trace, row.device, cell.policy, *was->second, cell.score});
    }
  }
  difference.only_before = old.size() - common;
  return difference;
}

std::string FormatDifference(const ScoreTable& before, const ScoreTable& after, const ScoreDifference& difference) {
  std::vector<const CellDifference*> cells;
  size_t gains = 0;
  for (const CellDifference& cell : difference.cells) {
    cells.push_back(&cell);
    gains += cell.is_gain() ? 1 : 0;
  }
  // What was lost is not to be looked for: less time that was bought with more bytes is a loss as well.
  std::stable_sort(cells.begin(), cells.end(), [](const CellDifference* a, const CellDifference* b) {
    return std::tuple(a->is_gain(), !a->is_loss(), -a->time()) < std::tuple(b->is_gain(), !b->is_loss(), -b->time());
  });
  std::string text;
  if (!cells.empty()) {
    std::vector<std::vector<std::string>> lines = {
        {"", "trace", "device", "policy", "time", "bytes", "before", "now", "wasted", "now"}};
    for (const CellDifference* cell : cells)
      lines.push_back({cell->is_loss()   ? "LOST"
                       : cell->is_gain() ? "gained"
                                         : "",
                       cell->trace, cell->device, absl::StrCat(cell->policy, cell->digest_changed() ? "*" : ""),
                       Percent(cell->time()), Percent(cell->bytes()), FormatTime(cell->before.elapsed),
                       FormatTime(cell->after.elapsed), FormatBytes(cell->before.wasted_bytes),
                       FormatBytes(cell->after.wasted_bytes)});
    absl::StrAppend(&text, FormatColumns(lines, 4, ColumnForm::kPlain), "*: other decisions\n");
  }
  absl::StrAppend(&text, difference.same, " cells the same, ", difference.cells.size(), " not: ", gains, " gained, ",
                  difference.Losses(), " lost more than 1 % of time or bytes; ", difference.only_before,
                  " only before, ", difference.only_after, " only now\n");
  const std::vector<PolicySummary> old = Summarize(before);
  for (const PolicySummary& now : Summarize(after)) {
    const auto was =
        std::find_if(old.begin(), old.end(), [&](const PolicySummary& each) { return each.policy == now.policy; });
    if (was == old.end()) continue;
    absl::StrAppend(&text, now.policy, ", share of the oracle's gain: ", SharesOf(now));
    absl::StrAppend(
        &text, SharesOf(now) == SharesOf(*was) ? ", as before\n" : absl::StrCat("; before: ", SharesOf(*was), "\n"));
  }
  return text;
}

}  // namespace ahead::cli
