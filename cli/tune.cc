#include "cli/tune.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/amounts.h"
#include "cli/lab_traces.h"
#include "cli/model_spec.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/tuning_grid.h"
#include "cli/usage.h"
#include "sim/tuning.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "tune";
constexpr int kCannot = 1;
constexpr int kInterrupted = 128 + SIGINT;

struct Request {
  std::vector<std::string> traces;
  std::vector<std::string> devices;
  std::vector<std::string> options;
  std::string format = "table";
  bool progress = false;
  int64_t seed = 1;
  int64_t finalists = 8;
  int64_t jobs = 0;
};

std::atomic<bool> stop_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// INT asks to end once, while this lives; the second is taken as without us.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_wanted.store(true, std::memory_order_relaxed); };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_ {};
};

struct Shown {
  sim::Tuned tuned;
  std::vector<size_t> alike;  // other settings that came to the same
};

// Those on the frontier, and the defaults, the fastest first; of equal ones the first.
std::vector<Shown> ShownOf(const sim::Tuning& tuning) {
  std::vector<Shown> shown;
  for (const sim::Tuned& tuned : tuning.tuned) {
    if (tuned.layer != 0 && tuned.setting != 0) continue;
    const auto same = std::find_if(shown.begin(), shown.end(),
                                   [&](const Shown& each) { return each.tuned.standing == tuned.standing; });
    if (same == shown.end())
      shown.push_back({tuned, {}});
    else
      same->alike.push_back(tuned.setting);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.tuned.standing.time < b.tuned.standing.time; });
  return shown;
}

std::string Verdict(const sim::Tuning& tuning, const std::vector<TunedSetting>& settings) {
  if (tuning.tuned.size() < 2 && settings.size() > 1)
    return "Nothing was run that the defaults could be compared with.\n";
  const sim::Tuned& chosen = tuning.tuned[sim::Recommend(tuning)];
  if (chosen.setting == 0) return "The defaults are within 2 % of the best.\n";
  return absl::StrFormat("Recommended, %.1f %% less time than the defaults:\n\n    %s\n",
                         100 * (1 - chosen.standing.time), CommandLineOf(settings[chosen.setting]));
}

std::string TableOf(const sim::Tuning& tuning, const std::vector<TunedSetting>& settings) {
  std::string text = absl::StrFormat("%d settings, %d of %d cells (traces x devices) run by the last %d%s\n\n",
                                     settings.size(), tuning.cells, tuning.all_cells, tuning.tuned.size(),
                                     tuning.is_complete ? "" : "; STOPPED before the end");
  absl::StrAppendFormat(&text, "%8s %11s %11s %8s  %s\n", "time", "wasted", "peak ahead", "frontier", "setting");
  for (const Shown& shown : ShownOf(tuning)) {
    const sim::Standing& standing = shown.tuned.standing;
    absl::StrAppendFormat(&text, "%8.3f %11s %11s %8s  %s\n", standing.time, FormatBytes(standing.wasted),
                          FormatBytes(standing.peak_ahead), shown.tuned.layer == 0 ? "yes" : "no",
                          Describe(settings[shown.tuned.setting]));
    if (!shown.alike.empty()) absl::StrAppendFormat(&text, "%43s(%d more came to the same)\n", "", shown.alike.size());
  }
  absl::StrAppend(&text, "\n", Verdict(tuning, settings));
  return text;
}

nlohmann::ordered_json JsonOf(const Request& request, const sim::Tuning& tuning,
                              const std::vector<TunedSetting>& settings) {
  nlohmann::ordered_json json;
  json["seed"] = request.seed;
  json["settings"] = settings.size();
  json["cells"] = tuning.cells;
  json["all_cells"] = tuning.all_cells;
  json["is_complete"] = tuning.is_complete;
  json["shown"] = nlohmann::ordered_json::array();
  const auto words_of = [&](size_t setting) {
    nlohmann::ordered_json words = nlohmann::ordered_json::object();
    for (const auto& [name, value] : settings[setting].words) words[name] = value;
    return words;
  };
  for (const Shown& shown : ShownOf(tuning)) {
    const sim::Tuned& tuned = shown.tuned;
    nlohmann::ordered_json one;
    one["options"] = words_of(tuned.setting);
    one["alike"] = nlohmann::ordered_json::array();
    for (const size_t setting : shown.alike) one["alike"].push_back(words_of(setting));
    one["time"] = tuned.standing.time;
    one["wasted_bytes"] = tuned.standing.wasted.value;
    one["peak_ahead_bytes"] = tuned.standing.peak_ahead.value;
    one["is_on_frontier"] = tuned.layer == 0;
    json["shown"].push_back(std::move(one));
  }
  const sim::Tuned& chosen = tuning.tuned[sim::Recommend(tuning)];
  json["recommended"] = chosen.setting == 0 ? nlohmann::ordered_json(nullptr)
                                            : nlohmann::ordered_json(CommandLineOf(settings[chosen.setting]));
  return json;
}

int Fail(const std::string& message) { return Complain(kName, message), kCannot; }

int Tune(const Request& request) {
  const absl::StatusOr<LabTraces> traces = LoadTraces(request.traces);
  if (!traces.ok()) return Fail(std::string(traces.status().message()));
  for (const std::string& remark : traces->remarks) Complain(kName, remark);
  const std::vector<sim::LabDevice> devices = DevicesOf(request.devices);
  // Options were checked when they were given.
  std::vector<TunedOption> varied;
  for (const std::string& text : request.options) varied.push_back(*ParseTunedOption(text));
  const std::vector<TunedSetting> settings = MakeGrid(varied.empty() ? DefaultGrid() : varied);
  std::vector<Options> options;
  for (const TunedSetting& setting : settings) options.push_back(setting.options);

  sim::TuningPlan plan;
  plan.seed = static_cast<uint64_t>(request.seed);
  plan.least = static_cast<size_t>(request.finalists);
  plan.threads = static_cast<int>(request.jobs);
  sim::Tuning tuning;
  {
    const InterruptGuard guard;
    Progress progress("cells", sim::CellsToRun(settings.size(), traces->works.size() * devices.size(), plan.least),
                      request.progress ? Progress::Wanted::kAlways : Progress::Wanted::kOnTerminal);
    tuning = sim::Tune(
        traces->works, devices, options, plan, [&] { progress.Step(); }, &stop_wanted);
  }
  if (tuning.tuned.empty()) return Complain(kName, "stopped before anything was known"), kInterrupted;
  const absl::Status written = WriteOutput(
      "", request.format == "json" ? JsonOf(request, tuning, settings).dump(1) + "\n" : TableOf(tuning, settings));
  if (!written.ok()) return Fail(std::string(written.message()));
  return tuning.is_complete ? 0 : kInterrupted;
}

std::string CheckOption(const std::string& text) {
  const absl::StatusOr<TunedOption> option = ParseTunedOption(text);
  return option.ok() ? "" : std::string(option.status().message());
}

std::string DescribeGrid() {
  return absl::StrJoin(DefaultGrid(), ", ", [](std::string* out, const TunedOption& option) {
    absl::StrAppend(out, option.name, "=", absl::StrJoin(option.values, ","));
  });
}

}  // namespace

void AddTuneCommand(CLI::App& app, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* tune = app.add_subcommand("tune", "Find engine options that suit traces, in the laboratory");
  SetUsage(*tune, "ahead tune [--device MODEL]... [--option NAME=VALUE,VALUE,...]... [--seed N] TRACE|FOLDER...");
  tune->footer(absl::StrCat(
      "Tries all combinations of the values, few cells first; the best half goes on. Prints the settings that none\n"
      "beats in time (beside the defaults'), wasted bytes and memory, and recommends one. INT ends it with what is\n"
      "known.\nWithout --option: ",
      DescribeGrid(), ".\n", DescribeModels(),
      "Exit status: 0; 1 when a file cannot be used; 2 on bad usage; 130 when INT ended it."));
  tune->add_option("TRACE", request->traces, "traces, and folders of *.trace")->required();
  AddDevices(*tune, request->devices);
  tune->add_option("--option", request->options, "an engine option and the values to try; others stay as they are")
      ->check(CLI::Validator([](std::string& text) { return CheckOption(text); }, ""))
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NAME=VALUE,...");
  AddChoice(*tune, "--format", request->format, {"table", "json"}, "form of the output");
  AddWholeNumber(*tune, "--finalists", request->finalists, 2, 100000, "settings that run all cells; 8");
  AddWholeNumber(*tune, "--seed", request->seed, 0, INT64_MAX, "of the order of the cells; 1");
  AddWholeNumber(*tune, "--jobs", request->jobs, 0, 1024, "threads; 0: all processors");
  tune->add_flag("--progress", request->progress, "say on stderr how far it is even where that is no terminal");
  tune->callback([request, &exit_status] { exit_status = Tune(*request); });
}

}  // namespace ahead::cli
