#include "stats/trace_anonymize.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ahead {
namespace {

// Endings that many have: which kind of data it is says how it is read, and nothing about whose it is.
bool IsCommonEnding(std::string_view ending) {
  static const std::set<std::string_view> kCommon = {
      "a",   "avi", "bin", "bz2",  "c",   "cc",  "conf", "cpp",  "csv", "dat",  "db",  "deb", "exr",  "flac", "gz",
      "h",   "h5",  "hpp", "html", "idx", "iso", "jpeg", "jpg",  "js",  "json", "log", "m4a", "mkv",  "mov",  "mp3",
      "mp4", "nc",  "npy", "npz",  "o",   "ogg", "orc",  "pack", "pdf", "png",  "pt",  "py",  "pyc",  "rev",  "rlib",
      "rs",  "so",  "sql", "tar",  "tgz", "tif", "tiff", "ts",   "txt", "wav",  "xml", "xz",  "yaml", "zip",  "zst"};
  return kCommon.contains(ending);
}

// Gives each key a number from 1 on, in the order of appearance.
template <typename Key>
class Numbers {
 public:
  uint64_t Of(const Key& key) { return numbers_.try_emplace(key, numbers_.size() + 1).first->second; }

 private:
  std::unordered_map<Key, uint64_t> numbers_;
};

class Names {
 public:
  std::string Of(const std::string& path) {
    if (path.empty()) return path;
    std::string given;
    for (size_t at = 0; at <= path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      if (end > at) given += Part(path.substr(0, end), path.substr(at, end - at), end == path.size());
      if (end < path.size()) given += '/';
      at = end + 1;
    }
    return given;
  }

 private:
  // Numbered by what stands before it as well, or equal names in different folders would say so.
  std::string Part(const std::string& original, const std::string& name, bool is_last) {
    std::string given(1, is_last ? 'f' : 'd');
    given += std::to_string((is_last ? files_ : folders_).Of(original));
    const size_t dot = name.rfind('.');
    if (is_last && dot != std::string::npos && IsCommonEnding(std::string_view(name).substr(dot + 1)))
      given.append(name, dot);
    return given;
  }

  Numbers<std::string> folders_;
  Numbers<std::string> files_;
};

// Returns the rank of each value, from 1 on.
std::map<uint64_t, uint64_t> RanksOf(const std::set<uint64_t>& values) {
  std::map<uint64_t, uint64_t> ranks;
  for (const uint64_t value : values) ranks.emplace_hint(ranks.end(), value, ranks.size() + 1);
  return ranks;
}

}  // namespace

void Anonymize(TraceContents& trace) {
  Names names;
  Numbers<int32_t> ids;
  const auto id_of = [&](int32_t id) { return id == 0 ? 0 : static_cast<int32_t>(ids.Of(id)); };
  std::set<uint64_t> devices, inodes;
  for (const TracedFile& file : trace.files) devices.insert(file.device), inodes.insert(file.inode);
  for (const TracedEvent& event : trace.events)
    if (event.kind == TraceKind::kEntry) inodes.insert(event.inode);
  const std::map<uint64_t, uint64_t> device_ranks = RanksOf(devices), inode_ranks = RanksOf(inodes);

  int64_t first = INT64_MAX;
  const auto see = [&](Nanos time) { first = std::min(first, time.value); };
  for (const TracedProcess& process : trace.processes) see(process.time);
  for (const TracedFile& file : trace.files) see(file.time);
  for (const TracedRead& read : trace.reads) see(read.time);
  for (const TracedEvent& event : trace.events) see(event.time);
  const auto shift = [&](Nanos& time) { time = {std::max<int64_t>(0, time.value - first)}; };

  for (TracedProcess& process : trace.processes) {
    process.pid = id_of(process.pid);
    shift(process.time);
  }
  // A parent outside the trace is nobody.
  std::set<int32_t> inside;
  for (const TracedProcess& process : trace.processes) inside.insert(process.pid);
  for (TracedProcess& process : trace.processes) {
    process.parent_pid = id_of(process.parent_pid);
    if (!inside.contains(process.parent_pid)) process.parent_pid = 0;
  }
  for (TracedFile& file : trace.files) {
    file.path = names.Of(file.path);
    file.pid = id_of(file.pid);
    file.device = device_ranks.at(file.device);
    file.inode = inode_ranks.at(file.inode);
    shift(file.time);
  }
  for (TracedRead& read : trace.reads) {
    read.tid = id_of(read.tid);
    shift(read.time);
    if (read.completed) shift(read.end);
    if (read.outcome.known) shift(read.outcome.time);
    for (TracedBatch& batch : read.batches)
      for (TracedBatch::Piece& piece : batch.pieces) shift(piece.asked_at);
  }
  for (TracedEvent& event : trace.events) {
    event.tid = id_of(event.tid);
    if (event.kind == TraceKind::kEntry) event.inode = inode_ranks.at(event.inode);
    shift(event.time);
  }
  trace.monotonic_start = trace.realtime_start = {};
}

}  // namespace ahead
