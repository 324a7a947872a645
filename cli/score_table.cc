#include "cli/score_table.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/amounts.h"
#include "cli/columns.h"
#include "sim/gain.h"

namespace ahead::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "ahead-score";
constexpr int kVersion = 1;

// The digest as text: a number of 64 bits is more than many readers of JSON keep.
Json JsonOf(const ScoreCell& cell) {
  const sim::LabScore& score = cell.score;
  return {{"policy", cell.policy},
          {"elapsed_ns", score.elapsed.value},
          {"reads", score.reads},
          {"waits", score.waits},
          {"read_bytes", score.read_bytes.value},
          {"requests", score.requests},
          {"bytes", score.bytes.value},
          {"wasted_bytes", score.wasted_bytes.value},
          {"repeated_bytes", score.repeated_bytes.value},
          {"peak_ahead_bytes", score.peak_ahead.value},
          {"decisions", score.decisions},
          {"digest", absl::StrFormat("%016x", score.digest)}};
}

ScoreCell CellFrom(const Json& json) {
  ScoreCell cell;
  cell.policy = json.at("policy");
  sim::LabScore& score = cell.score;
  score.elapsed.value = json.at("elapsed_ns");
  score.reads = json.at("reads");
  score.waits = json.at("waits");
  score.read_bytes.value = json.at("read_bytes");
  score.requests = json.at("requests");
  score.bytes.value = json.at("bytes");
  score.wasted_bytes.value = json.at("wasted_bytes");
  score.repeated_bytes.value = json.at("repeated_bytes");
  score.peak_ahead.value = json.at("peak_ahead_bytes");
  score.decisions = json.at("decisions");
  score.digest = std::stoull(json.at("digest").get<std::string>(), nullptr, 16);
  return cell;
}

double Ratio(int64_t value, int64_t base) {
  if (base == 0) return value == 0 ? 1 : static_cast<double>(value);
  return static_cast<double>(value) / static_cast<double>(base);
}

}  // namespace

const sim::LabScore* ScoreRow::Find(const std::string& policy) const {
  for (const ScoreCell& cell : cells)
    if (cell.policy == policy) return &cell.score;
  return nullptr;
}

std::optional<double> ScoreRow::ShareOf(const std::string& policy, const std::string& oracle) const {
  const sim::LabScore *score = Find(policy), *kernel = Find(kKernelPolicy), *best = Find(oracle);
  if (score == nullptr || kernel == nullptr || best == nullptr) return std::nullopt;
  return sim::ShareOfGain(kernel->elapsed, score->elapsed, best->elapsed);
}

nlohmann::ordered_json JsonOf(const ScoreTable& table) {
  Json json = {{"format", kFormat}, {"version", kVersion}, {"rows", Json::array()}};
  for (const ScoreRow& row : table.rows) {
    Json out = {{"trace", row.trace},
                {"device", row.device},
                {"is_predictable", row.is_predictable},
                {"least_bytes", row.least_bytes.value},
                {"cells", Json::array()}};
    for (const ScoreCell& cell : row.cells) {
      Json one = JsonOf(cell);
      const auto share = [&](const char* oracle) {
        const std::optional<double> found = row.ShareOf(cell.policy, oracle);
        return found ? Json(*found) : Json(nullptr);
      };
      one["share_of_gain"] = share(kOraclePolicy);
      one["share_of_open_gain"] = share(kOpenOraclePolicy);
      out["cells"].push_back(std::move(one));
    }
    json["rows"].push_back(std::move(out));
  }
  return json;
}

absl::StatusOr<ScoreTable> ScoreTableFrom(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat) return absl::InvalidArgumentError("not a table of `ahead score --save`");
    if (json.at("version") != kVersion) return absl::InvalidArgumentError("a table of another version");
    ScoreTable table;
    for (const Json& row : json.at("rows")) {
      ScoreRow in;
      in.trace = row.at("trace");
      in.device = row.at("device");
      in.is_predictable = row.at("is_predictable");
      in.least_bytes.value = row.at("least_bytes");
      for (const Json& cell : row.at("cells")) in.cells.push_back(CellFrom(cell));
      table.rows.push_back(std::move(in));
    }
    return table;
  } catch (const std::exception&) {
    return absl::InvalidArgumentError("not a table of `ahead score --save`");
  }
}

std::vector<PolicySummary> Summarize(const ScoreTable& table) {
  std::vector<PolicySummary> summaries;
  for (const ScoreRow& row : table.rows) {
    const sim::LabScore* const kernel = row.Find(kKernelPolicy);
    for (const ScoreCell& cell : row.cells) {
      if (cell.policy == kKernelPolicy || cell.policy == kOraclePolicy) continue;
      auto summary = std::find_if(summaries.begin(), summaries.end(),
                                  [&](const PolicySummary& each) { return each.policy == cell.policy; });
      if (summary == summaries.end()) {
        summary = summaries.emplace(summary);
        summary->policy = cell.policy;
      }
      summary->bytes += cell.score.bytes;
      summary->wasted_bytes += cell.score.wasted_bytes;
      if (row.is_predictable) {
        const std::optional<double> share = row.ShareOf(cell.policy);
        if (!share) continue;
        if (summary->shares == 0 || *share < summary->worst_share) {
          summary->worst_share = *share;
          summary->worst_row = absl::StrCat(row.trace, " on ", row.device);
        }
        ++summary->shares;
        summary->mean_share += (*share - summary->mean_share) / static_cast<double>(summary->shares);
      } else if (kernel != nullptr) {
        ++summary->others;
        summary->worst_time = std::max(summary->worst_time, Ratio(cell.score.elapsed.value, kernel->elapsed.value));
        summary->worst_requests = std::max(summary->worst_requests, Ratio(cell.score.requests, kernel->requests));
        summary->worst_bytes = std::max(summary->worst_bytes, Ratio(cell.score.bytes.value, kernel->bytes.value));
      }
    }
  }
  return summaries;
}

}  // namespace ahead::cli
