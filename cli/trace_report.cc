#include "cli/trace_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/amounts.h"

namespace ahead::cli {
namespace {

using Json = nlohmann::ordered_json;

uint64_t StepsOf(const AccessSummary& access) {
  uint64_t sum = 0;
  for (const uint64_t count : access.steps) sum += count;
  return sum;
}

std::string StepShare(const AccessSummary& access, Step step) {
  const uint64_t followers = StepsOf(access) - access.steps[static_cast<size_t>(Step::kFirst)];
  return FormatShare(access.steps[static_cast<size_t>(step)], followers);
}

std::string Name(const FileSummary& file) { return file.path.empty() ? "(path not known)" : file.path; }

std::string Spread(const Quantiles& quantiles, std::string (*format)(int64_t)) {
  if (quantiles.count == 0) return "none";
  return absl::StrCat("median ", format(quantiles.median), ", 90 % ", format(quantiles.p90), ", 99 % ",
                      format(quantiles.p99), ", most ", format(quantiles.most));
}

std::string Bytes(int64_t bytes) { return FormatBytes(bytes); }
std::string Time(int64_t nanos) { return FormatTime({nanos}); }

std::string Common(const std::vector<CommonValue>& values) {
  if (values.empty()) return "none";
  return absl::StrJoin(values, ", ", [](std::string* out, const CommonValue& common) {
    absl::StrAppend(out, common.count, " x ", FormatBytes(common.value));
  });
}

// Returns "NAME COUNT" of what is not 0.
template <typename Count, size_t kCount>
std::string Named(const std::array<Count, kCount>& counts, const char* const (&names)[kCount]) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < kCount; ++i)
    if (counts[i] != 0) parts.push_back(absl::StrCat(names[i], " ", counts[i]));
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

void Line(std::string& text, const char* name, const std::string& value) {
  absl::StrAppendFormat(&text, "%-14s %s\n", name, value);
}

std::string Records(const TraceSummary& summary) {
  std::string text = absl::StrCat(summary.records);
  if (summary.dropped_records > 0) absl::StrAppend(&text, ", ", summary.dropped_records, " more did not fit");
  if (summary.broken_records > 0) absl::StrAppend(&text, ", ", summary.broken_records, " of them broken");
  if (summary.unknown_records > 0) absl::StrAppend(&text, ", ", summary.unknown_records, " of an unknown kind");
  return text;
}

void DescribeAll(std::string& text, const TraceSummary& summary) {
  const AccessSummary& all = summary.all;
  Line(text, "records", Records(summary));
  Line(text, "files",
       absl::StrCat(summary.files.size(), ", by ", summary.processes, " processes, ", summary.threads, " threads, ",
                    all.readers, " descriptions read"));
  Line(text, "span", FormatTime(summary.end - summary.begin));
  Line(text, "reads",
       absl::StrCat(all.reads, ", ", FormatBytes(all.bytes), "; ", all.empty_reads, " at end of file, ",
                    all.failed_reads, " failed, ", all.unfinished_reads, " unfinished"));
  Line(text, "read again",
       absl::StrCat(FormatBytes(all.again_bytes), ", ",
                    FormatShare(static_cast<uint64_t>(all.again_bytes.value), static_cast<uint64_t>(all.bytes.value))));
  std::vector<std::string> steps;
  for (const Step step : {Step::kConsecutive, Step::kSequential, Step::kStrided, Step::kBackward, Step::kRandom})
    steps.push_back(absl::StrCat(kStepNames[static_cast<size_t>(step)], " ", StepShare(all, step)));
  Line(text, "steps", absl::StrJoin(steps, ", "));
  Line(text, "sizes", Named(all.sizes, kSizeBucketNames));
  Line(text, "common sizes", Common(all.common_sizes));
  Line(text, "strides", Common(all.common_strides));
  Line(text, "runs", absl::StrCat(all.run_bytes.count, "; ", Spread(all.run_bytes, Bytes)));
  Line(text, "think times", Spread(summary.think, Time));
  const Concurrency& together = summary.concurrency;
  Line(text, "at a time",
       absl::StrCat(
           "at most ", together.most, " reads; two or more in ",
           FormatShare(static_cast<uint64_t>(together.concurrent.value), static_cast<uint64_t>(together.busy.value)),
           " of ", FormatTime(together.busy), " with any"));
  Line(text, "calls", Named(all.kinds, kAccessKindNames));
  Line(text, "events",
       absl::StrCat("opens ", all.opens, ", closes ", all.closes, ", seeks ", all.seeks, ", advice ", all.advice,
                    ", mappings ", all.mappings, ", unmappings ", all.unmappings, ", folder entries ", all.entries,
                    ", others ", all.other_events));
  Line(text, "engine",
       absl::StrCat("let pass ", all.absorbed_reads, " reads, decided ", all.decisions, " times to fetch, asked for ",
                    all.asked_pieces, " pieces"));
  if (all.reads > 0)
    Line(text, "slowest read",
         absl::StrCat(FormatTime(all.slowest.duration), ", ", all.slowest.range.size().value, " bytes at ",
                      all.slowest.range.begin.value, " of ", Name(summary.files[all.slowest.file])));
}

Json JsonOf(const std::vector<CommonValue>& values) {
  Json json = Json::array();
  for (const CommonValue& common : values) json.push_back({{"bytes", common.value}, {"count", common.count}});
  return json;
}

Json JsonOf(const Quantiles& quantiles) {
  return {{"count", quantiles.count},   {"total", quantiles.total}, {"least", quantiles.least},
          {"median", quantiles.median}, {"p90", quantiles.p90},     {"p99", quantiles.p99},
          {"most", quantiles.most}};
}

template <typename Count, size_t kCount>
Json JsonOf(const std::array<Count, kCount>& counts, const char* const (&names)[kCount]) {
  Json json = Json::object();
  for (size_t i = 0; i < kCount; ++i) json[names[i]] = counts[i];
  return json;
}

Json JsonOf(const AccessSummary& access) {
  Json json;
  json["reads"] = access.reads;
  json["empty_reads"] = access.empty_reads;
  json["failed_reads"] = access.failed_reads;
  json["unfinished_reads"] = access.unfinished_reads;
  json["bytes"] = access.bytes.value;
  json["again_bytes"] = access.again_bytes.value;
  json["end_bytes"] = access.end.value;
  json["readers"] = access.readers;
  json["steps"] = JsonOf(access.steps, kStepNames);
  json["forward_reads"] = access.forward_reads;
  json["sizes"] = JsonOf(access.sizes, kSizeBucketNames);
  json["common_sizes"] = JsonOf(access.common_sizes);
  json["common_strides"] = JsonOf(access.common_strides);
  json["run_bytes"] = JsonOf(access.run_bytes);
  json["read_time_ns"] = access.read_time.value;
  json["slowest_read"] = {{"ns", access.slowest.duration.value},
                          {"offset", access.slowest.range.begin.value},
                          {"bytes", access.slowest.range.size().value},
                          {"file", access.slowest.file}};
  json["calls"] = JsonOf(access.kinds, kAccessKindNames);
  json["opens"] = access.opens;
  json["closes"] = access.closes;
  json["advice"] = access.advice;
  json["seeks"] = access.seeks;
  json["mappings"] = access.mappings;
  json["unmappings"] = access.unmappings;
  json["folder_entries"] = access.entries;
  json["other_events"] = access.other_events;
  json["absorbed_reads"] = access.absorbed_reads;
  json["unseen_reads"] = access.unseen_reads;
  json["decisions"] = access.decisions;
  json["asked_pieces"] = access.asked_pieces;
  return json;
}

}  // namespace

std::string DescribeTrace(const TraceSummary& summary, size_t files) {
  std::string text;
  DescribeAll(text, summary);
  const size_t shown = std::min(files, summary.files.size());
  if (shown == 0) return text;
  absl::StrAppendFormat(&text, "\n%9s %11s %11s %7s %7s %7s %7s %7s %11s  %s\n", "reads", "bytes", "again", "consec",
                        "sequent", "strided", "backwd", "random", "median run", "file");
  for (size_t i = 0; i < shown; ++i) {
    const FileSummary& file = summary.files[i];
    const AccessSummary& access = file.access;
    absl::StrAppendFormat(&text, "%9d %11s %11s %7s %7s %7s %7s %7s %11s  %s\n", access.reads,
                          FormatBytes(access.bytes), FormatBytes(access.again_bytes),
                          StepShare(access, Step::kConsecutive), StepShare(access, Step::kSequential),
                          StepShare(access, Step::kStrided), StepShare(access, Step::kBackward),
                          StepShare(access, Step::kRandom), FormatBytes(access.run_bytes.median), Name(file));
  }
  if (shown < summary.files.size())
    absl::StrAppend(&text, "and ", summary.files.size() - shown, " more files; --all shows them\n");
  return text;
}

nlohmann::ordered_json JsonOfTrace(const TraceSummary& summary, size_t files) {
  Json json;
  json["records"] = summary.records;
  json["dropped_records"] = summary.dropped_records;
  json["broken_records"] = summary.broken_records;
  json["unknown_records"] = summary.unknown_records;
  json["processes"] = summary.processes;
  json["threads"] = summary.threads;
  json["begin_ns"] = summary.begin.value;
  json["span_ns"] = (summary.end - summary.begin).value;
  json["think_ns"] = JsonOf(summary.think);
  json["most_at_a_time"] = summary.concurrency.most;
  json["busy_ns"] = summary.concurrency.busy.value;
  json["concurrent_ns"] = summary.concurrency.concurrent.value;
  json["all"] = JsonOf(summary.all);
  json["file_count"] = summary.files.size();
  json["files"] = Json::array();
  for (size_t i = 0; i < std::min(files, summary.files.size()); ++i) {
    const FileSummary& file = summary.files[i];
    Json row = {{"path", file.path}, {"device", file.device}, {"inode", file.inode}, {"size", file.size.value}};
    row.update(JsonOf(file.access));
    json["files"].push_back(std::move(row));
  }
  return json;
}

}  // namespace ahead::cli
