#include "cli/record.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/engine_options.h"
#include "cli/run.h"
#include "cli/usage.h"
#include "stats/trace_drain.h"
#include "stats/trace_map.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "record";
constexpr int64_t kDefaultCapacity = int64_t{256} << 20;
constexpr int64_t kLeastCapacity = int64_t{64} << 10;
constexpr int64_t kMostCapacity = int64_t{1} << 40;
// Where programs write; what is in it goes to the file meanwhile (stats/trace_drain.h).
constexpr int64_t kMemory = int64_t{16} << 20;

std::string Says(const std::string& what, int error) { return absl::StrCat(what, ": ", strerror(error)); }

struct Request {
  EngineOptions options;
  std::string output = "ahead.trace";
  int64_t capacity = kDefaultCapacity;
};

void Tell(const Request& request, const DrainedTrace& saved) {
  std::string told = absl::StrFormat("%d records in %s", saved.records, request.output);
  if (saved.dropped > 0) absl::StrAppend(&told, "; ", saved.dropped, " more did not fit: use a larger --capacity");
  if (saved.records == 0) absl::StrAppend(&told, ": nothing was seen");
  Complain(kName, told);
}

int Record(Request& request, const std::vector<std::string>& command) {
  const int64_t memory = std::min(request.capacity, kMemory);
  const int memfd = CreateTraceMemfd({memory}, {sysconf(_SC_PAGESIZE)});
  if (memfd < 0) return Complain(kName, Says("cannot make the memory for the trace", errno)), kRunFailure;
  const std::string trace = absl::StrCat("/proc/", getpid(), "/fd/", memfd);
  if (access(trace.c_str(), R_OK | W_OK) != 0)
    return Complain(kName, Says(absl::StrCat("programs cannot reach ", trace), errno)), kRunFailure;
  absl::StatusOr<std::unique_ptr<TraceDrain>> drain = TraceDrain::Start(memfd, request.output, {request.capacity});
  if (!drain.ok()) return Complain(kName, std::string(drain.status().message())), kRunFailure;
  request.options.Set("trace", trace);

  bool is_saved = false;
  const int status = RunCommand(kName, request.options, command, [&](const absl::StatusOr<RunSegment>&) {
    const absl::StatusOr<DrainedTrace> saved = (*drain)->Finish();
    is_saved = saved.ok();
    if (!is_saved) return Complain(kName, std::string(saved.status().message()));
    Tell(request, *saved);
  });
  close(memfd);
  return status == 0 && !is_saved ? kRunFailure : status;
}

}  // namespace

void AddRecordCommand(CLI::App& app, const std::vector<std::string>& command, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* record = app.add_subcommand("record", "Run a command and write down what it reads, for replay");
  SetUsage(*record, "ahead record [-o FILE] [--capacity SIZE] [--OPTION VALUE]... -- COMMAND [ARGUMENT]...");
  record->footer(
      "The trace holds which files are read, where and when, and what the engine decided; no data, no arguments, no\n"
      "environment. With --ratio 0 the engine only watches. Exit status: as `ahead run`.");
  record->add_option("-o,--output", request->output, "where the trace goes, from the start of the command on; 0600")
      ->capture_default_str()
      ->type_name("FILE");
  record->add_option("--capacity", request->capacity, "most bytes of the trace; what does not fit is counted")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("256MiB")
      ->type_name("SIZE");
  AddEngineOptions(*record, request->options);
  record->callback([request, &command, &exit_status] {
    RequireCommand(command, "ahead record [-o FILE] -- COMMAND");
    if (!request->options.Get("trace").empty())
      throw CLI::ValidationError("--trace", "is made by record itself; name the file with -o");
    if (request->capacity < kLeastCapacity || request->capacity > kMostCapacity)
      throw CLI::ValidationError("--capacity", "accepted: from 64KiB to 1TiB");
    exit_status = Record(*request, command);
  });
}

}  // namespace ahead::cli
