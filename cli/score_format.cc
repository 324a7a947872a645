// How `ahead score` shows its table to people.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/amounts.h"
#include "cli/columns.h"
#include "cli/score_table.h"

namespace ahead::cli {
namespace {

using Lines = std::vector<std::vector<std::string>>;

// What a cell says, in the order of the columns.
std::vector<std::string> Words(const ScoreRow& row, const ScoreCell& cell) {
  const std::optional<double> share = row.ShareOf(cell.policy);
  const sim::LabScore& score = cell.score;
  return {row.trace,
          row.device,
          cell.policy,
          FormatTime(score.elapsed),
          share ? absl::StrFormat("%.2f", *share) : "-",
          absl::StrCat(score.waits),
          absl::StrCat(score.requests),
          FormatBytes(score.bytes),
          FormatBytes(score.wasted_bytes),
          FormatBytes(score.peak_ahead),
          FormatBytes(row.least_bytes)};
}

const std::vector<std::string> kColumns = {"trace",    "device", "policy", "time",       "share",      "waits",
                                           "requests", "bytes",  "wasted", "peak ahead", "least bytes"};
constexpr size_t kTextColumns = 3;

std::string FormatSummary(const ScoreTable& table, ColumnForm form) {
  Lines lines = {{"policy", "worst row", "mean share", "worst share", "of rows", "worst time", "requests", "bytes",
                  "of rows", "wasted"}};
  for (const PolicySummary& summary : Summarize(table)) {
    const bool has_shares = summary.shares > 0, has_others = summary.others > 0;
    const auto number = [](bool is_there, double value) { return is_there ? absl::StrFormat("%.3f", value) : "-"; };
    lines.push_back(
        {summary.policy, has_shares ? summary.worst_row : "-", number(has_shares, summary.mean_share),
         number(has_shares, summary.worst_share), absl::StrCat(summary.shares), number(has_others, summary.worst_time),
         number(has_others, summary.worst_requests), number(has_others, summary.worst_bytes),
         absl::StrCat(summary.others),
         FormatShare(static_cast<uint64_t>(summary.wasted_bytes.value), static_cast<uint64_t>(summary.bytes.value))});
  }
  return absl::StrCat(
      "Shares of the oracle's gain over predictable traces, then the others beside the kernel alone:\n\n",
      FormatColumns(lines, 2, form));
}

double Ratio(int64_t value, int64_t base) {
  return base == 0 ? 1 : static_cast<double>(value) / static_cast<double>(base);
}

// What a cell of a predictable trace comes to. Where the oracle gains nothing something may still be lost.
std::string ShareWord(const ScoreRow& row, const std::string& policy) {
  if (const std::optional<double> share = row.ShareOf(policy)) return absl::StrFormat("%.2f", *share);
  const sim::LabScore *score = row.Find(policy), *kernel = row.Find(kKernelPolicy);
  if (score == nullptr || kernel == nullptr) return "";
  const double time = Ratio(score->elapsed.value, kernel->elapsed.value);
  return time > 1.01 ? absl::StrFormat("time x %.2f", time) : "-";
}

std::string RatioWord(const ScoreRow& row, const std::string& policy) {
  const sim::LabScore *score = row.Find(policy), *kernel = row.Find(kKernelPolicy);
  if (score == nullptr || kernel == nullptr) return "";
  return absl::StrFormat("%.2f, %.2f", Ratio(score->elapsed.value, kernel->elapsed.value),
                         Ratio(score->bytes.value, kernel->bytes.value));
}

// The rows of a trace by device, and its worst share.
struct TraceLine {
  std::vector<std::string> words;
  double worst = std::numeric_limits<double>::infinity();
};

std::string FormatMatrix(const ScoreTable& table, const std::string& policy, bool is_predictable, ColumnForm form) {
  std::vector<std::string> head = {"trace"};
  std::vector<TraceLine> traces;
  for (const ScoreRow& row : table.rows) {
    if (std::find(head.begin() + 1, head.end(), row.device) == head.end()) head.push_back(row.device);
    if (row.is_predictable != is_predictable) continue;
    // Rows of a trace follow each other.
    if (traces.empty() || traces.back().words[0] != row.trace) traces.push_back({{row.trace}});
    traces.back().words.push_back(is_predictable ? ShareWord(row, policy) : RatioWord(row, policy));
    if (const std::optional<double> share = row.ShareOf(policy))
      traces.back().worst = std::min(traces.back().worst, *share);
  }
  if (traces.empty()) return "";
  if (is_predictable)
    std::stable_sort(traces.begin(), traces.end(),
                     [](const TraceLine& a, const TraceLine& b) { return a.worst < b.worst; });
  Lines lines = {head};
  for (TraceLine& trace : traces) lines.push_back(std::move(trace.words));
  return absl::StrCat(policy,
                      is_predictable ? ", share of the oracle's gain over the kernel:\n\n"
                                     : ", other traces, time and bytes beside the kernel's:\n\n",
                      FormatColumns(lines, 1, form), "\n");
}

}  // namespace

std::string FormatScores(const ScoreTable& table, ColumnForm form) {
  Lines lines = {kColumns};
  for (const ScoreRow& row : table.rows)
    for (const ScoreCell& cell : row.cells) lines.push_back(Words(row, cell));
  return absl::StrCat(FormatColumns(lines, kTextColumns, form), "\n", FormatSummary(table, form));
}

std::string FormatBrief(const ScoreTable& table, ColumnForm form) {
  std::string text;
  for (const PolicySummary& summary : Summarize(table))
    absl::StrAppend(&text, FormatMatrix(table, summary.policy, true, form),
                    FormatMatrix(table, summary.policy, false, form));
  return absl::StrCat(text, FormatSummary(table, form));
}

}  // namespace ahead::cli
