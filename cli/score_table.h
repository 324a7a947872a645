// The table of `ahead score`: what each policy made of each trace on each device; and how it is kept in a file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/columns.h"
#include "sim/lab.h"

namespace ahead::cli {

// Names of the policies that others are compared with.
inline constexpr const char* kKernelPolicy = "kernel";
inline constexpr const char* kOraclePolicy = "oracle";
inline constexpr const char* kOpenOraclePolicy = "oracle-open";

struct ScoreCell {
  std::string policy;
  sim::LabScore score;  // its ledger is not kept
};

// A trace on a device.
struct ScoreRow {
  std::string trace;
  std::string device;
  bool is_predictable = true;
  ByteCount least_bytes;  // from the device, whatever the policy
  std::vector<ScoreCell> cells;

  // Null when the policy was not run.
  const sim::LabScore* Find(const std::string& policy) const;
  // The policy's share of the gain of `oracle` over the kernel; nothing where one of them was not run, or gains nothing.
  std::optional<double> ShareOf(const std::string& policy, const std::string& oracle = kOraclePolicy) const;
};

struct ScoreTable {
  std::vector<ScoreRow> rows;
};

nlohmann::ordered_json JsonOf(const ScoreTable& table);

// Reads what JsonOf wrote. Error: one line that says what is wrong.
absl::StatusOr<ScoreTable> ScoreTableFrom(const std::string& json);

// What a policy came to, over all rows.
struct PolicySummary {
  std::string policy;
  // Over rows of predictable traces where the oracle gains:
  size_t shares = 0;
  double mean_share = 0;
  double worst_share = 0;
  std::string worst_row;  // "TRACE on DEVICE"
  // Over rows of other traces, the largest ratio to the kernel's:
  size_t others = 0;
  double worst_time = 0;
  double worst_requests = 0;
  double worst_bytes = 0;
  ByteCount bytes;  // of all rows
  ByteCount wasted_bytes;
};

// Returns one for each policy but the kernel's and the oracle's, in the order of the first row.
std::vector<PolicySummary> Summarize(const ScoreTable& table);

// Returns the rows and the summary, for people.
std::string FormatScores(const ScoreTable& table, ColumnForm form);

// Returns, for each policy that is summed up, a table of traces x devices and the summary: of predictable traces the
// shares of the oracle's gain, the worst trace first; of the others time and bytes beside the kernel's.
std::string FormatBrief(const ScoreTable& table, ColumnForm form);

}  // namespace ahead::cli
