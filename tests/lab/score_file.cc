#include "tests/lab/score_file.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/trace_workload.h"
#include "stats/trace_reader.h"

namespace ahead::lab_test {
namespace {

struct Column {
  const char* name;
  int64_t (*of)(const sim::LabScore&);
  bool is_shown;  // in what is said about a difference
};

constexpr Column kColumns[] = {
    {"time_ns", [](const sim::LabScore& score) { return score.elapsed.value; }, true},
    {"reads", [](const sim::LabScore& score) { return score.reads; }, false},
    {"waits", [](const sim::LabScore& score) { return score.waits; }, false},
    {"requests", [](const sim::LabScore& score) { return score.requests; }, true},
    {"bytes", [](const sim::LabScore& score) { return score.bytes.value; }, true},
    {"wasted", [](const sim::LabScore& score) { return score.wasted_bytes.value; }, true},
    {"repeated", [](const sim::LabScore& score) { return score.repeated_bytes.value; }, false},
    {"peak", [](const sim::LabScore& score) { return score.peak_ahead.value; }, true},
    {"decisions", [](const sim::LabScore& score) { return static_cast<int64_t>(score.decisions); }, false},
};

std::string LineOf(const sim::LabScore& score) {
  std::string line;
  for (const Column& column : kColumns) line += std::string(column.name) + " " + std::to_string(column.of(score)) + " ";
  char digest[32];
  std::snprintf(digest, sizeof(digest), "digest %016" PRIx64, score.digest);
  return line + digest;
}

// Returns the number behind `name` in a line; -1 when it is not there.
int64_t NumberIn(const std::string& line, const std::string& name) {
  std::istringstream words(line);
  for (std::string word, value; words >> word >> value;)
    if (word == name) return std::strtoll(value.c_str(), nullptr, 10);
  return -1;
}

// As `ahead score --against` judges: more than 1 % more time or bytes is lost, as much less of one of them gained.
const char* Verdict(const std::string& was, const sim::LabScore& is) {
  const auto change = [&](const char* name, int64_t now) {
    const int64_t before = NumberIn(was, name);
    return before <= 0 ? 0 : static_cast<double>(now - before) / static_cast<double>(before);
  };
  const double time = change("time_ns", is.elapsed.value), bytes = change("bytes", is.bytes.value);
  if (time > 0.01 || bytes > 0.01) return "LOST   ";
  return time < -0.01 || bytes < -0.01 ? "gained " : "       ";
}

}  // namespace

std::vector<NamedTrace> CommittedTraces() {
  std::vector<NamedTrace> traces;
  for (const auto& entry : std::filesystem::directory_iterator(AHEAD_TRACES_FOLDER))
    if (entry.path().extension() == ".trace") traces.push_back({entry.path().stem(), entry.path()});
  std::sort(traces.begin(), traces.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return traces;
}

sim::Workload Load(const NamedTrace& trace) {
  const absl::StatusOr<TraceContents> contents = ReadTrace(trace.path);
  if (!contents.ok()) {
    std::fprintf(stderr, "%s\n", std::string(contents.status().message()).c_str());
    std::exit(1);
  }
  return sim::WorkloadFrom(*contents, sim::Taken::kEverything).work;
}

Scores Measure(const sim::Workload& work) {
  Scores scores;
  for (const sim::LabDevice& device : sim::LabDevices())
    for (const sim::LabPolicy& policy : sim::LabPolicies())
      scores.emplace_back(device.name + " " + policy.name, sim::RunCell(work, device, policy));
  return scores;
}

std::string Write(const Scores& scores) {
  std::string text;
  for (const auto& [cell, score] : scores) text += cell + ": " + LineOf(score) + "\n";
  return text;
}

std::string GoldenPath(const std::string& name) { return std::string(AHEAD_GOLDEN_FOLDER) + "/" + name + ".txt"; }

std::map<std::string, std::string> ReadGolden(const std::string& name) {
  std::map<std::string, std::string> lines;
  std::ifstream file(GoldenPath(name));
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) lines[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return lines;
}

std::string Difference(const std::string& cell, const std::string& was, const sim::LabScore& is) {
  if (was.empty()) return cell + ": new\n";
  if (was == LineOf(is)) return "";
  std::string said = Verdict(was, is) + cell + ":";
  for (const Column& column : kColumns) {
    const int64_t before = NumberIn(was, column.name), now = column.of(is);
    if (before == now || !column.is_shown) continue;
    char text[128];
    const double percent = before == 0 ? 100 : 100.0 * static_cast<double>(now - before) / static_cast<double>(before);
    std::snprintf(text, sizeof(text), " %s %" PRId64 " -> %" PRId64 " (%+.2f %%)", column.name, before, now, percent);
    said += text;
  }
  return said + (said.back() == ':' ? " other decisions, the same result\n" : "\n");
}

}  // namespace ahead::lab_test
