#include "stats/trace_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace ahead {
namespace {

// The slots of a trace, in memory.
class Slots {
 public:
  explicit Slots(const TraceContents& contents) : contents_(contents) {}

  std::string Write() {
    for (const TracedProcess& process : contents_.processes) Add(process);
    for (const TracedFile& file : contents_.files) Add(file);
    for (const TracedEvent& event : contents_.events) Add(event);
    for (const TracedRead& read : contents_.reads) Add(read);
    TraceHeader header{};
    std::memcpy(header.magic, kTraceMagic, sizeof(kTraceMagic));
    header.version = kTraceVersion;
    header.header_bytes = kTraceHeaderBytes;
    header.record_bytes = kTraceRecordBytes;
    header.page_bytes = static_cast<uint32_t>(contents_.page.value);
    header.capacity_records = header.tail_records = count_;
    header.monotonic_ns = contents_.monotonic_start.value;
    header.realtime_ns = contents_.realtime_start.value;
    header.dropped_records = contents_.dropped_records;
    std::string all(kTraceHeaderBytes, 0);
    std::memcpy(all.data(), &header, sizeof(header));
    return all + bytes_;
  }

 private:
  template <typename Record>
  TraceId Put(TraceKind kind, Record record) {
    record.kind = kind;
    record.mark = TraceMark(count_);
    bytes_.append(reinterpret_cast<const char*>(&record), sizeof(record));
    return static_cast<TraceId>(count_++);
  }

  void Add(const TracedProcess& process) {
    TraceProcessRecord record{};
    record.ratio = static_cast<uint8_t>(process.ratio);
    record.hit_rate = static_cast<uint8_t>(process.hit_rate);
    record.tid = record.pid = process.pid;
    record.parent_pid = process.parent_pid;
    record.time_ns = process.time.value;
    record.max_bytes = process.max.value;
    record.initial_bytes = process.initial.value;
    record.memory_bytes = process.memory.value;
    Put(TraceKind::kProcess, record);
  }

  void Add(const TracedFile& file) {
    TraceFileRecord record{};
    record.path_bytes = static_cast<uint16_t>(file.path.size());
    record.path_slots = static_cast<uint8_t>((file.path.size() + kTracePathBytes - 1) / kTracePathBytes);
    record.tid = record.pid = file.pid;
    record.time_ns = file.time.value;
    record.device = file.device;
    record.inode = file.inode;
    record.size_bytes = file.size.value;
    ids_.push_back(Put(TraceKind::kFile, record));
    for (size_t at = 0; at < file.path.size(); at += kTracePathBytes) {
      TracePathRecord part{};
      part.used_bytes = static_cast<uint8_t>(std::min(kTracePathBytes, file.path.size() - at));
      std::memcpy(part.text, file.path.data() + at, part.used_bytes);
      Put(TraceKind::kPath, part);
    }
  }

  void Add(const TracedEvent& event) {
    TraceEventRecord record{};
    record.flags = event.opened_here ? TraceEventRecord::kOpenedHere : uint8_t{0};
    record.advice = static_cast<uint16_t>(event.advice);
    record.tid = event.tid;
    record.file = ids_[event.file];
    record.time_ns = event.time.value;
    const bool is_entry = event.kind == TraceKind::kEntry;
    record.offset_bytes = is_entry ? static_cast<int64_t>(event.inode) : event.range.begin.value;
    record.length_bytes = is_entry ? 0 : event.range.size().value;
    record.description = event.description;
    Put(event.kind, record);
  }

  void Add(const TracedRead& read) {
    TracePlanRecord record{};
    const Facts& facts = read.facts;
    const int64_t page = facts.page.value > 0 ? facts.page.value : 1;
    record.access = read.kind;
    record.flags = static_cast<uint8_t>(static_cast<uint8_t>(read.advice) << TracePlanRecord::kAdviceShift);
    if (read.fresh) record.flags |= TracePlanRecord::kFresh;
    if (read.absorbed) record.flags |= TracePlanRecord::kAbsorbed;
    if (facts.kernel_leads) record.flags |= TracePlanRecord::kKernelLeads;
    if (!read.decision.empty()) record.flags |= TracePlanRecord::kDecided;
    record.page_shift = static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(page)));
    record.tid = read.tid;
    record.file = ids_[read.file];
    record.description = read.description;
    record.length_bytes = static_cast<uint32_t>(read.range.size().value);
    record.time_ns = read.time.value;
    record.offset_bytes = read.range.begin.value;
    record.file_size_bytes = facts.file_size.value;
    record.allowance_bytes = facts.allowance.value;
    record.initial_bytes = static_cast<uint32_t>(facts.initial.value);
    record.piece_pages = static_cast<uint16_t>(facts.piece.value / page);
    record.kernel_window_pages = static_cast<uint16_t>(facts.kernel_window.value / page);
    const TraceId plan = Put(TraceKind::kPlan, record);
    if (!read.decision.empty()) Add(read.decision);
    if (read.outcome.known) Add(read.outcome, plan);
    if (read.completed) AddCompletion(read, plan);
  }

  void Add(const Decision& decision) {
    TraceDecisionRecord record{};
    record.method = static_cast<uint8_t>(decision.method);
    if (decision.check) record.flags |= TraceDecisionRecord::kCheck;
    if (decision.starving) record.flags |= TraceDecisionRecord::kStarving;
    if (decision.look_only) record.flags |= TraceDecisionRecord::kLookOnly;
    record.pieces = decision.pieces;
    record.required = decision.required;
    record.stream_index = decision.stream.index;
    record.stream_generation = decision.stream.generation;
    record.first_bytes = decision.first.value;
    record.length_bytes = decision.length.value;
    record.step_bytes = decision.step.value;
    record.limit_bytes = decision.limit.value;
    record.floor_bytes = decision.floor.value;
    Put(TraceKind::kDecision, record);
  }

  void Add(const TracedOutcome& outcome, TraceId plan) {
    TraceOutcomeRecord record{};
    record.plan = plan;
    record.asked_pieces = outcome.asked;
    record.resident_pieces = outcome.resident;
    record.dropped_pieces = outcome.dropped;
    record.put_off_pieces = outcome.put_off;
    record.sure_pieces = outcome.sure;
    record.time_ns = outcome.time.value;
    record.blocked_ns = outcome.blocked.value;
    record.fresh_pages = outcome.fresh_pages;
    Put(TraceKind::kOutcome, record);
  }

  void AddCompletion(const TracedRead& read, TraceId plan) {
    TraceCompletionRecord record{};
    record.error = static_cast<uint16_t>(read.error);
    record.plan = plan;
    record.time_ns = read.end.value;
    record.duration_ns = read.duration.value;
    record.offset_bytes = read.range.begin.value;
    record.returned_bytes = read.returned.value;
    Put(TraceKind::kCompletion, record);
  }

  const TraceContents& contents_;
  std::vector<TraceId> ids_;  // of the files
  std::string bytes_;
  uint64_t count_ = 0;
};

// Returns what of `contents` a trace cannot hold; nothing when it can.
std::string WhyUnfit(const TraceContents& contents) {
  for (const TracedFile& file : contents.files)
    if (file.path.size() > 4096) return "a path is longer than 4096 bytes";
  for (const TracedRead& read : contents.reads) {
    if (read.file >= contents.files.size()) return "a read is of a file that is not there";
    if (read.range.size().value < 0 || read.range.size().value > UINT32_MAX) return "a read is longer than 4 GiB";
  }
  for (const TracedEvent& event : contents.events)
    if (event.file >= contents.files.size()) return "an event is of a file that is not there";
  return "";
}

bool PutOut(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t put = write(fd, bytes.data() + at, bytes.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += static_cast<size_t>(put);
  }
  return true;
}

}  // namespace

absl::Status WriteTrace(const std::string& path, const TraceContents& contents) {
  if (const std::string why = WhyUnfit(contents); !why.empty())
    return absl::InvalidArgumentError(absl::StrCat(path, ": not written: ", why));
  const std::string bytes = Slots(contents).Write();
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());  // 0600
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
  const bool is_written = PutOut(fd, bytes) && rename(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  close(fd);
  if (is_written) return absl::OkStatus();
  unlink(temporary.c_str());
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot be written"));
}

}  // namespace ahead
