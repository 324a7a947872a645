#include "sim/lab.h"

#include <algorithm>
#include <variant>

#include "sim/lab_run.h"
#include "sim/machine.h"
#include "sim/mount.h"
#include "sim/oracle.h"
#include "sim/policies.h"

namespace ahead::sim {
namespace {

LabDevice Net(const char* name, Nanos latency, ByteCount memory = {}) {
  LabDevice device;
  device.name = name;
  device.parameters = NetParameters{latency, 500'000'000};
  device.memory = memory;
  return device;
}

LabDevice Disk(const char* name, const DeviceParameters& parameters) {
  LabDevice device;
  device.name = name;
  device.parameters = parameters;
  return device;
}

template <typename Policy>
RunScore Perform(const Workload& work, const Schedule& schedule, const HostCosts& costs, Mount& mount, Policy& policy) {
  RunScore score;
  score.machine = Machine<Policy>(work, schedule, mount, costs, policy).Run();
  LabScore& lab = score.lab;
  lab.elapsed = score.machine.elapsed;
  lab.reads = score.machine.reads;
  lab.waits = score.machine.waits;
  lab.read_bytes = score.machine.read_bytes;
  lab.requests = mount.requests();
  lab.bytes = mount.bytes();
  const CacheCounts& counts = mount.cache().counts();
  lab.wasted_bytes = ByteCount{kPageBytes} * (counts.lost_unread + counts.ahead);
  lab.repeated_bytes = ByteCount{kPageBytes} * counts.repeated;
  lab.peak_ahead = ByteCount{kPageBytes} * counts.peak_ahead;
  lab.ahead_when_lowered = ByteCount{kPageBytes} * counts.ahead_when_lowered;
  return score;
}

// What a program in a memory cgroup of that size would take for granted (shim/facts.cc).
DriverFacts FactsFor(const LabDevice& device) {
  DriverFacts facts;
  facts.piece = device.max_call;
  facts.kernel_window = device.max_call;
  facts.kernel_leads = device.is_local;
  if (device.memory.value > 0) facts.memory = device.memory;
  facts.steps = device.steps;
  return facts;
}

RunScore RunEngine(const Workload& work, const Schedule& schedule, const LabDevice& device, const Options& options,
                   const HostCosts& costs, Mount& mount) {
  EnginePolicy policy(work, options, FactsFor(device), schedule.lanes.size());
  RunScore score = Perform(work, schedule, costs, mount, policy);
  AdaptiveDriver& driver = policy.driver();
  driver.CloseAll();
  score.planned = driver.planned();
  score.lab.decisions = driver.decisions();
  score.lab.digest = driver.digest();
  score.lab.ledger = driver.ledger();
  return score;
}

// Says whether all reads go through descriptions that stand advised SEQUENTIAL: of those one call takes twice as much
// (core/request.h).
bool IsSequentialThroughout(const Workload& work) {
  return std::all_of(work.steps.begin(), work.steps.end(), [](const WorkStep& step) {
    return step.kind != StepKind::kTouch && (step.kind != StepKind::kRead || step.advice == HostAdvice::kSequential);
  });
}

// The best of several plans, the one with the fewest bytes first: what takes more has to be faster by half a per cent.
RunScore RunOracle(const Workload& work, const Schedule& schedule, const LabDevice& device, const HostCosts& costs,
                   bool waits_for_opens) {
  OracleLimits limits;
  limits.waits_for_opens = waits_for_opens;
  if (device.memory.value > 0) {
    limits.ahead = std::min(limits.ahead, device.memory / 4);
    limits.horizon = std::min(limits.horizon, device.memory / 4);
  }
  LabDevice model = device;
  RunScore best;
  const auto attempt = [&] {
    Mount mount(work, model);
    OraclePolicy policy(work, limits, mount);
    const RunScore score = Perform(work, schedule, costs, mount, policy);
    if (best.machine.reads == 0 || score.lab.elapsed.value < best.lab.elapsed.value / 200 * 199) best = score;
  };
  const bool has_arm = std::holds_alternative<HddParameters>(device.parameters);
  const auto attempt_orders = [&] {
    limits.sorted = {};
    attempt();
    if (!has_arm) return;
    for (const ByteCount sorted : {1_MiB, 8_MiB, 64_MiB}) {
      limits.sorted = std::min(sorted, limits.ahead);
      attempt();
    }
  };
  attempt_orders();
  if (IsSequentialThroughout(work)) {
    model.max_call = device.max_call * 2;
    attempt_orders();
    model.max_call = device.max_call;
  }
  // Where requests are not as large as may be, bridging gaps saves some.
  if (best.lab.bytes.value < device.max_call.value / 64 * 63 * best.lab.requests) {
    limits.gap = device.max_call;
    attempt_orders();
    limits.gap = {};
  }
  if (has_arm && schedule.lanes.size() > 1) {
    limits.sorted = std::min(32_MiB, limits.ahead);
    limits.ahead = {};
    attempt();
  }
  return best;
}

}  // namespace

const std::vector<LabDevice>& LabDevices() {
  static const std::vector<LabDevice> devices = {
      Net("net-0.2ms", 200_us),     Net("net-2ms", 2_ms),         Net("net-20ms", 20_ms),
      Disk("hdd", HddParameters{}), Disk("ssd", SsdParameters{}), Net("net-2ms-64MiB", 2_ms, 64_MiB),
  };
  return devices;
}

const LabDevice* FindLabDevice(const std::string& name) {
  for (const LabDevice& device : LabDevices())
    if (device.name == name) return &device;
  return nullptr;
}

const std::vector<LabPolicy>& LabPolicies() {
  static const std::vector<LabPolicy> policies = {
      {"none", LabPolicyKind::kNone, {}, {}},
      {"kernel", LabPolicyKind::kKernelLike, {}, {}},
      {"fixed-8MiB", LabPolicyKind::kFixed, {}, 8_MiB},
      {"adaptive", LabPolicyKind::kAdaptive, {}, {}},
      {"oracle-open", LabPolicyKind::kOracleOpen, {}, {}},
      {"oracle", LabPolicyKind::kOracle, {}, {}},
  };
  return policies;
}

RunScore RunOn(const Workload& work, const Schedule& schedule, const LabDevice& device, const LabPolicy& policy,
               const HostCosts& costs) {
  if (policy.kind == LabPolicyKind::kOracle || policy.kind == LabPolicyKind::kOracleOpen)
    return RunOracle(work, schedule, device, costs, policy.kind == LabPolicyKind::kOracleOpen);
  Mount mount(work, device);
  switch (policy.kind) {
    case LabPolicyKind::kNone: {
      NonePolicy none;
      return Perform(work, schedule, costs, mount, none);
    }
    case LabPolicyKind::kFixed: {
      FixedPolicy fixed(work, policy.window, device.max_call);
      return Perform(work, schedule, costs, mount, fixed);
    }
    case LabPolicyKind::kAdaptive:
      return RunEngine(work, schedule, device, policy.engine, costs, mount);
    case LabPolicyKind::kKernelLike:
    case LabPolicyKind::kOracle:
    case LabPolicyKind::kOracleOpen:
      break;
  }
  KernelPolicy kernel;
  return Perform(work, schedule, costs, mount, kernel);
}

LabScore RunCell(const Workload& work, const LabDevice& device, const LabPolicy& policy) {
  return RunOn(work, Schedule(work), device, policy, HostCosts{}).lab;
}

std::vector<KernelRequest> KernelRequests(const Workload& work, ByteCount window, ByteCount max_request) {
  LabDevice device;
  device.parameters = NetParameters{1_us, 0};
  device.in_flight = 1 << 20;
  device.kernel_window = window;
  device.max_request = max_request;
  Mount mount(work, device);
  std::vector<PageRange> log;
  mount.LogTo(&log);
  KernelPolicy kernel;
  Perform(work, Schedule(work), HostCosts{}, mount, kernel);
  std::vector<KernelRequest> requests;
  for (const PageRange& pages : log)
    requests.push_back({pages.file, {{pages.begin * kPageBytes}, {pages.end * kPageBytes}}});
  return requests;
}

}  // namespace ahead::sim
