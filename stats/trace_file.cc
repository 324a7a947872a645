#include "stats/trace_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stats/new_file.h"
#include "stats/trace_chunks.h"
#include "stats/trace_encode.h"

namespace ahead {
namespace {

// Files of a process that the contents do not have: they name its pid instead.
constexpr uint32_t kPidBit = 1u << 30;

// Fills chunks as the threads of a run would, one thread after the other.
class Packer {
 public:
  explicit Packer(const TraceContents& contents) : contents_(contents) {}

  std::string Pack() {
    TraceHeader header{};
    header.page_bytes = static_cast<uint32_t>(contents_.page.value);
    header.monotonic_ns = contents_.monotonic_start.value;
    header.realtime_ns = contents_.realtime_start.value;
    header.dropped_records = contents_.dropped_records;
    packed_ = PackedHeader(header);
    for (size_t i = 0; i < contents_.processes.size(); ++i) AddProcess(static_cast<uint32_t>(i));
    for (size_t i = 0; i < contents_.files.size(); ++i) AddFile(static_cast<uint32_t>(i));
    for (const auto& [thread, things] : Threads()) {
      auto event = things.events.begin();
      for (const uint32_t read : things.reads) {
        for (; event != things.events.end() && contents_.events[*event].time <= contents_.reads[read].time; ++event)
          AddEvent(contents_.events[*event]);
        AddRead(contents_.reads[read]);
      }
      for (; event != things.events.end(); ++event) AddEvent(contents_.events[*event]);
    }
    for (const TracedCall& call : contents_.calls) AddCall(call);
    CloseChunk();
    PutFrame();
    return std::move(packed_);
  }

 private:
  struct Things {
    std::vector<uint32_t> events;
    std::vector<uint32_t> reads;
  };

  uint32_t ProcessOf(uint32_t file) const {
    const TracedFile& named = contents_.files[file];
    return named.process < contents_.processes.size() ? named.process : kPidBit | static_cast<uint32_t>(named.pid);
  }

  std::map<std::pair<uint32_t, int32_t>, Things> Threads() const {
    std::map<std::pair<uint32_t, int32_t>, Things> threads;
    for (uint32_t i = 0; i < contents_.events.size(); ++i)
      threads[{ProcessOf(contents_.events[i].file), contents_.events[i].tid}].events.push_back(i);
    for (uint32_t i = 0; i < contents_.reads.size(); ++i)
      threads[{ProcessOf(contents_.reads[i].file), contents_.reads[i].tid}].reads.push_back(i);
    return threads;
  }

  // Makes room for `bytes` in a chunk of that thread.
  TraceCursor Room(uint32_t process, int32_t pid, int32_t tid, size_t bytes) {
    if (head_.process != process || head_.pid != pid || head_.tid != tid || used_ + bytes > kTraceChunkRoom ||
        head_.order == 0) {
      CloseChunk();
      head_ = {};
      head_.state = TraceChunk::kFull;
      head_.process = process;
      head_.pid = pid;
      head_.tid = tid;
      head_.order = ++order_;
      last_facts_ = TraceFactsRecord{};
    }
    return TraceCursor(records_ + used_);
  }
  TraceCursor RoomOf(uint32_t file, int32_t tid, size_t bytes) {
    return Room(ProcessOf(file), contents_.files[file].pid, tid, bytes);
  }
  void Done(const TraceCursor& cursor) { used_ = static_cast<size_t>(cursor.at() - records_); }

  void CloseChunk() {
    if (used_ == 0) return;
    head_.used_bytes = static_cast<uint32_t>(used_);
    chunks_.append(reinterpret_cast<const char*>(&head_), sizeof(head_));
    chunks_.append(records_, used_);
    used_ = 0;
    if (chunks_.size() > kTraceMaxFrameBytes / 4) PutFrame();
  }

  void PutFrame() {
    if (!chunks_.empty()) packed_ += PackFrame(chunks_);
    chunks_.clear();
  }

  void PutFacts(const Facts& facts, TraceCursor& out) {
    const TraceFactsRecord record = FactsRecord(facts);
    if (std::memcmp(&record, &last_facts_, sizeof(record)) == 0) return;
    last_facts_ = record;
    out.Put(record);
  }

  void AddProcess(uint32_t index) {
    const TracedProcess& process = contents_.processes[index];
    Options options = process.options;
    options.ratio = process.ratio;
    options.hit_rate = process.hit_rate;
    options.max = process.max.value;
    options.initial = process.initial.value;
    options.memory = process.memory.value;
    std::string text;
    const auto add = [&](const char* name, OptionKind kind, int64_t value) {
      if (kind != OptionKind::kText) absl::StrAppend(&text, name, "=", value, "\n");
    };
#define AHEAD_OPTION(name, kind, default_value, min, max, help) add(#name, OptionKind::kind, options.name);
#include "core/options.def"
#undef AHEAD_OPTION
    TraceProcessFacts facts;
    facts.number = index;
    if (process.parent >= 0) facts.parent = static_cast<uint32_t>(process.parent);
    facts.parent_pid = process.parent_pid;
    facts.next_sequence = process.next_sequence;
    facts.options = text.data();
    facts.options_bytes = text.size();
    TraceCursor out = Room(index, process.pid, 0, facts.bytes());
    Encode(facts, process.time, out);
    Done(out);
  }

  void AddFile(uint32_t index) {
    const TracedFile& file = contents_.files[index];
    const TraceFileFacts facts{index,      file.device,      file.inode,      file.size,
                               file.mount, file.path.data(), file.path.size()};
    TraceCursor out = RoomOf(index, 0, facts.bytes());
    Encode(facts, file.time, out);
    Done(out);
  }

  void AddEvent(const TracedEvent& event) {
    TraceEventFacts facts;
    facts.kind = event.kind;
    facts.description = event.description;
    facts.file = event.file;
    facts.opened_here = event.opened_here;
    facts.advice = static_cast<uint32_t>(event.advice);
    facts.sequence = event.sequence;
    const bool is_entry = event.kind == TraceKind::kEntry;
    facts.offset = is_entry ? static_cast<int64_t>(event.inode) : event.range.begin.value;
    facts.length = is_entry ? 0 : event.range.size().value;
    if (event.kind == TraceKind::kClose && event.sequence != 0) facts.run = &event.settled;
    TraceCursor out = RoomOf(event.file, event.tid, sizeof(TraceFactsRecord) + facts.bytes());
    if (event.sequence != 0) PutFacts(event.facts, out);
    Encode(facts, event.time, out);
    Done(out);
  }

  void AddRead(const TracedRead& read) {
    if (read.absorbed || read.unseen) return AddUnplanned(read);
    TracePlanFacts plan;
    plan.sequence = read.sequence != 0 ? read.sequence : TracePlanRecord::kNotCalled | ++uncalled_;
    plan.file = read.file;
    plan.description = read.description;
    plan.kind = read.kind;
    plan.access = {read.range, read.time, read.fresh, read.advice, read.own, read.hinted};
    plan.run = read.settled;
    plan.decision = read.decision;
    TraceCursor out = RoomOf(read.file, read.tid, sizeof(TraceFactsRecord) + plan.bytes());
    PutFacts(read.facts, out);
    Encode(plan, out);
    Done(out);
    for (const TracedBatch& batch : read.batches) AddBatch(read, batch, plan.sequence);
    if (!read.completed) return;
    out = RoomOf(read.file, read.tid, sizeof(TraceFinishRecord));
    const ByteRange got{read.range.begin, read.range.begin + read.returned};
    out.Put(FinishRecord(read.finish_sequence, plan.sequence, {got, read.end, read.duration}, read.error));
    Done(out);
  }

  void AddBatch(const TracedRead& read, const TracedBatch& batch, uint64_t plan) {
    const size_t bytes = sizeof(TraceIssuedRecord) + batch.pieces.size() * sizeof(TracePiece);
    TraceCursor out = RoomOf(read.file, read.tid, bytes);
    out.Put(TraceIssuedRecord{RecordHead(TraceKind::kIssued, bytes, 0), batch.sequence, plan, batch.first,
                              static_cast<int32_t>(batch.pieces.size())});
    for (const TracedBatch::Piece& piece : batch.pieces) out.Put(PieceRecord(piece.outcome, piece.asked_at));
    Done(out);
  }

  void AddUnplanned(const TracedRead& read) {
    constexpr size_t kBytes = sizeof(TraceReadRecord) + 8;
    auto flags = static_cast<uint8_t>(static_cast<uint8_t>(read.kind) | TraceReadRecord::kHasFile |
                                      (static_cast<uint8_t>(read.advice) & 3) << TraceReadRecord::kAdviceShift);
    if (read.unseen) flags |= TraceReadRecord::kUnseen;
    if (!read.completed) flags |= TraceReadRecord::kUnfinished;
    TraceCursor out = RoomOf(read.file, read.tid, kBytes);
    out.Put(TraceReadRecord{RecordHead(TraceKind::kRead, kBytes, read.description, flags),
                            static_cast<uint64_t>(read.time.value), static_cast<uint64_t>(read.duration.value),
                            read.range.begin.value, static_cast<uint32_t>(read.range.size().value),
                            read.error != 0 ? -1 : static_cast<int32_t>(read.returned.value)});
    out.Put(&read.file, sizeof(read.file));
    Done(out);
  }

  void AddCall(const TracedCall& call) {
    const bool is_forget = call.kind == TraceKind::kForget;
    TraceCursor out = Room(call.process, contents_.processes[call.process].pid, 0,
                           sizeof(TraceFactsRecord) + sizeof(TraceCallRecord));
    if (is_forget) PutFacts(call.facts, out);
    out.Put(TraceCallRecord{RecordHead(call.kind, sizeof(TraceCallRecord), is_forget ? call.file : call.mount),
                            call.sequence});
    Done(out);
  }

  const TraceContents& contents_;
  std::string packed_;
  std::string chunks_;  // of the next frame
  TraceChunk head_{};
  char records_[kTraceChunkRoom];
  size_t used_ = 0;
  uint64_t order_ = 0;
  uint64_t uncalled_ = 0;
  TraceFactsRecord last_facts_{};
};

// Returns what of a read a trace cannot hold; nothing when it can.
std::string WhyUnfit(const TracedRead& read) {
  if (read.range.begin.value < 0 || read.range.size().value < 0) return "a read ends before it begins";
  for (const TracedBatch& batch : read.batches)
    if (batch.pieces.size() > 256) return "a batch has more than 256 pieces";
  if (!read.absorbed && !read.unseen) return "";
  if (read.range.size().value > std::numeric_limits<uint32_t>::max()) return "a read is longer than 4 GiB";
  if (read.returned.value > std::numeric_limits<int32_t>::max()) return "a read returned 2 GiB or more";
  return read.time.value < 0 || read.duration.value < 0 ? "a read took less than no time" : "";
}

std::string WhyUnfit(const TraceContents& contents) {
  for (const TracedFile& file : contents.files)
    if (file.path.size() > kTraceMaxPath) return "a path is longer than 4096 bytes";
  for (const TracedRead& read : contents.reads) {
    if (read.file >= contents.files.size()) return "a read is of a file that is not there";
    if (std::string why = WhyUnfit(read); !why.empty()) return why;
  }
  for (const TracedEvent& event : contents.events)
    if (event.file >= contents.files.size()) return "an event is of a file that is not there";
  for (const TracedCall& call : contents.calls)
    if (call.process >= contents.processes.size()) return "a call is of a process that is not there";
  return "";
}

}  // namespace

absl::Status WriteTrace(const std::string& path, const TraceContents& contents) {
  if (const std::string why = WhyUnfit(contents); !why.empty())
    return absl::InvalidArgumentError(absl::StrCat(path, ": not written: ", why));
  const std::string bytes = Packer(contents).Pack();
  if (IsNoPlaceForFile(path)) return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  const FileSizeSignalBlock no_signal;
  NewFile file(path);
  if (file.fd() < 0 || !WriteAll(file.fd(), bytes) || !file.PutInPlace())
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace ahead
