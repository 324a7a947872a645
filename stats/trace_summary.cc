#include "stats/trace_summary.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "stats/byte_set.h"

namespace ahead {
namespace {

using Counts = std::unordered_map<int64_t, uint64_t>;
constexpr size_t kCommonValues = 4;

size_t BucketOf(int64_t size) {
  constexpr int64_t kBounds[] = {100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30};
  return static_cast<size_t>(std::upper_bound(std::begin(kBounds), std::end(kBounds), size) - std::begin(kBounds));
}

// The most frequent first; of equally frequent ones the smaller, so that the order is always the same.
std::vector<CommonValue> MostFrequent(const Counts& counts) {
  std::vector<CommonValue> values;
  for (const auto& [value, count] : counts) values.push_back({value, count});
  const size_t kept = std::min(kCommonValues, values.size());
  std::partial_sort(values.begin(), values.begin() + static_cast<ptrdiff_t>(kept), values.end(),
                    [](const CommonValue& a, const CommonValue& b) {
                      return std::make_tuple(b.count, a.value) < std::make_tuple(a.count, b.value);
                    });
  values.resize(kept);
  return values;
}

struct FileState {
  FileSummary summary;
  ByteSet seen;
  Counts strides;
  Counts sizes;
  std::vector<int64_t> runs;
};

struct Reader {
  AccessPattern pattern;
  ByteOffset end;
  ByteCount run;
};

class Summarizer {
 public:
  explicit Summarizer(const TraceContents& trace) : trace_(trace) {}

  TraceSummary Run() {
    // In one order of time, because a description's number is used again after its end.
    size_t event = 0;
    for (const TracedRead& read : trace_.reads) {
      for (; event < trace_.events.size() && trace_.events[event].time <= read.time; ++event) Add(trace_.events[event]);
      Add(read);
    }
    for (; event < trace_.events.size(); ++event) Add(trace_.events[event]);
    for (const auto& [key, reader] : readers_) EndRun(files_[std::get<3>(key)], reader);
    Finish();
    return std::move(out_);
  }

 private:
  using ReaderKey = std::tuple<int32_t, uint32_t, uint32_t, uint32_t>;  // pid, description, its use, file

  uint32_t FileOf(const TracedFile& file) {
    const auto [entry, is_new] =
        numbers_.try_emplace({file.device, file.inode, file.path}, static_cast<uint32_t>(files_.size()));
    if (is_new) {
      FileSummary& summary = files_.emplace_back().summary;
      summary.path = file.path;
      summary.device = file.device;
      summary.inode = file.inode;
    }
    FileSummary& summary = files_[entry->second].summary;
    summary.size = std::max(summary.size, file.size);
    return entry->second;
  }

  void Note(Nanos begin, Nanos end) {
    out_.begin = has_time_ ? std::min(out_.begin, begin) : begin;
    out_.end = has_time_ ? std::max(out_.end, end) : end;
    has_time_ = true;
  }

  void Add(const TracedEvent& event) {
    const TracedFile& file = trace_.files[event.file];
    AccessSummary& access = files_[FileOf(file)].summary.access;
    threads_.emplace(file.pid, event.tid);
    Note(event.time, event.time);
    uint32_t& use = use_of_[{file.pid, event.description}];
    switch (event.kind) {
      case TraceKind::kOpen:
        ++access.opens;
        ++use;
        break;
      case TraceKind::kClose:
        ++access.closes;
        ++use;
        break;
      case TraceKind::kAdvice:
        ++access.advice;
        break;
      case TraceKind::kSeek:
        ++access.seeks;
        break;
      case TraceKind::kMapping:
        ++access.mappings;
        break;
      case TraceKind::kUnmapping:
        ++access.unmappings;
        break;
      case TraceKind::kEntry:
        ++access.entries;
        break;
      default:
        ++access.other_events;
    }
  }

  void Add(const TracedRead& read) {
    const TracedFile& traced = trace_.files[read.file];
    const uint32_t number = FileOf(traced);
    FileState& file = files_[number];
    AccessSummary& access = file.summary.access;
    file.summary.size = std::max(file.summary.size, read.facts.file_size);
    threads_.emplace(traced.pid, read.tid);
    Note(read.time, read.completed ? std::max(read.time, read.end) : read.time);
    access.absorbed_reads += read.absorbed ? 1 : 0;
    access.unseen_reads += read.unseen ? 1 : 0;
    access.decisions += read.decision.empty() ? 0 : 1;
    access.asked_pieces += read.outcome.asked;
    // What the engine decided when a range was mapped; nothing was read by a call.
    if (read.kind == TraceAccessKind::kMapped && !read.completed)
      return void(++access.kinds[static_cast<size_t>(read.kind)]);
    if (!read.completed) return void(++access.unfinished_reads);
    const auto [last, is_first] = last_end_.try_emplace({traced.pid, read.tid}, read.end);
    if (!is_first) {
      if (read.time >= last->second) think_.push_back((read.time - last->second).value);
      last->second = std::max(last->second, read.end);
    }
    if (read.error != 0) return void(++access.failed_reads);

    ++access.reads;
    const auto kind = static_cast<size_t>(read.kind);
    if (kind < kAccessKindCount) ++access.kinds[kind];
    access.read_time = access.read_time + read.duration;
    const ByteRange range{read.range.begin, read.range.begin + ByteCount{std::max<int64_t>(read.returned.value, 0)}};
    if (access.reads == 1 || read.duration > access.slowest.duration) access.slowest = {number, range, read.duration};
    Place(file, range, {traced.pid, read.description, use_of_[{traced.pid, read.description}], number});
  }

  void Place(FileState& file, ByteRange range, const ReaderKey& key) {
    AccessSummary& access = file.summary.access;
    ++access.sizes[BucketOf(range.size().value)];
    if (range.empty()) return void(++access.empty_reads);
    access.bytes += range.size();
    access.again_bytes += range.size() - file.seen.Add(range);
    access.end = std::max(access.end, range.end);
    ++file.sizes[range.size().value];

    const auto [entry, is_new] = readers_.try_emplace(key);
    Reader& reader = entry->second;
    if (is_new) ++access.readers;
    const Step step = reader.pattern.Next(range);
    ++access.steps[static_cast<size_t>(step)];
    if (!is_new && range.begin >= reader.end) ++access.forward_reads;
    if (step != Step::kFirst && step != Step::kConsecutive) {
      ++file.strides[reader.pattern.distance().value];
      EndRun(file, reader);
      reader.run = {};
    }
    reader.run += range.size();
    reader.end = range.end;
  }

  static void EndRun(FileState& file, const Reader& reader) { file.runs.push_back(reader.run.value); }

  void Finish() {
    std::vector<uint32_t> order(files_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return files_[a].summary.access.bytes > files_[b].summary.access.bytes;
    });
    Counts strides, sizes;
    std::vector<int64_t> runs;
    for (uint32_t position = 0; position < order.size(); ++position) {
      FileState& file = files_[order[position]];
      AccessSummary& access = file.summary.access;
      access.slowest.file = position;
      access.common_strides = MostFrequent(file.strides);
      access.common_sizes = MostFrequent(file.sizes);
      for (const auto& [value, count] : file.strides) strides[value] += count;
      for (const auto& [value, count] : file.sizes) sizes[value] += count;
      runs.insert(runs.end(), file.runs.begin(), file.runs.end());
      access.run_bytes = QuantilesOf(std::move(file.runs));
      Sum(access);
      out_.files.push_back(std::move(file.summary));
    }
    out_.all.common_strides = MostFrequent(strides);
    out_.all.common_sizes = MostFrequent(sizes);
    out_.all.run_bytes = QuantilesOf(std::move(runs));
    std::set<int32_t> processes;
    for (const TracedProcess& process : trace_.processes) processes.insert(process.pid);
    for (const auto& [pid, tid] : threads_) processes.insert(pid);
    out_.processes = processes.size();
    out_.threads = threads_.size();
    out_.think = QuantilesOf(std::move(think_));
    MeasureConcurrency();
    out_.records = trace_.records;
    out_.dropped_records = trace_.dropped_records;
    out_.broken_records = trace_.broken_records;
    out_.unknown_records = trace_.unknown_records;
  }

  void Sum(const AccessSummary& one) {
    AccessSummary& all = out_.all;
    if (one.reads > 0 && (all.reads == 0 || one.slowest.duration > all.slowest.duration)) all.slowest = one.slowest;
    all.reads += one.reads;
    all.empty_reads += one.empty_reads;
    all.failed_reads += one.failed_reads;
    all.unfinished_reads += one.unfinished_reads;
    all.bytes += one.bytes;
    all.again_bytes += one.again_bytes;
    for (size_t i = 0; i < kStepCount; ++i) all.steps[i] += one.steps[i];
    for (size_t i = 0; i < kSizeBucketCount; ++i) all.sizes[i] += one.sizes[i];
    for (size_t i = 0; i < kAccessKindCount; ++i) all.kinds[i] += one.kinds[i];
    all.forward_reads += one.forward_reads;
    all.end = std::max(all.end, one.end);
    all.read_time = all.read_time + one.read_time;
    all.readers += one.readers;
    all.opens += one.opens;
    all.closes += one.closes;
    all.advice += one.advice;
    all.seeks += one.seeks;
    all.mappings += one.mappings;
    all.unmappings += one.unmappings;
    all.entries += one.entries;
    all.other_events += one.other_events;
    all.absorbed_reads += one.absorbed_reads;
    all.unseen_reads += one.unseen_reads;
    all.decisions += one.decisions;
    all.asked_pieces += one.asked_pieces;
  }

  void MeasureConcurrency() {
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends;
    int64_t last = 0;
    Concurrency& concurrency = out_.concurrency;
    const auto pass = [&](int64_t now) {
      const Nanos elapsed{now - last};
      if (!ends.empty()) concurrency.busy = concurrency.busy + elapsed;
      if (ends.size() > 1) concurrency.concurrent = concurrency.concurrent + elapsed;
      last = now;
    };
    const auto leave_until = [&](int64_t now) {
      while (!ends.empty() && ends.top() <= now) {
        pass(ends.top());
        ends.pop();
      }
    };
    for (const TracedRead& read : trace_.reads) {
      if (!read.completed) continue;
      leave_until(read.time.value);
      pass(read.time.value);
      ends.push(std::max(read.end, read.time).value);
      concurrency.most = std::max<uint64_t>(concurrency.most, ends.size());
    }
    leave_until(INT64_MAX);
  }

  const TraceContents& trace_;
  TraceSummary out_;
  std::vector<FileState> files_;
  std::map<std::tuple<uint64_t, uint64_t, std::string>, uint32_t> numbers_;
  std::map<ReaderKey, Reader> readers_;
  std::map<std::pair<int32_t, uint32_t>, uint32_t> use_of_;
  std::map<std::pair<int32_t, int32_t>, Nanos> last_end_;  // by thread
  std::set<std::pair<int32_t, int32_t>> threads_;
  std::vector<int64_t> think_;
  bool has_time_ = false;
};

}  // namespace

TraceSummary Summarize(const TraceContents& trace) { return Summarizer(trace).Run(); }

}  // namespace ahead
