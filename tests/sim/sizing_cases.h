// The cases of docs/performance.md that concern the size of a window, as workloads; and a run of one in which each read
// is noted. Everything is simulated, so that a bound holds exactly or not at all.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "sim/lab_run.h"
#include "sim/machine.h"
#include "sim/mount.h"
#include "sim/policies.h"

namespace ahead::sim {

// A reader of a file of its own, from its beginning on.
struct SizingReader {
  ByteCount size;  // of the file, all of which is read
  ByteCount block{65536};
  Nanos think{};  // between two reads
  uint32_t process = 0;
};

// Readers side by side, each in a thread of its own.
inline Workload ReadersSideBySide(const std::vector<SizingReader>& readers) {
  struct Next {
    Nanos time;
    uint32_t reader;
    int64_t at;
  };
  Workload work;
  work.readers = work.threads = static_cast<uint32_t>(readers.size());
  const auto later = [](const Next& a, const Next& b) {
    return a.time != b.time ? a.time > b.time : a.reader > b.reader;
  };
  std::vector<Next> next;
  for (uint32_t i = 0; i < readers.size(); ++i) {
    work.files.push_back({"file", 1, i + 1, readers[i].size});
    work.process_of.push_back(readers[i].process);
    work.processes = std::max(work.processes, readers[i].process + 1);
    next.push_back({Nanos{}, i, 0});
  }
  std::make_heap(next.begin(), next.end(), later);
  while (!next.empty()) {
    std::pop_heap(next.begin(), next.end(), later);
    Next& one = next.back();
    const SizingReader& reader = readers[one.reader];
    WorkStep step;
    step.file = step.reader = step.thread = one.reader;
    step.range = {{one.at}, {std::min(one.at + reader.block.value, reader.size.value)}};
    step.fresh = one.at == 0;
    // All first reads are recorded as under way at once, or else the threads would follow each other.
    step.begin = one.time;
    step.end = one.time + 1_ns;
    work.steps.push_back(step);
    one.at = step.range.end.value;
    one.time = step.end + reader.think;
    if (one.at >= reader.size.value)
      next.pop_back();
    else
      std::push_heap(next.begin(), next.end(), later);
  }
  return work;
}

// How long each read took, what was asked for before it included, and when it was over; by thread.
struct NotedRead {
  ByteOffset begin;
  Nanos end;
  Nanos duration;
};

template <typename Base>
class Noting : public Base {
 public:
  template <typename... Arguments>
  explicit Noting(size_t threads, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), reads(threads), begun_(threads) {}
  void Plan(Runner& runner, const WorkStep& step) {
    begun_[runner.index] = runner.now;
    Base::Plan(runner, step);
  }
  void After(Runner& runner, const Completion& completion) {
    reads[runner.step->thread].push_back(
        {completion.range.begin, completion.time, completion.time - begun_[runner.index]});
    Base::After(runner, completion);
  }

  std::vector<std::vector<NotedRead>> reads;

 private:
  std::vector<Nanos> begun_;  // by lane
};

struct SizingRun {
  MachineScore machine;
  ByteCount peak_ahead;
  int64_t requests = 0;
  ByteCount bytes;
  std::vector<std::vector<NotedRead>> reads;  // by thread

  Nanos EndOf(size_t thread) const { return reads[thread].back().end; }
  // The longest read from `from` on.
  Nanos Longest(size_t thread, ByteOffset from) const {
    Nanos longest{};
    for (const NotedRead& read : reads[thread])
      if (read.begin >= from) longest = std::max(longest, read.duration);
    return longest;
  }
};

enum class SizingPolicy : uint8_t { kBare, kAhead };

inline SizingRun RunSizing(const Workload& work, const LabDevice& device, SizingPolicy policy) {
  const Schedule schedule(work);
  Mount mount(work, device);
  SizingRun run;
  const auto perform = [&](auto& noting) {
    run.machine = Machine<std::remove_reference_t<decltype(noting)>>(work, schedule, mount, HostCosts{}, noting).Run();
    run.reads = std::move(noting.reads);
  };
  if (policy == SizingPolicy::kBare) {
    Noting<KernelPolicy> bare(work.threads);
    perform(bare);
  } else {
    Noting<EnginePolicy> ahead(work.threads, work, Options{}, DriverFacts{}, schedule.lanes.size());
    perform(ahead);
  }
  run.peak_ahead = ByteCount{kPageBytes} * mount.cache().counts().peak_ahead;
  run.requests = mount.requests();
  run.bytes = mount.bytes();
  return run;
}

inline LabDevice NetAt(Nanos latency, int64_t bandwidth, int32_t in_flight) {
  LabDevice device;
  device.parameters = NetParameters{latency, bandwidth};
  device.in_flight = in_flight;
  return device;
}

inline LabDevice HddWith(bool rotation, int32_t in_flight) {
  LabDevice device;
  HddParameters parameters;
  parameters.has_rotation = rotation;
  device.parameters = parameters;
  device.in_flight = in_flight;
  return device;
}

// Bytes a second that a link can give, in requests of a piece.
inline double LimitOf(const LabDevice& device) {
  const auto& net = std::get<NetParameters>(device.parameters);
  const double by_requests =
      device.in_flight * static_cast<double>(device.max_call.value) * 1e9 / static_cast<double>(net.latency.value);
  return std::min(static_cast<double>(net.bandwidth_per_second), by_requests);
}

}  // namespace ahead::sim
