#include "cli/score.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/model_spec.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/score_difference.h"
#include "cli/usage.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "score";
constexpr int kCannot = 1;

struct Request {
  std::vector<std::string> traces;
  std::vector<std::string> devices;
  std::vector<std::string> policies;
  std::string format = "table";
  bool brief = false;
  std::string save;
  std::string against;
  bool fail_on_loss = false;
  int64_t jobs = 0;
};

int Fail(const std::string& message) { return Complain(kName, message), kCannot; }

absl::StatusOr<ScoreTable> Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("--against: cannot read '", path, "': ", strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  absl::StatusOr<ScoreTable> table = ScoreTableFrom(text);
  if (table.ok()) return table;
  return absl::InvalidArgumentError(absl::StrCat("--against: '", path, "': ", table.status().message()));
}

// Shares are of what lies between the kernel and the oracle, so that these are there whatever is named.
std::vector<sim::LabPolicy> PoliciesOf(const Request& request) {
  std::vector<sim::LabPolicy> policies = sim::LabPolicies();
  if (request.policies.empty()) return policies;
  std::erase_if(policies, [&](const sim::LabPolicy& policy) {
    return policy.name != kKernelPolicy && policy.name != kOraclePolicy &&
           std::find(request.policies.begin(), request.policies.end(), policy.name) == request.policies.end();
  });
  return policies;
}

int Put(const std::string& path, const std::string& text) {
  const absl::Status written = WriteOutput(path, text);
  return written.ok() ? 0 : Fail(std::string(written.message()));
}

int Score(const Request& request) {
  // What is wrong with it should be said before the work.
  absl::StatusOr<ScoreTable> before = ScoreTable{};
  if (!request.against.empty()) before = Load(request.against);
  if (!before.ok()) return Fail(std::string(before.status().message()));
  const absl::StatusOr<LabTraces> traces = LoadTraces(request.traces);
  if (!traces.ok()) return Fail(std::string(traces.status().message()));
  for (const std::string& remark : traces->remarks) Complain(kName, remark);

  const ScoreTable table =
      MakeScores(*traces, DevicesOf(request.devices), PoliciesOf(request), static_cast<int>(request.jobs));
  if (!request.save.empty()) {
    if (const int failed = Put(request.save, JsonOf(table).dump(1) + "\n"); failed != 0) return failed;
  }
  if (!request.against.empty()) {
    const ScoreDifference difference = Compare(*before, table);
    if (const int failed = Put("", FormatDifference(*before, table, difference)); failed != 0) return failed;
    return request.fail_on_loss && difference.Losses() > 0 ? kCannot : 0;
  }
  if (request.format == "json") return Put("", JsonOf(table).dump(1) + "\n");
  const ColumnForm form = request.format == "markdown" ? ColumnForm::kMarkdown : ColumnForm::kPlain;
  return Put("", request.brief ? FormatBrief(table, form) : FormatScores(table, form));
}

std::string CheckPolicy(std::string& text) {
  std::vector<std::string> names;
  for (const sim::LabPolicy& policy : sim::LabPolicies()) {
    if (policy.name == text) return "";
    names.push_back(policy.name);
  }
  return absl::StrCat("'", text, "' is not one of ", absl::StrJoin(names, ", "));
}

}  // namespace

ScoreTable MakeScores(const LabTraces& traces, const std::vector<sim::LabDevice>& devices,
                      const std::vector<sim::LabPolicy>& policies, int jobs) {
  std::vector<sim::LabCell> cells;
  for (uint32_t work = 0; work < traces.works.size(); ++work)
    for (uint32_t device = 0; device < devices.size(); ++device)
      for (uint32_t policy = 0; policy < policies.size(); ++policy) cells.push_back({work, device, policy});
  Progress progress("cells", cells.size(), Progress::Wanted::kOnTerminal);
  const std::vector<sim::LabScore> scores = sim::RunCells(traces.works, devices, policies, cells, jobs,
                                                          [&](size_t, const sim::LabScore&) { progress.Step(); });

  ScoreTable table;
  for (size_t i = 0; i < cells.size(); ++i) {
    const sim::LabCell& cell = cells[i];
    if (cell.policy == 0) {
      ScoreRow& row = table.rows.emplace_back();
      row.trace = traces.names[cell.workload];
      row.device = devices[cell.device].name;
      row.is_predictable = traces.is_predictable[cell.workload];
      row.least_bytes = sim::LeastBytes(traces.works[cell.workload], devices[cell.device].memory);
    }
    table.rows.back().cells.push_back({policies[cell.policy].name, scores[i]});
  }
  return table;
}

void AddScoreCommand(CLI::App& app, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* score = app.add_subcommand("score", "Run traces through the laboratory: devices x policies");
  SetUsage(
      *score,
      "ahead score [--device MODEL]... [--policy NAME]... [--format table|json|markdown] [--brief] [TRACE|FOLDER]...\n"
      "       ahead score --save FILE | --against FILE [--fail-on-loss] [TRACE|FOLDER]...");
  score->footer(absl::StrCat(
      "Without TRACE: bench/traces of the source tree above the program. share: of the oracle's gain over the kernel\n"
      "alone, - where the oracle gains less than 2 %. The same input gives the same output.\n",
      DescribeModels(),
      "Exit status: 0; 1 when a file cannot be used, or with --fail-on-loss when something is worse; 2 on bad usage."));
  score->add_option("TRACE", request->traces, "traces, and folders of *.trace");
  AddDevices(*score, request->devices);
  score
      ->add_option("--policy", request->policies,
                   "none, kernel, fixed-8MiB, adaptive, oracle-open or oracle; all if not given; kernel\n"
                   "and oracle are always there, since shares are of their difference")
      ->check(CLI::Validator(CheckPolicy, ""))
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NAME");
  AddChoice(*score, "--format", request->format, {"table", "json", "markdown"}, "form of the output");
  score->add_flag("--brief", request->brief, "one line a trace: shares, or what others cost; not for json");
  score->add_option("--save", request->save, "write the table there, for --against; 0600")->type_name("FILE");
  CLI::Option* against =
      score->add_option("--against", request->against, "print what is gained and lost beside that saved table")
          ->type_name("FILE");
  score
      ->add_flag("--fail-on-loss", request->fail_on_loss,
                 "exit status 1 when a cell takes more than 1 % more time or bytes")
      ->needs(against);
  AddWholeNumber(*score, "--jobs", request->jobs, 0, 1024, "threads; 0: all processors");
  score->callback([request, &exit_status] { exit_status = Score(*request); });
}

}  // namespace ahead::cli
