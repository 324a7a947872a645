#include "cli/stats.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/clock.h"
#include "cli/usage.h"
#include "nlohmann/json.hpp"
#include "stats/export.h"
#include "stats/input.h"
#include "stats/sessions.h"
#include "stats/table.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "stats";
constexpr int kCannot = 1;
constexpr double kMinWatchSeconds = 0.01;
constexpr double kMaxWatchSeconds = 86400;

struct Request {
  std::string file;
  int64_t pid = 0;
  std::string session;
  bool reset = false;
  std::string watch;  // seconds
  std::string format = "table";
  std::string compat;

  TableStyle style() const { return compat.empty() ? TableStyle::kAhead : TableStyle::kV14; }
  bool is_watch() const { return !watch.empty(); }
};

// What to read, and how to name it in messages.
struct Target {
  std::string path;
  std::string name;
};

std::string ListSessions() {
  std::vector<pid_t> pids;
  for (const Session& session : RunningSessions(geteuid())) pids.push_back(session.pid);
  return pids.empty() ? "none is running" : absl::StrCat("running: ", absl::StrJoin(pids, ", "));
}

absl::StatusOr<Target> FindSession(const std::string& text) {
  int pid = 0;
  if (!absl::SimpleAtoi(text, &pid)) return Target{text, absl::StrCat("--session ", text)};
  const absl::StatusOr<Session> session = SessionOf(pid);
  if (session.ok()) return Target{session->path, absl::StrCat("session ", pid)};
  return absl::NotFoundError(absl::StrCat("--session ", text, ": ", session.status().message(),
                                          "; accepted: the process number of an `ahead run`, or a path (",
                                          ListSessions(), ")"));
}

absl::StatusOr<Target> FindTarget(const Request& request) {
  if (!request.file.empty()) return Target{request.file, absl::StrCat("'", request.file, "'")};
  if (!request.session.empty()) return FindSession(request.session);
  if (request.pid != 0) {
    const absl::StatusOr<std::string> path = SegmentPathOf(static_cast<pid_t>(request.pid));
    if (path.ok()) return Target{*path, absl::StrCat("--pid ", request.pid, ": '", *path, "'")};
    return absl::NotFoundError(absl::StrCat("--pid ", request.pid, ": ", path.status().message()));
  }
  const std::vector<Session> sessions = RunningSessions(geteuid());
  if (sessions.size() == 1) return Target{sessions[0].path, absl::StrCat("session ", sessions[0].pid)};
  return absl::NotFoundError(absl::StrCat(
      "name a FILE, --pid P or --session S: ",
      sessions.empty() ? "no `ahead run` of yours is running" : "more than one `ahead run` of yours is running (",
      sessions.empty() ? "" : ListSessions() + ")"));
}

bool Put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return true;
  Complain(kName, "cannot write to standard output");
  return false;
}

Snapshot Read(const Input& input, const Request& request) {
  if (!input.segment()) return input.text();
  return request.pid == 0 ? ReadSnapshot(input.segment())
                          : ReadSnapshot(input.segment(), static_cast<pid_t>(request.pid));
}

Snapshot Take(Input& input, const Request& request) {
  return request.pid == 0 ? TakeSnapshot(input.segment())
                          : TakeSnapshot(input.segment(), static_cast<pid_t>(request.pid));
}

std::string FormatOnce(const Snapshot& snapshot, const Request& request) {
  if (request.format == "json") return ToJson(snapshot, request.style()).dump(2, ' ', true) + "\n";
  if (request.format == "csv") return kCsvHeader + FormatCsv(snapshot, request.style());
  if (request.format == "openmetrics") return FormatOpenMetrics(snapshot);
  std::string text = FormatTables(snapshot, request.style());
  if (snapshot.is_complete && request.compat.empty()) text += FormatProcesses(snapshot);
  return text;
}

// One step of --watch: what was counted since the step before, nothing at the first one, and since the beginning.
std::string FormatStep(double elapsed_s, const Snapshot* difference, const Snapshot& total, const Request& request) {
  const std::string elapsed = absl::StrFormat("%.2f", elapsed_s);
  if (request.format == "openmetrics") return FormatOpenMetrics(total);
  if (request.format == "json") {
    nlohmann::ordered_json step = {{"elapsed_s", elapsed_s}};
    if (difference != nullptr) step["difference"] = ToJson(*difference, request.style());
    step["total"] = ToJson(total, request.style());
    return step.dump(-1, ' ', true) + "\n";
  }
  if (request.format == "csv")
    return absl::StrCat(difference == nullptr
                            ? absl::StrCat("elapsed_s,span,", kCsvHeader)
                            : FormatCsv(*difference, request.style(), absl::StrCat(elapsed, ",difference,")),
                        FormatCsv(total, request.style(), absl::StrCat(elapsed, ",total,")));
  std::string text;
  if (difference != nullptr)
    absl::StrAppend(&text, "# ", elapsed, " s: since the last table\n", FormatTables(*difference, request.style()));
  absl::StrAppend(&text, "# ", elapsed, " s: in all\n", FormatOnce(total, request));
  return text;
}

// Wakes up every so often, until a signal asks to end or the run ends.
class Ticker {
 public:
  enum class Wake { kTick, kRunEnded, kStop };

  Ticker(double seconds, pid_t run) {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&stops, number);
    sigprocmask(SIG_BLOCK, &stops, &before_);
    sources_[0].fd = signalfd(-1, &stops, SFD_CLOEXEC);
    sources_[1].fd = run > 0 ? static_cast<int>(syscall(SYS_pidfd_open, run, 0)) : -1;
    sources_[2].fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const double whole = std::floor(seconds);
    const timespec period{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
    const itimerspec timer{period, period};
    timerfd_settime(sources_[2].fd, 0, &timer, nullptr);
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker() {
    for (const pollfd& source : sources_)
      if (source.fd >= 0) close(source.fd);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  Wake Wait() {
    while (poll(sources_, std::size(sources_), -1) < 0) {
    }
    if (sources_[0].revents != 0) {
      signalfd_siginfo taken;  // else it would be delivered when the mask is restored
      return read(sources_[0].fd, &taken, sizeof(taken)) > 0 ? Wake::kStop : Wake::kTick;
    }
    if (sources_[1].revents != 0) return Wake::kRunEnded;
    uint64_t missed = 0;
    return read(sources_[2].fd, &missed, sizeof(missed)) > 0 ? Wake::kTick : Wake::kStop;
  }

 private:
  sigset_t before_;
  pollfd sources_[3] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};  // signals, the run's end, time
};

int Watch(const Input& input, const Request& request) {
  double period = 0;
  if (!absl::SimpleAtod(request.watch, &period)) return kBadUsage;
  Ticker ticker(period, input.segment()->session_pid);
  const Nanos begin = MonotonicNow();
  Snapshot before = Read(input, request);
  if (!Put(FormatStep(0, nullptr, before, request))) return kCannot;
  for (Ticker::Wake wake; (wake = ticker.Wait()) != Ticker::Wake::kStop;) {
    Snapshot now = Read(input, request);
    const Snapshot difference = Difference(before, now);
    if (!Put(FormatStep(SecondsOf(MonotonicNow() - begin), &difference, now, request))) return kCannot;
    // The mapping keeps what the run counted; nothing is added to it any more.
    if (wake == Ticker::Wake::kRunEnded) break;
    before = std::move(now);
  }
  return 0;
}

int Show(const Request& request) {
  const absl::StatusOr<Target> target = FindTarget(request);
  if (!target.ok()) return Complain(kName, std::string(target.status().message())), kCannot;
  absl::StatusOr<Input> input =
      Input::Open(target->path, request.reset ? Input::Purpose::kReset : Input::Purpose::kRead);
  if (!input.ok()) return Complain(kName, absl::StrCat(target->name, " ", input.status().message())), kCannot;
  if (!input->segment() && (request.reset || request.is_watch() || request.pid != 0)) {
    Complain(kName, absl::StrCat(target->name, " is the text of event tables: ", request.reset ? "--reset" : "--watch",
                                 " takes a statistics file"));
    return kBadUsage;
  }
  if (request.is_watch()) return Watch(*input, request);
  return Put(FormatOnce(request.reset ? Take(*input, request) : Read(*input, request), request)) ? 0 : kCannot;
}

std::string CheckSeconds(std::string& text) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && seconds >= kMinWatchSeconds && seconds <= kMaxWatchSeconds) return "";
  return absl::StrCat("'", text, "' is not a number of seconds from ", kMinWatchSeconds, " to ", kMaxWatchSeconds);
}

}  // namespace

void AddStatsCommand(CLI::App& app, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* stats = app.add_subcommand("stats", "Print the event tables of a run, a process or a file");
  SetUsage(*stats,
           "ahead stats [FILE | --pid P | --session S] [--reset | --watch N] [--format FORMAT] [--compat v14]\n\n"
           "Without FILE, --pid and --session: the only `ahead run` of yours that is running.");
  stats->footer(
      "What rows and columns mean: docs/events.md.\n"
      "Exit status: 0; 1 when what was named cannot be found or read; 2 on bad usage.");
  CLI::Option* file =
      stats->add_option("FILE", request->file, "statistics file (AHEAD_STATS), or the text of event tables");
  CLI::Option* pid =
      AddWholeNumber(*stats, "--pid", request->pid, 1, 4194304, "only what process P counted")->type_name("P");
  CLI::Option* session =
      stats->add_option("--session", request->session, "process number of a running `ahead run`, or a path")
          ->type_name("S");
  file->excludes(pid)->excludes(session);
  pid->excludes(session);
  CLI::Option* reset =
      stats->add_flag("--reset", request->reset, "print and set to zero in one step: nothing is lost between");
  stats->add_option("--watch", request->watch, "print again every N seconds: what was added, and all")
      ->check(CLI::Validator(CheckSeconds, ""))
      ->type_name("N")
      ->excludes(reset);
  AddChoice(*stats, "--format", request->format, {"table", "json", "csv", "openmetrics"}, "form of the output");
  AddChoice(*stats, "--compat", request->compat, {"v14"},
            "rows, columns and arithmetic of the adaptive readahead V14 kernel");
  stats->callback([request, &exit_status] {
    if (!request->compat.empty() && request->format == "openmetrics")
      throw CLI::ValidationError("--compat", "v14 is for --format table, json and csv");
    exit_status = Show(*request);
  });
}

}  // namespace ahead::cli
