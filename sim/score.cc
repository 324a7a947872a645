#include "sim/score.h"

#include <iterator>

#include "sim/policies.h"

namespace ahead::sim {
namespace {

constexpr ByteCount kOracleAhead{64 << 20};

constexpr const char* kEventNames[] = {
#define AHEAD_EVENT(name, in_requests, in_pages) #name,
#include "core/events.def"
};
constexpr const char* kClassNames[] = {
#define AHEAD_CLASS(name) #name,
#include "core/events.def"
};

}  // namespace

Comparison Compare(const Workload& work, const SlottedNetParameters& disk, const HostCosts& costs,
                   const Options& options) {
  Comparison row;
  {
    NonePolicy policy;
    Machine machine(work, disk, costs);
    row.none = Replay(work, policy, machine);
  }
  {
    DriverFacts facts;
    facts.piece = disk.max_request;
    AheadPolicy policy(work, options, facts);
    Machine machine(work, disk, costs);
    row.ahead = Replay(work, policy, machine);
    row.planned = policy.driver().planned();
    policy.driver().CloseAll();
    row.ledger = policy.driver().ledger();
  }
  FetchLimits limits;
  limits.piece = disk.max_request;
  const FetchPlan plan = PlanFetches(work, limits);
  OraclePolicy policy(plan, kOracleAhead);
  Machine machine(work, disk, costs);
  row.oracle = Replay(work, policy, machine);
  row.limit = machine.disk().LeastTime(static_cast<int64_t>(plan.pieces.size()), plan.bytes);
  return row;
}

double ShareAfterFirstSecond(const Comparison& row) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t rest_ns = row.ahead.elapsed.value - kSecond;
  if (rest_ns <= 0) return -1;
  const auto rest = static_cast<double>((row.ahead.read_bytes - row.ahead.first_second_bytes).value);
  const double limit = static_cast<double>(row.ahead.read_bytes.value) / static_cast<double>(row.limit.value);
  return rest / static_cast<double>(rest_ns) / limit;
}

std::string DescribeEvents(const Ledger& ledger) {
  std::string text;
  for (size_t event = 0; event < kEventCount; ++event) {
    for (size_t cls = 0; cls < kClassCount; ++cls) {
      const Ledger::Cell& cell = ledger.cells[event][cls];
      if (cell.requests == 0 && cell.pages == 0) continue;
      text += std::string("    ") + kEventNames[event] + " " + kClassNames[cls] + ": " + std::to_string(cell.requests) +
              " requests, " + std::to_string(cell.pages) + " pages\n";
    }
  }
  return text;
}

std::string SetByName(Options& options, const std::string& setting) {
  const size_t equals = setting.find('=');
  const std::string name = setting.substr(0, equals);
  for (size_t row = 0; row < kOptionCount; ++row) {
    if (name != OptionAt(row).name || equals == std::string::npos) continue;
    // Text options keep the pointer, and none of them matters to a simulation.
    if (OptionAt(row).kind != OptionKind::kText && SetOption(options, row, setting.c_str() + equals + 1)) return "";
    char accepted[256];
    return "'" + setting + "' is not accepted; accepted: " + DescribeAccepted(row, accepted, std::size(accepted));
  }
  return "'" + setting + "' names no engine option";
}

}  // namespace ahead::sim
