#include "stats/trace_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stats/trace_chunks.h"
#include "stats/trace_clock.h"
#include "stats/trace_decode.h"

namespace ahead {
namespace {

// Brings things into the order of their times, those of the same time in the order they are in. They are large: each is
// moved once.
template <typename Thing>
void SortByTime(std::vector<Thing>& things) {
  const auto by_time = [](const Thing& a, const Thing& b) { return a.time < b.time; };
  if (std::is_sorted(things.begin(), things.end(), by_time)) return;
  std::vector<size_t> order(things.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return by_time(things[a], things[b]); });
  std::vector<Thing> sorted;
  sorted.reserve(things.size());
  for (const size_t index : order) sorted.push_back(std::move(things[index]));
  things = std::move(sorted);
}

// Puts together what the chunks of a trace hold.
class Parser {
 public:
  Parser(const TraceChunks& trace, TraceContents& out) : trace_(trace), clock_(trace), out_(out) {}

  // Returns an empty text, or why not: what it will come to must not be more than `most`.
  std::string Run(ByteCount most) {
    // What is named first, because a thread may name what another one introduced.
    for (const TraceChunkView& chunk : trace_.chunks) Visit(chunk, [&](const RecordView& record) { Name(record); });
    // They may have to be sorted, and their order as well.
    constexpr int64_t kBytesARead = 2 * sizeof(TracedRead) + sizeof(size_t);
    const auto wanted = static_cast<int64_t>(read_count_) * kBytesARead;
    if (wanted > most.value)
      return absl::StrCat("holds ", read_count_, " reads, which take ", wanted >> 20, " MiB of memory, and ",
                          most.value >> 20, " MiB are free: record less, or with a smaller --capacity");
    out_.reads.reserve(read_count_);
    for (const TraceChunkView& chunk : trace_.chunks) {
      Begin(chunk);
      Visit(chunk, [&](const RecordView& record) { Take(record); });
    }
    SortByTime(out_.reads);
    SortByTime(out_.events);
    const auto by_sequence = [](const TracedCall& a, const TracedCall& b) {
      return std::pair(a.process, a.sequence) < std::pair(b.process, b.sequence);
    };
    std::stable_sort(out_.calls.begin(), out_.calls.end(), by_sequence);
    return "";
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Where a thread is in time.
  struct Place {
    Nanos floor;                // its last record ended then
    std::vector<size_t> timed;  // its reads since the last record with an exact time, which are timed in ticks
  };

  static uint64_t Key(uint32_t process, uint32_t number) { return uint64_t{process} << 32 | number; }
  uint64_t ThreadKey() const { return Key(chunk_->head.process, static_cast<uint32_t>(chunk_->head.tid)); }

  // Calls `take` with each record of the chunk, as far as they make sense.
  template <typename Visitor>
  void Visit(const TraceChunkView& chunk, Visitor visitor) {
    chunk_ = &chunk;
    for (size_t at = 0; at < chunk.bytes;) {
      const RecordView record(chunk.records + at, chunk.bytes - at);
      // Where one does not end where the next begins, nothing can be told of the rest.
      if (!record.is_whole()) return visitor(RecordView());
      visitor(record);
      at += record.bytes();
    }
  }

  void Broken() { ++out_.broken_records; }

  void Name(const RecordView& record) {
    if (record.kind() != TraceKind::kNothing) ++out_.records;
    if (record.kind() == TraceKind::kRead || record.kind() == TraceKind::kSimilar || record.kind() == TraceKind::kPlan)
      ++read_count_;
    switch (record.kind()) {
      case TraceKind::kProcess:
        return AddProcess(record);
      case TraceKind::kFile:
        return AddFile(record);
      case TraceKind::kOpen:
        if (TraceEventRecord open; record.At(0, open))
          file_of_description_[Key(chunk_->head.process, open.head.number)] = open.file;
        return;
      default:
        return;
    }
  }

  void AddProcess(const RecordView& record) {
    TraceProcessRecord head;
    const bool is_there = record.At(0, head);
    if (!is_there || !IsTraceTime(head.time_ns)) return Broken();
    TracedProcess process;
    process.pid = chunk_->head.pid;
    process.parent_pid = head.parent_pid;
    process.time = {head.time_ns};
    process.next_sequence = head.next_sequence;
    ReadOptions(record.Text(sizeof(head), head.text_bytes), process);
    const auto [place, is_new] =
        process_of_.try_emplace(head.head.number, static_cast<uint32_t>(out_.processes.size()));
    if (!is_new) return Broken();
    parent_number_[head.head.number] = head.parent;
    const auto parent = process_of_.find(head.parent);
    if (head.parent != kNoTraceId && parent != process_of_.end()) process.parent = static_cast<int32_t>(parent->second);
    out_.processes.push_back(process);
  }

  void AddFile(const RecordView& record) {
    TraceFileRecord head;
    const bool is_there = record.At(0, head);
    if (!is_there || !IsTraceTime(head.time_ns) || head.path_bytes > kTraceMaxPath) return Broken();
    TracedFile file;
    file.path = record.Text(sizeof(head), head.path_bytes);
    file.pid = chunk_->head.pid;
    file.time = {head.time_ns};
    file.device = head.device;
    file.inode = head.inode;
    file.size = {std::max<int64_t>(head.size_bytes, 0)};
    file.mount = head.mount;
    AddFile(chunk_->head.process, head.head.number, std::move(file));
  }

  uint32_t AddFile(uint32_t process, TraceId number, TracedFile file) {
    const auto found = process_of_.find(process);
    file.process = found == process_of_.end() ? kNone : found->second;
    const auto index = static_cast<uint32_t>(out_.files.size());
    if (!file_of_.try_emplace(Key(process, number), index).second) {
      Broken();
      return kNone;
    }
    out_.files.push_back(std::move(file));
    return index;
  }

  // Returns the index of a file that this chunk's process knows by `number`, also from before the fork that made it.
  uint32_t FileOf(TraceId number) {
    const uint32_t self = chunk_->head.process;
    const auto known = file_of_.find(Key(self, number));
    if (known != file_of_.end()) return known->second;
    const uint32_t inherited = Inherited(file_of_, number);
    if (inherited == kNone) return kNone;
    TracedFile copy = out_.files[inherited];
    copy.pid = chunk_->head.pid;
    return AddFile(self, number, std::move(copy));
  }

  // The same of a file that a description is of.
  uint32_t FileOfDescription(uint32_t description) {
    const auto own = file_of_description_.find(Key(chunk_->head.process, description));
    if (own != file_of_description_.end()) return FileOf(own->second);
    const uint32_t number = Inherited(file_of_description_, description);
    return number == kNone ? kNone : FileOf(number);
  }

  // Looks `number` up in the forebears of this chunk's process.
  uint32_t Inherited(const std::unordered_map<uint64_t, uint32_t>& of, uint32_t number) const {
    constexpr int kMostForebears = 1000;  // damaged traces may have circles
    auto parent = parent_number_.find(chunk_->head.process);
    for (int i = 0; i < kMostForebears && parent != parent_number_.end(); ++i) {
      const auto found = of.find(Key(parent->second, number));
      if (found != of.end()) return found->second;
      parent = parent_number_.find(parent->second);
    }
    return kNone;
  }

  void Begin(const TraceChunkView& chunk) {
    chunk_ = &chunk;
    has_facts_ = has_read_ = false;
    place_ = &thread_[ThreadKey()];
  }

  void Take(const RecordView& record) {
    switch (record.kind()) {
      case TraceKind::kProcess:
      case TraceKind::kFile:
        return;
      case TraceKind::kOpen:
      case TraceKind::kClose:
      case TraceKind::kSeek:
      case TraceKind::kAdvice:
      case TraceKind::kMapping:
      case TraceKind::kUnmapping:
      case TraceKind::kEntry:
        return AddEvent(record);
      case TraceKind::kRead:
        return AddRead(record);
      case TraceKind::kSimilar:
        return AddSimilar(record);
      case TraceKind::kFacts:
        has_facts_ = DecodeFacts(record, facts_);
        return has_facts_ ? void() : Broken();
      case TraceKind::kPlan:
        return AddPlan(record);
      case TraceKind::kIssued:
        return AddBatch(record);
      case TraceKind::kFinish:
        return AddFinish(record);
      case TraceKind::kForget:
      case TraceKind::kRenewed:
        return AddCall(record);
      case TraceKind::kNothing:
        return Broken();
    }
    ++out_.unknown_records;
  }

  void AddEvent(const RecordView& record) {
    TraceEventRecord head;
    const bool is_there = record.At(0, head);
    if (!is_there) return Broken();
    const uint32_t file = head.file != kNoTraceId ? FileOf(head.file) : FileOfDescription(head.head.number);
    const bool is_entry = record.kind() == TraceKind::kEntry;
    if (file == kNone || !IsTraceTime(head.time_ns) ||
        (!is_entry && !IsTraceRange(head.offset_bytes, head.length_bytes)) || (head.sequence != 0 && !has_facts_))
      return Broken();
    TracedEvent event;
    event.kind = record.kind();
    event.file = file;
    event.tid = chunk_->head.tid;
    event.description = head.head.number;
    event.opened_here = (head.head.flags & TraceEventRecord::kOpenedHere) != 0;
    event.advice = static_cast<int>(head.advice);
    event.sequence = head.sequence;
    if (head.sequence != 0) event.facts = facts_;
    if (is_entry) {
      event.inode = static_cast<uint64_t>(head.offset_bytes);
    } else {
      event.range = {{head.offset_bytes}, {head.offset_bytes + head.length_bytes}};
    }
    if (TraceRun run; record.At(sizeof(head), run) && !DecodeRun(run, event.settled)) return Broken();
    event.time = {head.time_ns};
    Advance(event.time);
    out_.events.push_back(event);
  }

  void AddRead(const RecordView& record) {
    has_read_ = record.At(0, last_read_);
    if (!has_read_) return Broken();
    TraceId number = kNoTraceId;
    if ((last_read_.head.flags & TraceReadRecord::kHasFile) != 0) record.At(sizeof(last_read_), number);
    AddRead(last_read_, number);
  }

  void AddSimilar(const RecordView& record) {
    TraceSimilarRecord similar;
    if (!record.At(0, similar) || !has_read_) return Broken();
    TraceReadRecord read = last_read_;
    read.head = similar.head;
    read.begin_ticks += similar.after_ticks;
    read.duration_ticks = similar.duration_ticks;
    read.offset_bytes = similar.offset_bytes;
    read.returned_bytes = static_cast<int32_t>(std::min<uint32_t>(read.asked_bytes, INT32_MAX));
    AddRead(read, kNoTraceId);
  }

  void AddRead(const TraceReadRecord& head, TraceId number) {
    const uint32_t file = number != kNoTraceId ? FileOf(number) : FileOfDescription(head.head.number);
    const Nanos begin = clock_.TimeOf(chunk_->head, head.begin_ticks);
    const Nanos duration = clock_.DurationOf(chunk_->head, head.duration_ticks);
    const int64_t returned = std::max(head.returned_bytes, 0);
    if (file == kNone || !IsTraceTime(begin.value) || !IsTraceTime(duration.value) ||
        (head.head.flags & TraceReadRecord::kAccess) > static_cast<uint8_t>(TraceAccessKind::kMapped) ||
        !IsTraceRange(head.offset_bytes, std::max<int64_t>(head.asked_bytes, returned)))
      return Broken();
    TracedRead read;
    read.file = file;
    read.tid = chunk_->head.tid;
    read.description = head.head.number;
    read.kind = static_cast<TraceAccessKind>(head.head.flags & TraceReadRecord::kAccess);
    read.advice = static_cast<HostAdvice>(head.head.flags >> TraceReadRecord::kAdviceShift & 3);
    read.unseen = (head.head.flags & TraceReadRecord::kUnseen) != 0;
    read.absorbed = !read.unseen;
    read.range = {{head.offset_bytes}, {head.offset_bytes + head.asked_bytes}};
    // Not before what its thread did before, whatever the conversion of ticks says.
    read.time = clock_.has_ticks() ? std::max(begin, place_->floor) : begin;
    read.completed = (head.head.flags & TraceReadRecord::kUnfinished) == 0;
    if (read.completed) {
      read.returned = {returned};
      read.duration = duration;
      read.end = read.time + duration;
      read.error = head.returned_bytes < 0 ? EIO : 0;
      place_->floor = read.end;
      if (clock_.has_ticks()) place_->timed.push_back(out_.reads.size());
    }
    out_.reads.push_back(std::move(read));
  }

  // The thread is at `time` for certain: what it did before is over, whatever the conversion of ticks says.
  void Advance(Nanos time) {
    if (!clock_.has_ticks()) return;
    std::vector<size_t>& timed = place_->timed;
    for (; !timed.empty() && out_.reads[timed.back()].end > time; timed.pop_back()) {
      TracedRead& read = out_.reads[timed.back()];
      read.time = std::min(read.time, time);
      read.end = time;
      read.duration = read.end - read.time;
    }
    timed.clear();
    place_->floor = time;
  }

  void AddPlan(const RecordView& record) {
    TracedRead read;
    TracePlanRecord head;
    const bool is_there = record.At(0, head);
    if (!is_there || !has_facts_ || !DecodePlan(record, head, read)) return Broken();
    const uint32_t file = head.file != kNoTraceId ? FileOf(head.file) : FileOfDescription(head.head.number);
    if (file == kNone) return Broken();
    read.file = file;
    read.tid = chunk_->head.tid;
    read.facts = facts_;
    if (!read_of_.try_emplace({chunk_->head.process, head.sequence}, out_.reads.size()).second) return Broken();
    Advance(read.time);
    out_.reads.push_back(std::move(read));
  }

  TracedRead* ReadOf(uint64_t plan) {
    const auto found = read_of_.find({chunk_->head.process, plan});
    if (found == read_of_.end()) return nullptr;
    return &out_.reads[found->second];
  }

  void AddBatch(const RecordView& record) {
    TraceIssuedRecord head;
    const bool is_there = record.At(0, head);
    TracedRead* read = !is_there ? nullptr : ReadOf(head.plan);
    TracedBatch batch;
    if (read == nullptr || !DecodeBatch(record, head, batch)) return Broken();
    for (const TracedBatch::Piece& piece : batch.pieces) {
      read->outcome.Add(piece.outcome);
      read->outcome.time = piece.asked_at;
    }
    read->outcome.known = true;
    read->batches.push_back(std::move(batch));
  }

  void AddFinish(const RecordView& record) {
    TraceFinishRecord head;
    const bool is_there = record.At(0, head);
    TracedRead* read = !is_there ? nullptr : ReadOf(head.plan);
    if (read == nullptr || !IsTraceTime(head.time_ns) || !IsTraceTime(head.duration_ns) ||
        head.begin_bytes != read->range.begin.value || head.end_bytes < head.begin_bytes)
      return Broken();
    read->completed = true;
    read->returned = {head.end_bytes - head.begin_bytes};
    read->end = {head.time_ns};
    read->duration = {head.duration_ns};
    read->error = head.error;
    read->finish_sequence = head.sequence;
    Advance(read->end);
  }

  void AddCall(const RecordView& record) {
    TraceCallRecord head;
    const bool is_there = record.At(0, head);
    const auto process = process_of_.find(chunk_->head.process);
    if (!is_there || process == process_of_.end()) return Broken();
    TracedCall call;
    call.kind = record.kind();
    call.process = process->second;
    call.sequence = head.sequence;
    if (call.kind == TraceKind::kForget) {
      call.file = FileOf(head.head.number);
      if (call.file == kNone || !has_facts_) return Broken();
      call.facts = facts_;
    } else {
      call.mount = head.head.number;
    }
    out_.calls.push_back(call);
  }

  struct PairHash {
    size_t operator()(const std::pair<uint32_t, uint64_t>& key) const {
      return std::hash<uint64_t>()(key.second * 0x9e3779b97f4a7c15 ^ key.first);
    }
  };

  const TraceChunks& trace_;
  const TraceClock clock_;
  TraceContents& out_;
  std::unordered_map<uint32_t, uint32_t> process_of_;     // by number
  std::unordered_map<uint32_t, uint32_t> parent_number_;  // the same
  std::unordered_map<uint64_t, uint32_t> file_of_;        // by process and number
  std::unordered_map<uint64_t, uint32_t> file_of_description_;
  std::unordered_map<std::pair<uint32_t, uint64_t>, size_t, PairHash> read_of_;  // by process and sequence
  std::unordered_map<uint64_t, Place> thread_;
  // Of the chunk that is visited.
  const TraceChunkView* chunk_ = nullptr;
  uint64_t read_count_ = 0;
  bool has_facts_ = false;
  Facts facts_;
  bool has_read_ = false;
  TraceReadRecord last_read_{};
  Place* place_ = nullptr;
};

// Returns what the kernel takes to be free for the asking, without bound where it does not say.
ByteCount FreeMemory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  int64_t kilobytes = 0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> kilobytes) return {kilobytes << 10};
  return {INT64_MAX};
}

}  // namespace

HostAdvice AdviceOf(int number) {
  switch (number) {
    case POSIX_FADV_SEQUENTIAL:
      return HostAdvice::kSequential;
    case POSIX_FADV_RANDOM:
      return HostAdvice::kRandom;
    case POSIX_FADV_NOREUSE:
      return HostAdvice::kNoReuse;
    case POSIX_FADV_WILLNEED:
      return HostAdvice::kWillNeed;
    case POSIX_FADV_DONTNEED:
      return HostAdvice::kDontNeed;
    default:
      return HostAdvice::kNormal;
  }
}

absl::StatusOr<TraceContents> ParseTrace(const std::string& name, const char* bytes, size_t size, ByteCount most) {
  const absl::StatusOr<TraceChunks> trace = FindChunks(name, bytes, size);
  if (!trace.ok()) return trace.status();
  TraceContents contents;
  contents.page = {trace->header.page_bytes};
  contents.monotonic_start = {trace->header.monotonic_ns};
  contents.realtime_start = {trace->header.realtime_ns};
  contents.dropped_records = trace->header.dropped_records;
  if (const std::string why = Parser(*trace, contents).Run(most); !why.empty())
    return absl::ResourceExhaustedError(absl::StrCat(name, ": ", why));
  contents.broken_records += trace->broken;
  return contents;
}

absl::StatusOr<TraceContents> ReadTrace(const std::string& path) {
  // Asked first: a pipe that nobody writes to would be waited for.
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  // One that is still written to keeps its size: it was reserved. A size may be claimed that no memory holds.
  TraceHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  file.clear();
  file.seekg(0);
  std::string bytes(BytesInUse(header, std::filesystem::file_size(path, ignored)), 0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return ParseTrace(path, bytes.data(), bytes.size(), FreeMemory());
}

}  // namespace ahead
