#include "sim/score.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "sim/devices/device.h"

namespace ahead::sim {
namespace {

constexpr const char* kEventNames[] = {
#define AHEAD_EVENT(name, in_requests, in_pages) #name,
#include "core/events.def"
};
constexpr const char* kClassNames[] = {
#define AHEAD_CLASS(name) #name,
#include "core/events.def"
};

}  // namespace

Nanos LeastTime(const LabDevice& device, int64_t requests, ByteCount bytes) {
  if (requests <= 0) return {};
  const Device link(device.parameters);
  const Nanos latency = std::get<NetParameters>(device.parameters).latency;
  const Nanos transfer = link.TransferTime({bytes.value / requests});
  // Request k = q * in_flight + r waits for request k - in_flight to leave its slot, so the last one is answered after
  // q + 1 latencies and transfers, and behind r transfers of the first round; or the pipe is what is full.
  const int64_t rounds = (requests - 1) / device.in_flight;
  const int64_t rest = (requests - 1) % device.in_flight;
  return std::max((latency + transfer) * (rounds + 1) + transfer * rest, latency + link.TransferTime(bytes));
}

Comparison Compare(const Workload& work, const LabDevice& device, const Options& options) {
  const Schedule schedule(work);
  const auto run = [&](LabPolicyKind kind) {
    return RunOn(work, schedule, device, {"", kind, options, {}}, HostCosts{});
  };
  Comparison row{run(LabPolicyKind::kNone),
                 run(LabPolicyKind::kKernelLike),
                 run(LabPolicyKind::kAdaptive),
                 run(LabPolicyKind::kOracle),
                 {}};
  row.limit = LeastTime(device, row.oracle.lab.requests, row.oracle.lab.bytes);
  return row;
}

double ShareAfterFirstSecond(const Comparison& row) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t rest_ns = row.ahead.lab.elapsed.value - kSecond;
  if (rest_ns <= 0) return -1;
  const auto rest = static_cast<double>((row.ahead.lab.read_bytes - row.ahead.machine.first_second_bytes).value);
  const double limit = static_cast<double>(row.ahead.lab.read_bytes.value) / static_cast<double>(row.limit.value);
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
