#include "cli/replay.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/dry_replay.h"
#include "cli/engine_options.h"
#include "cli/model_spec.h"
#include "cli/output_file.h"
#include "cli/usage.h"
#include "core/options.h"
#include "sim/replay.h"
#include "sim/trace_workload.h"
#include "stats/trace_reader.h"

namespace ahead::cli {
namespace {

constexpr const char* kName = "replay";
constexpr int kCannot = 1;

struct Request {
  std::string trace;
  std::string policy = "none";
  int64_t window = 8 << 20;
  int64_t in_flight = 12;
  int64_t ahead = 64 << 20;
  bool think = true;
  bool cold = false;
  std::string json;
  std::string model;
  bool has_policy = false;
  EngineOptions engine;
};

sim::ReplayPolicy PolicyOf(const std::string& name) {
  if (name == "fixed") return sim::ReplayPolicy::kFixed;
  if (name == "ahead") return sim::ReplayPolicy::kAhead;
  if (name == "oracle") return sim::ReplayPolicy::kOracle;
  return sim::ReplayPolicy::kNone;
}

Options ValuesOf(const EngineOptions& given) {
  Options options;
  for (size_t row = 0; row < kOptionCount; ++row) {
    const std::string value = given.Get(OptionAt(row).name);
    // Paths and globs say nothing to a replay, and were checked when they were given.
    if (!value.empty() && OptionAt(row).kind != OptionKind::kText) SetOption(options, row, value.c_str());
  }
  return options;
}

nlohmann::ordered_json JsonOf(const Request& request, const sim::TraceWorkload& trace,
                              const sim::ReplayResult& result) {
  nlohmann::ordered_json json;
  json["policy"] = request.policy;
  json["reads"] = result.reads;
  json["bytes"] = result.bytes.value;
  json["elapsed_ns"] = result.elapsed.value;
  json["first_second_bytes"] = result.first_second_bytes.value;
  json["longest_read_ns"] = result.longest_read.value;
  json["waited_reads"] = result.waited_reads;
  json["short_reads"] = result.short_reads;
  json["failed_reads"] = result.failed_reads;
  json["files"] = result.files;
  json["threads"] = result.threads;
  json["ahead_pieces"] = result.ahead.pieces;
  json["ahead_bytes"] = result.ahead.bytes.value;
  json["ahead_dropped_pieces"] = result.ahead.dropped_pieces;
  json["left_out_reads"] = trace.failed_reads + trace.mapped_reads + trace.pathless_reads;
  json["in_flight"] = request.in_flight;
  json["is_cold"] = request.cold;
  json["has_think_time"] = request.think;
  return json;
}

std::string TableOf(const Request& request, const sim::TraceWorkload& trace, const sim::ReplayResult& result) {
  const double seconds = static_cast<double>(result.elapsed.value) / 1e9;
  const double megabytes = static_cast<double>(result.bytes.value) / 1e6;
  std::string text = absl::StrFormat("policy   %s\n", request.policy);
  absl::StrAppendFormat(&text, "reads    %d of %d files, in %d threads\n", result.reads, result.files, result.threads);
  absl::StrAppendFormat(&text, "time     %.6f s, %.1f us a read, longest %.3f ms, %d waited\n", seconds,
                        result.reads > 0 ? seconds * 1e6 / static_cast<double>(result.reads) : 0.0,
                        static_cast<double>(result.longest_read.value) / 1e6, result.waited_reads);
  absl::StrAppendFormat(&text, "bytes    %.3f MB, %.1f MB/s, in the first second %.3f MB\n", megabytes,
                        seconds > 0 ? megabytes / seconds : 0.0,
                        static_cast<double>(result.first_second_bytes.value) / 1e6);
  absl::StrAppendFormat(&text, "ahead    %d pieces, %.3f MB, %d pieces not taken by the kernel\n", result.ahead.pieces,
                        static_cast<double>(result.ahead.bytes.value) / 1e6, result.ahead.dropped_pieces);
  if (const uint64_t left = trace.failed_reads + trace.mapped_reads + trace.pathless_reads; left > 0)
    absl::StrAppendFormat(&text,
                          "left out %d reads: %d failed or unfinished, %d of mappings, %d of files without a path\n",
                          left, trace.failed_reads, trace.mapped_reads, trace.pathless_reads);
  return text;
}

int Fail(const std::string& message) { return Complain(kName, message), kCannot; }

int Put(const std::string& path, const std::string& text) {
  const absl::Status written = WriteOutput(path, text);
  return written.ok() ? 0 : Fail(std::string(written.message()));
}

// Puts the table on stdout, and the JSON where it was asked for; if that is stdout, alone.
int PutResult(const Request& request, const std::string& table, const nlohmann::ordered_json& json) {
  if (request.json != "-") {
    if (const int failed = Put("", table); failed != 0) return failed;
  }
  return request.json.empty() ? 0 : Put(request.json, json.dump() + "\n");
}

int ReplayOnModel(const Request& request) {
  DryReplay dry;
  dry.trace = request.trace;
  dry.model = request.model;
  if (request.has_policy) dry.policy = request.policy;
  dry.window = {request.window};
  dry.engine = ValuesOf(request.engine);
  const absl::StatusOr<ScoreRow> row = ReplayDry(dry);
  if (!row.ok()) return Fail(std::string(row.status().message()));
  return PutResult(request, FormatReplay(*row), JsonOf(ScoreTable{{*row}}));
}

int Replay(const Request& request) {
  if (!request.model.empty()) return ReplayOnModel(request);
  const absl::StatusOr<TraceContents> contents = ReadTrace(request.trace);
  if (!contents.ok()) return Fail(std::string(contents.status().message()));
  const sim::TraceWorkload trace = sim::WorkloadFrom(*contents);
  if (trace.work.steps.empty()) return Fail(absl::StrCat(request.trace, ": holds no read that could be performed"));
  if (contents->dropped_records > 0) {
    Complain(kName, absl::StrCat(request.trace, ": incomplete: ", contents->dropped_records,
                                 " records did not fit when it was made"));
  }

  sim::ReplayOptions options;
  options.policy = PolicyOf(request.policy);
  options.window = {request.window};
  options.in_flight = static_cast<int>(request.in_flight);
  options.ahead = {request.ahead};
  options.engine = ValuesOf(request.engine);
  options.think = request.think;
  options.cold = request.cold;
  const absl::StatusOr<sim::ReplayResult> result = sim::ReplayForReal(trace.work, options);
  if (!result.ok()) return Fail(std::string(result.status().message()));

  const int failed = PutResult(request, TableOf(request, trace, *result), JsonOf(request, trace, *result));
  if (failed != 0) return failed;
  if (result->failed_reads > 0) return Fail(absl::StrCat(result->failed_reads, " reads failed"));
  return 0;
}

}  // namespace

void AddReplayCommand(CLI::App& app, int& exit_status) {
  const auto request = std::make_shared<Request>();
  CLI::App* replay = app.add_subcommand("replay", "Perform the reads of a trace again, under another policy");
  SetUsage(*replay,
           "ahead replay [--policy none|fixed|ahead|oracle] [--cold] [--json FILE] TRACE\n"
           "       ahead replay --model MODEL [--policy none|kernel|fixed|ahead|oracle] [--json FILE] TRACE");
  replay->footer(
      "none: plain reads. fixed: a fixed window ahead of every reader. ahead: the engine. oracle: perfect knowledge "
      "of\n"
      "the trace, the most that any engine could do on this disk. The files must be there with their recorded sizes.\n"
      "With --model nothing is read: a simulated machine reads from a simulated disk, with the think times of the\n"
      "recording, and all policies are shown unless one is named.\n" +
      DescribeModels() + "Exit status: 0; 1 when the trace or its files cannot be used; 2 on bad usage.");
  replay->add_option("TRACE", request->trace, "made by `ahead record` or AHEAD_TRACE")->required();
  CLI::Option* policy = AddChoice(*replay, "--policy", request->policy, {"none", "kernel", "fixed", "ahead", "oracle"},
                                  "what is fetched ahead; kernel: with --model");
  replay->add_option("--window", request->window, "fixed: how far ahead")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::PositiveNumber)
      ->default_str("8MiB")
      ->type_name("SIZE");
  CLI::Option* in_flight =
      AddWholeNumber(*replay, "--in-flight", request->in_flight, 1, 1024, "oracle: requests at a time");
  CLI::Option* ahead = replay->add_option("--ahead", request->ahead, "oracle: most that is fetched and not yet read")
                           ->transform(CLI::AsSizeValue(false))
                           ->check(CLI::PositiveNumber)
                           ->default_str("64MiB")
                           ->type_name("SIZE");
  CLI::Option* think =
      replay->add_flag("--think,!--no-think", request->think,
                       "wait between reads as long as the program did (default); or not at all: --no-think");
  CLI::Option* cold = replay->add_flag("--cold", request->cold, "take the files out of memory first, and make sure");
  replay->add_option("--json", request->json, "write the figures there as one line of JSON; -: to stdout, and no table")
      ->type_name("FILE");
  replay->add_option("--model", request->model, "read nothing: simulate that device")
      ->check(CLI::Validator(CheckModel, ""))
      ->excludes(in_flight, ahead, think, cold)
      ->type_name("MODEL");
  AddEngineOptions(*replay, request->engine);
  replay->callback([request, policy, &exit_status] {
    request->has_policy = policy->count() > 0;
    if (request->model.empty() && request->policy == "kernel")
      throw CLI::ValidationError("--policy", "kernel is for --model: on real files the kernel is always there");
    exit_status = Replay(*request);
  });
}

}  // namespace ahead::cli
