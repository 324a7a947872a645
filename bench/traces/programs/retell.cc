// Tells a recorded trace again: with the folder of the recording under another name, and with all times stretched, for
// programs that waited for a clock which ran faster. Nothing else changes.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>

#include "stats/trace_file.h"
#include "stats/trace_reader.h"

namespace ahead {
namespace {

// Times are measured from the making of the trace; what lasted 1 ns lasts `factor`.
void Stretch(TraceContents& trace, int64_t factor) {
  const auto stretch = [&](Nanos& time) {
    time = {trace.monotonic_start.value + (time.value - trace.monotonic_start.value) * factor};
  };
  for (TracedProcess& process : trace.processes) stretch(process.time);
  for (TracedFile& file : trace.files) stretch(file.time);
  for (TracedEvent& event : trace.events) stretch(event.time);
  for (TracedRead& read : trace.reads) {
    stretch(read.time);
    if (read.outcome.known) stretch(read.outcome.time);
    if (!read.completed) continue;
    stretch(read.end);
    read.duration = {read.duration.value * factor};
  }
}

void Rename(TraceContents& trace, const std::string& from, const std::string& to) {
  for (TracedFile& file : trace.files)
    if (file.path.rfind(from, 0) == 0) file.path.replace(0, from.size(), to);
}

int Run(const std::string& input, const std::string& output, int64_t factor, const std::string& from,
        const std::string& to) {
  absl::StatusOr<TraceContents> trace = ReadTrace(input);
  absl::Status status = trace.status();
  if (status.ok()) {
    if (factor > 1) Stretch(*trace, factor);
    if (!from.empty()) Rename(*trace, from, to);
    status = WriteTrace(output, *trace);
  }
  if (!status.ok()) std::fprintf(stderr, "ahead-retell: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace ahead

int main(int argc, char** argv) {
  CLI::App app("Tells a trace again, with other names and times.", "ahead-retell");
  std::string input;
  std::string output;
  int64_t factor = 1;
  std::string from;
  std::string to = "/disk";
  app.add_option("IN", input)->required();
  app.add_option("OUT", output)->required();
  app.add_option("--stretch", factor, "times as long")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--from", from, "the beginning of paths to replace");
  app.add_option("--to", to, "by this")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return ahead::Run(input, output, factor, from, to);
}
