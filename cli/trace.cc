#include "cli/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/output_file.h"
#include "cli/trace_export.h"
#include "cli/trace_report.h"
#include "cli/usage.h"
#include "stats/trace_anonymize.h"
#include "stats/trace_file.h"
#include "stats/trace_import.h"
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
  std::string import_from;
  bool anonymize = false;
  std::string output;
};

int Fail(const absl::Status& status) { return Complain(kName, std::string(status.message())), kCannot; }

int Put(const std::string& text, const std::string& path) {
  const absl::Status written = WriteOutput(path, text);
  return written.ok() ? 0 : Fail(written);
}

int Export(const TraceContents& trace, const Request& request) {
  OutputFile output(request.output);
  const Sink sink = [&](const std::string& text) { return output.Write(text); };
  request.export_as == "csv" ? ExportCsv(trace, sink) : ExportJsonLines(trace, sink);
  const absl::Status written = output.Finish();
  return written.ok() ? 0 : Fail(written);
}

absl::StatusOr<std::string> TextOf(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  std::string text;
  std::vector<char> part(size_t{1} << 20);
  ssize_t got;
  while ((got = read(fd, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(part.data(), static_cast<size_t>(got));
  const int error = got < 0 ? errno : 0;
  close(fd);
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot be read"));
  return text;
}

// Returns what of the file did not come over; empty: all did.
std::string LeftOut(const TraceImport& import) {
  std::vector<std::string> parts;
  const auto add = [&](uint64_t count, const char* what) {
    if (count > 0) parts.push_back(absl::StrCat(count, " ", what));
  };
  add(import.unknown_reads, "reads of descriptors whose opening was not seen");
  add(import.unplaced_reads, "reads at an unknown place");
  add(import.special_reads, "reads of what is no file");
  add(import.other_records, "accesses that are not POSIX reads");
  if (import.misread_lines > 0)
    parts.push_back(absl::StrCat(import.misread_lines, " of ", import.lines, " lines, the first of them line ",
                                 import.first_misread_line, ": not understood"));
  return absl::StrJoin(parts, "; ");
}

absl::StatusOr<TraceContents> Import(const Request& request) {
  const absl::StatusOr<std::string> text = TextOf(request.file);
  if (!text.ok()) return text.status();
  TraceImport import = request.import_from == "dxt" ? ImportDxt(*text) : ImportStrace(*text);
  if (import.contents.reads.empty() && import.contents.events.empty()) {
    const std::string left = LeftOut(import);
    return absl::InvalidArgumentError(
        absl::StrCat(request.file, ": holds no read of a file", left.empty() ? "" : "; left out: ", left));
  }
  std::string told = absl::StrCat(request.file, ": ", import.contents.reads.size(), " reads and ",
                                  import.contents.events.size(), " events of ", import.contents.files.size(), " files");
  if (const std::string left = LeftOut(import); !left.empty()) absl::StrAppend(&told, "; left out: ", left);
  if (import.relative_paths > 0)
    absl::StrAppend(&told, "; ", import.relative_paths, " paths are relative to a folder that it does not name");
  Complain(kName, told);
  return std::move(import.contents);
}

// Writes a trace: an imported one, or one without names.
int Convert(const Request& request) {
  absl::StatusOr<TraceContents> trace = request.import_from.empty() ? ReadTrace(request.file) : Import(request);
  if (!trace.ok()) return Fail(trace.status());
  if (request.anonymize) Anonymize(*trace);
  const absl::Status written = WriteTrace(request.output, *trace);
  return written.ok() ? 0 : Fail(written);
}

int Show(const Request& request) {
  if (request.anonymize || !request.import_from.empty()) return Convert(request);
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
           "       ahead trace --export jsonl|csv [-o OUT] FILE\n"
           "       ahead trace [--import strace|dxt] [--anonymize] -o OUT FILE");
  trace->footer(
      "What the words of the summary mean: docs/trace.md.\n"
      "Exit status: 0; 1 when the file cannot be read or the output cannot be written; 2 on bad usage.");
  trace->add_option("FILE", request->file, "made by `ahead record` or AHEAD_TRACE; with --import by the tool named")
      ->required();
  AddChoice(*trace, "--format", request->format, {"table", "json"}, "form of the summary");
  CLI::Option* top = AddWholeNumber(*trace, "--top", request->top, 0, 1'000'000'000,
                                    "how many files are shown one by one, those with the most bytes; 20");
  trace->add_flag("--all", request->all, "show all files")->excludes(top);
  CLI::Option* export_as = AddChoice(*trace, "--export", request->export_as, {"jsonl", "csv"},
                                     "one line an access instead of a summary; jsonl: events as well");
  AddChoice(*trace, "--import", request->import_from, {"strace", "dxt"},
            "make a trace of the output of `strace -f -y -ttt -T` or of darshan-dxt-parser")
      ->excludes(export_as);
  trace->add_flag("--anonymize", request->anonymize, "make a trace without names, to give away")->excludes(export_as);
  trace->add_option("-o,--output", request->output, "where the output goes instead of stdout; 0600")->type_name("OUT");
  trace->callback([request, &exit_status] {
    if (request->output.empty() && (request->anonymize || !request->import_from.empty()))
      throw CLI::ValidationError("-o", "name the trace that --import and --anonymize are to make");
    exit_status = Show(*request);
  });
}

}  // namespace ahead::cli
