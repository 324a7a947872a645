#include "sim/trace_workload.h"

#include <algorithm>
#include <map>
#include <set>
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
  Builder(const TraceContents& trace, Taken taken) : trace_(trace), taken_(taken) {}

  TraceWorkload Build() {
    // In one order of time, because a description's number is used again after its end.
    size_t event = 0;
    for (const TracedRead& read : trace_.reads) {
      for (; event < trace_.events.size() && trace_.events[event].time <= read.time; ++event)
        Follow(trace_.events[event]);
      Add(read);
    }
    for (; event < trace_.events.size(); ++event) Follow(trace_.events[event]);
    out_.work.readers = readers_.size();
    out_.work.threads = threads_.size();
    out_.work.processes = std::max<uint32_t>(1, processes_.size());
    return std::move(out_);
  }

 private:
  void Follow(const TracedEvent& event) {
    const int32_t pid = trace_.files[event.file].pid;
    if (event.kind == TraceKind::kOpen) ++use_of_[{pid, event.description}];
    if (taken_ == Taken::kEverything) AddEvent(event);
    if (event.kind == TraceKind::kClose) ++use_of_[{pid, event.description}];
  }

  void AddEvent(const TracedEvent& event) {
    const TracedFile& file = trace_.files[event.file];
    if (file.path.empty() || event.kind == TraceKind::kEntry || event.kind == TraceKind::kSeek ||
        event.kind == TraceKind::kUnmapping)
      return;
    WorkStep step;
    step.file = FileOf(file);
    step.reader = ReaderOf(file, event.description, step.file);
    step.thread = ThreadOf(file, event.tid);
    step.begin = step.end = event.time;
    step.range = event.range;
    switch (event.kind) {
      case TraceKind::kOpen:
        step.kind = StepKind::kOpen;
        step.fresh = event.opened_here;
        if (step.fresh) unread_.insert(step.reader);
        break;
      case TraceKind::kClose:
        step.kind = StepKind::kClose;
        break;
      case TraceKind::kAdvice:
        step.kind = StepKind::kAdvise;
        step.advice = AdviceOf(event.advice);
        break;
      default:
        step.kind = StepKind::kMap;
    }
    out_.work.steps.push_back(step);
    if (step.kind == StepKind::kMap) Touch(step);
  }

  void Touch(WorkStep step) {
    constexpr ByteCount kFaultAround{64 << 10};
    const ByteOffset end = Clipped(out_.work, step).end;
    step.kind = StepKind::kTouch;
    for (ByteOffset at = step.range.begin; at < end; at = at + kFaultAround) {
      step.range = {at, std::min(at + kFaultAround, end)};
      out_.work.steps.push_back(step);
    }
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
    WorkStep work;
    work.file = FileOf(file);
    WorkFile& met = out_.work.files[work.file];
    met.size = std::max(met.size, read.facts.file_size);
    if (read.facts.kernel_leads) met.kernel_leads = true;
    work.reader = ReaderOf(file, read.description, work.file);
    work.thread = ThreadOf(file, read.tid);
    work.fresh = read.fresh;
    work.advice = read.advice;
    // What was returned says more than what was asked for: a FILE or a vector of buffers asks for less or more than is
    // known before the call.
    work.range = read.range;
    if (read.returned.value > 0) work.range.end = work.range.begin + read.returned;
    work.begin = read.time;
    work.end = read.end;
    // Of a read that nobody watched the trace does not say whether it was the first.
    if (unread_.erase(work.reader) > 0 && read.unseen && work.range.size() < met.size) work.fresh = true;
    out_.work.steps.push_back(work);
  }

  // The size is the largest seen: a file that grew is replayed as it was in the end.
  uint32_t FileOf(const TracedFile& file) {
    const auto [index, is_new] = files_.Of({file.device, file.inode, file.path});
    if (is_new) out_.work.files.push_back({file.path, file.device, file.inode, file.size});
    ByteCount& size = out_.work.files[index].size;
    size = std::max(size, file.size);
    return index;
  }

  uint32_t ReaderOf(const TracedFile& file, uint32_t description, uint32_t index) {
    return readers_.Of({file.pid, description, use_of_[{file.pid, description}], index}).first;
  }

  uint32_t ThreadOf(const TracedFile& file, int32_t tid) {
    const auto [thread, is_new] = threads_.Of({file.pid, tid});
    if (is_new) out_.work.process_of.push_back(processes_.Of(file.pid).first);
    return thread;
  }

  const TraceContents& trace_;
  const Taken taken_;
  TraceWorkload out_;
  Numbers<std::tuple<uint64_t, uint64_t, std::string>> files_;
  Numbers<std::tuple<int32_t, uint32_t, uint32_t, uint32_t>> readers_;  // pid, description, its use, file
  Numbers<std::pair<int32_t, int32_t>> threads_;
  Numbers<int32_t> processes_;
  std::map<std::pair<int32_t, uint32_t>, uint32_t> use_of_;
  std::set<uint32_t> unread_;  // readers of descriptions opened here
};

}  // namespace

TraceWorkload WorkloadFrom(const TraceContents& trace, Taken taken) { return Builder(trace, taken).Build(); }

}  // namespace ahead::sim
