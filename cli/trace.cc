#include "cli/trace.h"

#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/output_file.h"
#include "cli/trace_export.h"
#include "cli/trace_report.h"
#include "cli/usage.h"
#include "stats/trace_reader.h"
#include "stats/trace_summary.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "trace";
constexpr int kCannot = 1;

struct Request {
  std::string file;
  std::string format = "table";
  int64_t top = 20;
  bool all = false;
  std::string export_as;
  std::string output;
};

int Fail(const absl::Status& status) { return Complain(kName, std::string(status.message())), kCannot; }

int Put(const std::string& text, const std::string& path) {
  OutputFile output(path);
  output.Write(text);
  const absl::Status written = output.Finish();
  return written.ok() ? 0 : Fail(written);
}

int Export(const TraceContents& trace, const Request& request) {
  OutputFile output(request.output);
  const Sink sink = [&](const std::string& text) { return output.Write(text); };
  request.export_as == "csv" ? ExportCsv(trace, sink) : ExportJsonLines(trace, sink);
  const absl::Status written = output.Finish();
  return written.ok() ? 0 : Fail(written);
}

int Show(const Request& request) {
  const absl::StatusOr<TraceContents> trace = ReadTrace(request.file);
  if (!trace.ok()) return Fail(trace.status());
  if (!request.export_as.empty()) return Export(*trace, request);
  const TraceSummary summary = Summarize(*trace);
  const size_t files = request.all ? std::numeric_limits<size_t>::max() : static_cast<size_t>(request.top);
  if (request.format == "json") {
    return Put(JsonOfTrace(summary, files).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
               request.output);
  }
  return Put(DescribeTrace(summary, files), request.output);
}

}  // namespace

void AddTraceCommand(CLI::App& app, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* trace = app.add_subcommand("trace", "Say what a trace holds");
  SetUsage(*trace,
           "ahead trace [--format table|json] [--top N | --all] [-o OUT] FILE\n"
           "       ahead trace --export jsonl|csv [-o OUT] FILE");
  trace->footer(
      "What the words of the summary mean: docs/trace.md.\n"
      "Exit status: 0; 1 when the file cannot be read or the output cannot be written; 2 on bad usage.");
  trace->add_option("FILE", request->file, "made by `ahead record` or AHEAD_TRACE")->required();
  AddChoice(*trace, "--format", request->format, {"table", "json"}, "form of the summary");
  CLI::Option* top = AddWholeNumber(*trace, "--top", request->top, 0, 1'000'000'000,
                                    "how many files are shown one by one, those with the most bytes; 20");
  trace->add_flag("--all", request->all, "show all files")->excludes(top);
  AddChoice(*trace, "--export", request->export_as, {"jsonl", "csv"},
            "one line an access instead of a summary; jsonl: events as well");
  trace->add_option("-o,--output", request->output, "where the output goes instead of stdout; 0600")->type_name("OUT");
  trace->callback([request, &exit_status] { exit_status = Show(*request); });
}

}  // namespace ahead::cli
