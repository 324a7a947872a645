// The output of darshan-dxt-parser: a head of comment lines for each file and rank, then a line an access.
//
//   # DXT, file_id: 8515199880342690440, file_name: /scratch/data
//   # DXT, rank: 0, hostname: node1
//   # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
//    X_POSIX       0   read        0               0         1048576      4.8324      4.8436
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stats/text.h"
#include "stats/trace_import.h"

namespace ahead {
namespace {

constexpr std::string_view kFileName = ", file_name: ";
constexpr size_t kColumns = 8;  // what follows are the storage targets of Lustre
// Takes `text`, all of it, as a number.
template <typename Number>
bool TakeNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

constexpr double kLongestRun = 1e9;  // seconds

class Reader {
 public:
  TraceImport Run(std::string_view text) {
    ForEachLine(text, [&](std::string_view line) { Take(line); });
    Finish();
    return std::move(out_);
  }

 private:
  void Take(std::string_view line) {
    ++out_.lines;
    const size_t name = line.find(kFileName);
    if (line.starts_with("# DXT, file_id:") && name != std::string_view::npos)
      path_ = std::string(line.substr(name + kFileName.size()));
    line = WithoutSpaces(line);
    if (line.empty() || line[0] == '#') return;
    if (!TakeAccess(WordsOf(line)) && out_.misread_lines++ == 0) out_.first_misread_line = out_.lines;
  }

  bool TakeAccess(const std::vector<std::string_view>& columns) {
    int32_t rank = 0;
    int64_t offset = 0, length = 0;
    double begin = 0, end = 0;
    if (columns.size() < kColumns || path_.empty() || !columns[0].starts_with("X_") || !TakeNumber(columns[1], rank) ||
        rank < 0 || rank == INT32_MAX || (columns[2] != "read" && columns[2] != "write") ||
        !TakeNumber(columns[4], offset) || !TakeNumber(columns[5], length) || length < 0 ||
        length > kLargestFile.value || offset > kLargestFile.value || !TakeNumber(columns[6], begin) ||
        !TakeNumber(columns[7], end) || !(begin >= 0) || !(end >= begin) || end > kLongestRun)
      return false;
    if (columns[0] != "X_POSIX") return ++out_.other_records, true;
    if (offset >= 0) {
      ByteCount& size = sizes_[path_];
      size = std::max(size, ByteCount{offset + length});
    }
    if (columns[2] == "write") return ++out_.other_records, true;
    if (offset < 0) return ++out_.unplaced_reads, true;
    Add(rank, offset, length, NanosOf(begin), NanosOf(end));
    return true;
  }

  static Nanos NanosOf(double seconds) { return {std::llround(seconds * 1e9)}; }

  void Add(int32_t rank, int64_t offset, int64_t length, Nanos begin, Nanos end) {
    TraceContents& contents = out_.contents;
    const int32_t pid = rank + 1;  // 0 is nobody's
    const auto [entry, is_new] = files_.try_emplace({rank, path_}, static_cast<uint32_t>(contents.files.size()));
    if (is_new) {
      TracedFile file;
      file.path = path_;
      file.pid = pid;
      file.time = begin;
      contents.files.push_back(std::move(file));
    }
    TracedRead read;
    read.file = entry->second;
    read.tid = pid;
    read.description = entry->second;
    read.range = {{offset}, {offset + std::min<int64_t>(length, INT32_MAX)}};
    read.time = begin;
    read.end = end;
    read.duration = end - begin;
    read.completed = true;
    read.returned = read.range.size();
    contents.reads.push_back(read);
  }

  void Finish() {
    TraceContents& contents = out_.contents;
    contents.page = {4096};
    std::stable_sort(contents.reads.begin(), contents.reads.end(),
                     [](const TracedRead& a, const TracedRead& b) { return a.time < b.time; });
    // Where an arm would find them is not told: in the order of their names.
    std::map<std::string, uint64_t> inodes;
    for (const TracedFile& file : contents.files) inodes[file.path] = 0;
    uint64_t number = 0;
    for (auto& [path, inode] : inodes) inode = ++number;
    for (TracedFile& file : contents.files) {
      file.inode = inodes[file.path];
      file.size = sizes_[file.path];
      if (!file.path.starts_with("/")) ++out_.relative_paths;
    }
    std::map<int32_t, uint32_t> processes;  // by rank + 1
    std::vector<bool> is_met(contents.files.size());
    std::map<uint32_t, std::pair<int32_t, Nanos>> last;
    for (TracedRead& read : contents.reads) {
      read.fresh = !is_met[read.file];
      read.facts.file_size = contents.files[read.file].size;
      if (read.fresh) AddEvent(TraceKind::kOpen, read.file, read.tid, read.time);
      is_met[read.file] = true;
      Nanos& end = last[read.file].second;
      last[read.file].first = read.tid;
      end = std::max(end, read.end);
      if (processes.try_emplace(read.tid, static_cast<uint32_t>(contents.processes.size())).second) {
        TracedProcess process;
        process.pid = read.tid;
        process.time = read.time;
        contents.processes.push_back(process);
      }
    }
    for (TracedFile& file : contents.files) file.process = processes[file.pid];
    for (const auto& [file, end] : last) AddEvent(TraceKind::kClose, file, end.first, end.second);
    std::stable_sort(contents.events.begin(), contents.events.end(),
                     [](const TracedEvent& a, const TracedEvent& b) { return a.time < b.time; });
  }

  void AddEvent(TraceKind kind, uint32_t file, int32_t tid, Nanos time) {
    TracedEvent event;
    event.kind = kind;
    event.file = file;
    event.tid = tid;
    event.description = file;
    event.opened_here = kind == TraceKind::kOpen;
    event.time = time;
    out_.contents.events.push_back(event);
  }

  TraceImport out_;
  std::string path_;
  std::map<std::pair<int32_t, std::string>, uint32_t> files_;  // by rank and path
  std::map<std::string, ByteCount> sizes_;
};

}  // namespace

TraceImport ImportDxt(std::string_view text) { return Reader().Run(text); }

}  // namespace ahead
