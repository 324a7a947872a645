#include "cli/lab_traces.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/trace_workload.h"
#include "stats/trace_reader.h"

namespace ahead::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".trace";

// Returns the traces of a folder, by name.
std::vector<std::string> TracesIn(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == kEnding) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

// Returns bench/traces of the source tree in which the program was built; empty when there is none above it.
fs::path OwnTraces() {
  std::error_code ignored;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    if (!TracesIn(folder / "bench/traces").empty()) return folder / "bench/traces";
    if (folder == folder.root_path()) break;
  }
  return {};
}

absl::StatusOr<std::vector<std::string>> Expand(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  if (paths.empty()) {
    const fs::path own = OwnTraces();
    if (own.empty()) return absl::NotFoundError("no bench/traces/*.trace above the program; name traces or a folder");
    return TracesIn(own);
  }
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> found = TracesIn(path);
    if (found.empty()) return absl::NotFoundError(absl::StrCat(path, ": holds no *.trace"));
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

bool IsPredictable(const fs::path& trace) {
  std::ifstream list(trace.parent_path() / "predictable.txt");
  if (!list) return true;
  for (std::string name; list >> name;)
    if (name == trace.stem()) return true;
  return false;
}

std::string Missing(const std::string& name, const TraceContents& contents, const sim::TraceWorkload& taken) {
  std::string text;
  if (contents.dropped_records > 0) absl::StrAppend(&text, "; ", contents.dropped_records, " records did not fit");
  // A read that failed did so in the program too.
  const auto unfinished = std::count_if(contents.reads.begin(), contents.reads.end(), [](const TracedRead& read) {
    return !read.completed && read.kind != TraceAccessKind::kMapped;
  });
  if (unfinished > 0) absl::StrAppend(&text, "; ", unfinished, " reads did not end");
  if (taken.pathless_reads > 0)
    absl::StrAppend(&text, "; ", taken.pathless_reads, " reads are of files without a path");
  return text.empty() ? "" : absl::StrCat(name, ": incomplete", text);
}

}  // namespace

absl::StatusOr<LabTraces> LoadTraces(const std::vector<std::string>& paths) {
  const absl::StatusOr<std::vector<std::string>> files = Expand(paths);
  if (!files.ok()) return files.status();
  LabTraces traces;
  std::set<std::string> met;
  for (const std::string& file : *files) {
    const absl::StatusOr<TraceContents> contents = ReadTrace(file);
    if (!contents.ok()) return contents.status();
    sim::TraceWorkload taken = sim::WorkloadFrom(*contents, sim::Taken::kEverything);
    const auto reads = [](const sim::WorkStep& step) { return sim::Reads(step); };
    if (std::none_of(taken.work.steps.begin(), taken.work.steps.end(), reads))
      return absl::InvalidArgumentError(absl::StrCat(file, ": holds no read that could be performed"));
    const fs::path path(file);
    std::string name = path.extension() == kEnding ? path.stem().string() : path.filename().string();
    if (!met.insert(name).second) met.insert(name = file);
    if (std::string missing = Missing(name, *contents, taken); !missing.empty()) traces.remarks.push_back(missing);
    traces.names.push_back(name);
    traces.works.push_back(std::move(taken.work));
    traces.is_predictable.push_back(IsPredictable(path));
  }
  return traces;
}

}  // namespace ahead::cli
