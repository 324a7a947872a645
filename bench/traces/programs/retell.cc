// Tells a recorded trace again: without what is outside the folder of the recording, with that folder under another
// name, with all descriptions its readers' own, and with all times stretched, for programs that waited for a clock
// which ran faster. Nothing else changes.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "stats/trace_file.h"
#include "stats/trace_reader.h"

namespace ahead {
namespace {

// Times are measured from the making of the trace; what lasted 1 ns lasts `factor`. A microsecond of the recording is
// then the least that is told: the rest is noise, and noise does not compress.
void Stretch(TraceContents& trace, int64_t factor) {
  constexpr int64_t kGrain = 1000;
  const auto stretch = [&](Nanos& time) {
    time = {trace.monotonic_start.value + (time.value - trace.monotonic_start.value) / kGrain * kGrain * factor};
  };
  for (TracedProcess& process : trace.processes) stretch(process.time);
  for (TracedFile& file : trace.files) stretch(file.time);
  for (TracedEvent& event : trace.events) stretch(event.time);
  for (TracedRead& read : trace.reads) {
    stretch(read.time);
    if (read.outcome.known) stretch(read.outcome.time);
    for (TracedBatch& batch : read.batches)
      for (TracedBatch::Piece& piece : batch.pieces) stretch(piece.asked_at);
    if (!read.completed) continue;
    stretch(read.end);
    read.duration = read.end - read.time;
  }
}

// Leaves out what is not below the folder `from`, and calls that folder `to`.
void Move(TraceContents& trace, const std::string& from, const std::string& to) {
  std::vector<int64_t> index_of(trace.files.size(), -1);
  std::vector<TracedFile> kept;
  for (size_t i = 0; i < trace.files.size(); ++i) {
    TracedFile& file = trace.files[i];
    if (file.path.rfind(from + "/", 0) != 0 && file.path != from) continue;
    index_of[i] = static_cast<int64_t>(kept.size());
    file.path.replace(0, from.size(), to);
    kept.push_back(file);
  }
  const auto is_outside = [&](const auto& of_file) { return index_of[of_file.file] < 0; };
  std::erase_if(trace.reads, is_outside);
  std::erase_if(trace.events, is_outside);
  std::erase_if(trace.calls,
                [&](const TracedCall& call) { return call.kind == TraceKind::kForget && is_outside(call); });
  for (TracedRead& read : trace.reads) read.file = static_cast<uint32_t>(index_of[read.file]);
  for (TracedEvent& event : trace.events) event.file = static_cast<uint32_t>(index_of[event.file]);
  for (TracedCall& call : trace.calls)
    if (call.kind == TraceKind::kForget) call.file = static_cast<uint32_t>(index_of[call.file]);
  trace.files = std::move(kept);
}

// Says that each description was opened by the process that reads it. Of those that found no place in the library's
// table the recording does not know; the workloads inherit none.
void MarkOwn(TraceContents& trace) {
  for (TracedEvent& event : trace.events)
    if (event.kind == TraceKind::kOpen) event.opened_here = true;
}

int Run(const std::string& input, const std::string& output, int64_t factor, const std::string& from,
        const std::string& to) {
  absl::StatusOr<TraceContents> trace = ReadTrace(input);
  absl::Status status = trace.status();
  if (status.ok()) {
    if (factor > 1) Stretch(*trace, factor);
    if (!from.empty()) Move(*trace, from, to);
    MarkOwn(*trace);
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
  app.add_option("--from", from, "the folder to keep; what is elsewhere is left out");
  app.add_option("--to", to, "its name")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return ahead::Run(input, output, factor, from, to);
}
