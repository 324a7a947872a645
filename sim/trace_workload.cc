#include "sim/trace_workload.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ahead::sim {
namespace {

// Gives each key a number, in the order of appearance.
template <typename Key>
class Numbers {
 public:
  // Returns the number, and whether it is new.
  std::pair<uint32_t, bool> Of(const Key& key) {
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size()));
    return {entry->second, is_new};
  }
  uint32_t size() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  std::map<Key, uint32_t> numbers_;
};

class Builder {
 public:
  explicit Builder(const TraceContents& trace) : trace_(trace) {}

  TraceWorkload Build() {
    // In one order of time, because a description's number is used again after its end.
    size_t event = 0;
    for (const TracedRead& read : trace_.reads) {
      for (; event < trace_.events.size() && trace_.events[event].time <= read.time; ++event)
        Follow(trace_.events[event]);
      Add(read);
    }
    out_.work.readers = readers_.size();
    out_.work.threads = threads_.size();
    return std::move(out_);
  }

 private:
  void Follow(const TracedEvent& event) {
    if (event.kind == TraceKind::kOpen || event.kind == TraceKind::kClose)
      ++use_of_[{trace_.files[event.file].pid, event.description}];
  }

  void Add(const TracedRead& read) {
    const TracedFile& file = trace_.files[read.file];
    if (read.kind == TraceAccessKind::kMapped) {
      ++out_.mapped_reads;
      return;
    }
    if (!read.completed || read.error != 0) {
      ++out_.failed_reads;
      return;
    }
    if (file.path.empty()) {
      ++out_.pathless_reads;
      return;
    }
    WorkRead work;
    work.file = FileOf(read, file);
    const auto [reader, is_new] =
        readers_.Of({file.pid, read.description, use_of_[{file.pid, read.description}], work.file});
    work.reader = reader;
    work.thread = threads_.Of({file.pid, read.tid}).first;
    work.fresh = read.fresh;
    work.advice = read.advice;
    // What was returned says more than what was asked for: a FILE or a vector of buffers asks for less or more than is
    // known before the call.
    work.range = read.range;
    if (read.returned.value > 0) work.range.end = work.range.begin + read.returned;
    work.begin = read.time;
    work.end = read.end;
    out_.work.reads.push_back(work);
  }

  // The size is the largest seen: a file that grew is replayed as it was in the end.
  uint32_t FileOf(const TracedRead& read, const TracedFile& file) {
    const auto [index, is_new] = files_.Of({file.device, file.inode, file.path});
    if (is_new) out_.work.files.push_back({file.path, file.device, file.inode, file.size});
    ByteCount& size = out_.work.files[index].size;
    if (size < file.size) size = file.size;
    if (size < read.facts.file_size) size = read.facts.file_size;
    if (read.facts.kernel_leads) out_.work.files[index].kernel_leads = true;
    return index;
  }

  const TraceContents& trace_;
  TraceWorkload out_;
  Numbers<std::tuple<uint64_t, uint64_t, std::string>> files_;
  Numbers<std::tuple<int32_t, uint32_t, uint32_t, uint32_t>> readers_;  // pid, description, its use, file
  Numbers<std::pair<int32_t, int32_t>> threads_;
  std::map<std::pair<int32_t, uint32_t>, uint32_t> use_of_;
};

}  // namespace

TraceWorkload WorkloadFrom(const TraceContents& trace) { return Builder(trace).Build(); }

}  // namespace ahead::sim
