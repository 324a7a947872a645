// What would the engine make of a pattern on a disk? Runs bench/patterns' access patterns through the simulator and
// prints one row each: a bench without noise, for work on core. No real I/O, no clock: the same input, the same output.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "sim/patterns.h"
#include "sim/score.h"
#include "sim/speed.h"
#include "sim/trace_workload.h"
#include "stats/trace_reader.h"

namespace ahead::sim {
namespace {

void PrintHead() {
  std::printf("%-12s %6s %4s %9s %9s %9s %9s | %9s %6s %6s %6s | %7s %8s %8s %7s %6s\n", "pattern", "ms", "fly",
              "none_ms", "kernel_ms", "oracle_ms", "limit_ms", "ahead_ms", "limit", "oracle", "rest", "req", "MiB",
              "waste", "planned", "waits");
}

void PrintRow(const std::string& name, const LabDevice& device, const Comparison& row) {
  const auto ms = [](Nanos time) { return static_cast<double>(time.value) / 1e6; };
  const auto mib = [](ByteCount bytes) { return static_cast<double>(bytes.value) / (1 << 20); };
  std::printf("%-12s %6.1f %4d %9.1f %9.1f %9.1f %9.1f | %9.1f %6.3f %6.3f ", name.c_str(),
              ms(std::get<NetParameters>(device.parameters).latency), device.in_flight, ms(row.none.lab.elapsed),
              ms(row.kernel.lab.elapsed), ms(row.oracle.lab.elapsed), ms(row.limit), ms(row.ahead.lab.elapsed),
              ms(row.limit) / ms(row.ahead.lab.elapsed), ms(row.oracle.lab.elapsed) / ms(row.ahead.lab.elapsed));
  const double rest = ShareAfterFirstSecond(row);
  if (rest < 0)
    std::printf("%6s ", "-");
  else
    std::printf("%6.3f ", rest);
  std::printf("| %7lld %8.2f %8.2f %7lld %6lld\n", static_cast<long long>(row.ahead.lab.requests),
              mib(row.ahead.lab.bytes), mib(row.ahead.lab.wasted_bytes), static_cast<long long>(row.ahead.planned),
              static_cast<long long>(row.ahead.lab.waits));
}

// A line of JSON for each policy of the laboratory, for scripts that compare.
void PrintJson(const Pattern& pattern, const Workload& work, const LabDevice& device, const Options& options) {
  for (LabPolicy policy : LabPolicies()) {
    policy.engine = options;
    const LabScore score = RunCell(work, device, policy);
    std::printf(
        "{\"pattern\":\"%s\",\"device\":\"%s\",\"in_flight\":%d,\"policy\":\"%s\",\"elapsed_ns\":%lld,"
        "\"requests\":%lld,\"bytes\":%lld,\"wasted_bytes\":%lld,\"waits\":%lld}\n",
        pattern.name, device.name.c_str(), device.in_flight, policy.name.c_str(),
        static_cast<long long>(score.elapsed.value), static_cast<long long>(score.requests),
        static_cast<long long>(score.bytes.value), static_cast<long long>(score.wasted_bytes.value),
        static_cast<long long>(score.waits));
  }
}

// Lets the program do something else for `think` after each page it has read.
void Think(Workload& work, Nanos think) {
  Nanos time{};
  for (WorkStep& step : work.steps) {
    step.begin = step.end = time;
    time = time + think * ((step.range.size().value + 4095) / 4096);
  }
}

// Of the traces, or without any of reads of our own. Returns the exit status.
int PrintSpeed(const std::vector<std::string>& traces) {
  std::vector<Workload> works;
  for (const std::string& path : traces) {
    const absl::StatusOr<TraceContents> contents = ReadTrace(path);
    if (!contents.ok()) {
      std::fprintf(stderr, "ahead-sim: %s\n", std::string(contents.status().message()).c_str());
      return 1;
    }
    works.push_back(WorkloadFrom(*contents, Taken::kEverything).work);
  }
  if (works.empty()) works.push_back(PassesOverFiles());
  // Long enough for a clock: the traces of the project are a twentieth of a second.
  const int rounds = traces.empty() ? 2 : 20;
  for (const int threads : {1, 2}) {
    const Speed speed = MeasureSpeed(works, threads, rounds);
    std::printf("%d threads: %.2f million accesses a second, %.2f a second of a processor\n", threads,
                speed.PerSecond() / 1e6, speed.PerProcessorSecond() / 1e6);
  }
  return 0;
}

}  // namespace
}  // namespace ahead::sim

int main(int argc, char** argv) {
  using namespace ahead;
  using namespace ahead::sim;
  CLI::App app(
      "Runs access patterns through the engine on a simulated disk and prints a row for each.\n\n"
      "limit: share of the disk's limit reached; oracle: of the speed with perfect knowledge; rest: share of the "
      "limit\n"
      "after the first second; req, MiB: at the disk; waste: MiB fetched ahead and not read; planned: reads that did\n"
      "not pass the filter; waits: reads that waited for the disk.",
      "ahead-sim");
  std::vector<std::string> names;
  std::vector<double> latencies{0.2, 2, 20};
  std::vector<int> in_flight{12, 64};
  double bandwidth = 500;
  int64_t file_mib = 256;
  std::vector<std::string> settings;
  bool events = false;
  bool speed = false;
  std::vector<std::string> device_names;
  int64_t think_ns = 0;
  app.add_option("PATTERN", names, "which; default: all");
  app.add_option("--latency", latencies, "ms of one request, any number of them")->expected(1, -1);
  app.add_option("--in-flight", in_flight, "requests at the disk at a time, any number of them")->expected(1, -1);
  app.add_option("--bandwidth", bandwidth, "MB/s")->capture_default_str();
  app.add_option("--file", file_mib, "MiB of the file")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--set", settings, "NAME=VALUE of an engine option, any number of them")->expected(1, -1);
  app.add_option("--json", device_names,
                 "print a line of JSON for each policy on these devices of the laboratory, instead of the table")
      ->type_name("DEVICE")
      ->expected(1, -1);
  app.add_option("--think", think_ns, "with --json: ns that the program does something else after each page it read");
  app.add_flag("--events", events, "print the event counts of each row");
  app.add_flag("--speed", speed,
               "print how many accesses a second the simulator takes: of traces, named in place of patterns, or of "
               "4 KiB reads");
  CLI11_PARSE(app, argc, argv);
  if (speed) return PrintSpeed(names);

  Options options;
  for (const std::string& setting : settings) {
    if (const std::string refusal = SetByName(options, setting); !refusal.empty()) {
      std::fprintf(stderr, "ahead-sim: %s\n", refusal.c_str());
      return 2;
    }
  }
  std::vector<const Pattern*> patterns;
  for (const std::string& name : names) {
    patterns.push_back(FindPattern(name));
    if (patterns.back() != nullptr) continue;
    std::fprintf(stderr, "ahead-sim: no pattern '%s'\n", name.c_str());
    return 2;
  }
  if (names.empty())
    for (const std::vector<Pattern>* kind : {&Patterns(), &GapPatterns()})
      for (const Pattern& pattern : *kind) patterns.push_back(&pattern);

  for (const std::string& name : device_names) {
    if (FindLabDevice(name) != nullptr) continue;
    std::fprintf(stderr, "ahead-sim: no device '%s'\n", name.c_str());
    return 2;
  }
  for (const Pattern* pattern : patterns) {
    if (device_names.empty()) break;
    Workload work = pattern->make({file_mib << 20});
    Think(work, {think_ns});
    for (const std::string& name : device_names) {
      for (const int slots : in_flight) {
        LabDevice device = *FindLabDevice(name);
        device.in_flight = slots;
        PrintJson(*pattern, work, device, options);
      }
    }
  }
  if (!device_names.empty()) return 0;

  PrintHead();
  for (const Pattern* pattern : patterns) {
    const Workload work = pattern->make({file_mib << 20});
    for (const double latency : latencies) {
      for (const int slots : in_flight) {
        LabDevice device;
        device.parameters = NetParameters{{static_cast<int64_t>(latency * 1e6)}, static_cast<int64_t>(bandwidth * 1e6)};
        device.in_flight = slots;
        const Comparison row = Compare(work, device, options);
        PrintRow(pattern->name, device, row);
        if (events) std::fputs(DescribeEvents(row.ahead.lab.ledger).c_str(), stdout);
      }
    }
  }
  return 0;
}
