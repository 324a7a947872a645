#include "cli/dry_replay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/amounts.h"
#include "cli/lab_traces.h"
#include "cli/model_spec.h"
#include "cli/score.h"
#include "sim/lab.h"

namespace ahead::cli {
namespace {

using sim::LabPolicy;
using sim::LabPolicyKind;

std::vector<LabPolicy> PoliciesOf(const DryReplay& request) {
  std::vector<LabPolicy> policies(5);
  policies[0] = {"none", LabPolicyKind::kNone, {}, {}};
  policies[1] = {kKernelPolicy, LabPolicyKind::kKernelLike, {}, {}};
  policies[2] = {"fixed", LabPolicyKind::kFixed, {}, request.window};
  policies[3] = {"ahead", LabPolicyKind::kAdaptive, request.engine, {}};
  policies[4] = {kOraclePolicy, LabPolicyKind::kOracle, {}, {}};
  if (request.policy.empty()) return policies;
  std::erase_if(policies, [&](const LabPolicy& policy) {
    return policy.name != request.policy && policy.name != kKernelPolicy && policy.name != kOraclePolicy;
  });
  return policies;
}

}  // namespace

absl::StatusOr<ScoreRow> ReplayDry(const DryReplay& request) {
  const absl::StatusOr<sim::LabDevice> device = ParseModel(request.model);
  if (!device.ok()) return device.status();
  const absl::StatusOr<LabTraces> traces = LoadTraces({request.trace});
  if (!traces.ok()) return traces.status();
  ScoreTable table = MakeScores(*traces, {*device}, PoliciesOf(request), 0);
  return std::move(table.rows.front());
}

std::string FormatReplay(const ScoreRow& row) {
  std::string text = absl::StrFormat("%s on %s, %s at least\n", row.trace, row.device, FormatBytes(row.least_bytes));
  absl::StrAppendFormat(&text, "%-7s %11s %6s %8s %9s %11s %11s %11s %11s\n", "policy", "time", "share", "waits",
                        "requests", "bytes", "wasted", "repeated", "peak ahead");
  for (const ScoreCell& cell : row.cells) {
    const std::optional<double> share = row.ShareOf(cell.policy);
    const sim::LabScore& score = cell.score;
    absl::StrAppendFormat(&text, "%-7s %11s %6s %8d %9d %11s %11s %11s %11s\n", cell.policy, FormatTime(score.elapsed),
                          share ? absl::StrFormat("%.2f", *share) : "-", score.waits, score.requests,
                          FormatBytes(score.bytes), FormatBytes(score.wasted_bytes), FormatBytes(score.repeated_bytes),
                          FormatBytes(score.peak_ahead));
  }
  return text;
}

}  // namespace ahead::cli
