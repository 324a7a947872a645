#include "cli/record.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/engine_options.h"
#include "cli/run.h"
#include "cli/usage.h"
#include "stats/trace_map.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "record";
constexpr int64_t kDefaultCapacity = int64_t{256} << 20;
constexpr int64_t kLeastCapacity = int64_t{64} << 10;

std::string Says(const std::string& what, int error) { return absl::StrCat(what, ": ", strerror(error)); }

// The file a trace goes to: made beside it at the start, so that a bad path is refused before the command runs, and put
// in its place when it is whole.
class TraceOutput {
 public:
  explicit TraceOutput(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
    fd_ = mkstemp(temporary_.data());  // 0600
  }
  ~TraceOutput() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(temporary_.c_str());
  }
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  bool is_open() const { return fd_ >= 0; }

  bool Write(const void* bytes, size_t size) {
    for (const char* at = static_cast<const char*>(bytes); size > 0;) {
      const ssize_t put = write(fd_, at, size);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      at += put;
      size -= static_cast<size_t>(put);
    }
    return true;
  }

  bool Finish() {
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return false;
    close(std::exchange(fd_, -1));
    return true;
  }

 private:
  std::string path_;
  std::string temporary_;
  int fd_ = -1;
};

struct Saved {
  uint64_t records = 0;
  uint64_t dropped = 0;
};

// Copies the used part of the trace in `memfd` to `output`. Returns false with errno set.
bool Save(int memfd, TraceOutput& output, Saved& saved) {
  TraceHeader header{};
  if (pread(memfd, &header, sizeof(header), 0) != static_cast<ssize_t>(sizeof(header))) return false;
  saved = {std::min(header.tail_records, header.capacity_records), header.dropped_records};
  // Nobody adds to a saved trace.
  header.tail_records = header.capacity_records = saved.records;
  std::vector<char> part(kTraceHeaderBytes);
  memcpy(part.data(), &header, sizeof(header));
  if (!output.Write(part.data(), part.size())) return false;
  part.resize(size_t{1} << 20);
  auto at = static_cast<off_t>(kTraceHeaderBytes);
  const auto end = at + static_cast<off_t>(saved.records * kTraceRecordBytes);
  while (at < end) {
    const size_t wanted = std::min(part.size(), static_cast<size_t>(end - at));
    const ssize_t got = pread(memfd, part.data(), wanted, at);
    if (got <= 0 || !output.Write(part.data(), static_cast<size_t>(got))) return false;
    at += got;
  }
  return output.Finish();
}

struct Request {
  EngineOptions options;
  std::string output = "ahead.trace";
  int64_t capacity = kDefaultCapacity;
};

int Record(Request& request, const std::vector<std::string>& command) {
  const int memfd = CreateTraceMemfd({request.capacity}, {sysconf(_SC_PAGESIZE)});
  if (memfd < 0) return Complain(kName, Says("cannot make the memory for the trace", errno)), kRunFailure;
  TraceOutput output(request.output);
  if (!output.is_open())
    return Complain(kName, Says(absl::StrCat("cannot write '", request.output, "'"), errno)), kRunFailure;
  const std::string trace = absl::StrCat("/proc/", getpid(), "/fd/", memfd);
  if (access(trace.c_str(), R_OK | W_OK) != 0)
    return Complain(kName, Says(absl::StrCat("programs cannot reach ", trace), errno)), kRunFailure;
  request.options.Set("trace", trace);

  bool is_saved = false;
  const int status = RunCommand(kName, request.options, command, [&](const absl::StatusOr<RunSegment>&) {
    Saved saved;
    is_saved = Save(memfd, output, saved);
    if (!is_saved) return Complain(kName, Says(absl::StrCat("cannot write '", request.output, "'"), errno));
    std::string told = absl::StrFormat("%d records in %s", saved.records, request.output);
    if (saved.dropped > 0) absl::StrAppend(&told, "; ", saved.dropped, " more did not fit: use a larger --capacity");
    if (saved.records == 0) absl::StrAppend(&told, ": nothing was seen");
    Complain(kName, told);
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
  record->add_option("-o,--output", request->output, "where the trace goes when the command has ended; 0600")
      ->capture_default_str()
      ->type_name("FILE");
  record->add_option("--capacity", request->capacity, "most that is recorded; what does not fit is counted")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("256MiB")
      ->type_name("SIZE");
  AddEngineOptions(*record, request->options);
  record->callback([request, &command, &exit_status] {
    RequireCommand(command, "ahead record [-o FILE] -- COMMAND");
    if (!request->options.Get("trace").empty())
      throw CLI::ValidationError("--trace", "is made by record itself; name the file with -o");
    const auto most = static_cast<int64_t>(kTraceHeaderBytes + kTraceMaxRecords * kTraceRecordBytes);
    if (request->capacity < kLeastCapacity || request->capacity > most)
      throw CLI::ValidationError("--capacity", "accepted: from 64KiB to 128GiB");
    exit_status = Record(*request, command);
  });
}

}  // namespace ahead::cli
