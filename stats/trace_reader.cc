#include "stats/trace_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ahead {
namespace {

// Thirty years of nanoseconds, so that times can be added up: monotonic clocks begin with the machine.
constexpr int64_t kLastTime = int64_t{1} << 60;

// Reads the slots of a trace whose header is known to be good.
class Parser {
 public:
  Parser(const char* records, uint64_t count, TraceContents& out) : records_(records), count_(count), out_(out) {}

  void Run() {
    for (uint64_t index = 0; index < count_; ++index) Parse(index);
    std::stable_sort(out_.reads.begin(), out_.reads.end(),
                     [](const TracedRead& a, const TracedRead& b) { return a.time < b.time; });
    std::stable_sort(out_.events.begin(), out_.events.end(),
                     [](const TracedEvent& a, const TracedEvent& b) { return a.time < b.time; });
  }

 private:
  // Returns slot `index` as a Record; with kind kNothing when it is not whole.
  template <typename Record>
  Record Slot(uint64_t index) const {
    Record record{};
    if (index >= count_) return record;
    std::memcpy(&record, records_ + index * kTraceRecordBytes, sizeof(record));
    return record.mark == TraceMark(index) ? record : Record{};
  }

  void Parse(uint64_t index) {
    // Any record tells the kind, which lies at the same place in all.
    switch (Slot<TraceEventRecord>(index).kind) {
      case TraceKind::kNothing:
        ++out_.broken_records;
        break;
      case TraceKind::kProcess:
        AddProcess(Slot<TraceProcessRecord>(index));
        break;
      case TraceKind::kFile:
        AddFile(index, Slot<TraceFileRecord>(index));
        break;
      case TraceKind::kPlan:
        AddRead(index, Slot<TracePlanRecord>(index));
        break;
      case TraceKind::kOutcome:
        AddOutcome(Slot<TraceOutcomeRecord>(index));
        break;
      case TraceKind::kCompletion:
        AddCompletion(Slot<TraceCompletionRecord>(index));
        break;
      case TraceKind::kOpen:
      case TraceKind::kClose:
      case TraceKind::kAdvice:
      case TraceKind::kMapping:
      case TraceKind::kEntry:
        AddEvent(Slot<TraceEventRecord>(index));
        break;
      case TraceKind::kPath:
      case TraceKind::kDecision:
        break;  // taken with what they continue
      default:
        ++out_.unknown_records;
    }
  }

  void AddProcess(const TraceProcessRecord& record) {
    TracedProcess process;
    process.pid = record.pid;
    process.parent_pid = record.parent_pid;
    process.time = {record.time_ns};
    process.ratio = record.ratio;
    process.hit_rate = record.hit_rate;
    process.max = {record.max_bytes};
    process.initial = {record.initial_bytes};
    process.memory = {record.memory_bytes};
    out_.processes.push_back(process);
  }

  void AddFile(uint64_t index, const TraceFileRecord& record) {
    TracedFile file;
    for (uint64_t slot = 1; slot <= record.path_slots; ++slot) {
      const auto part = Slot<TracePathRecord>(index + slot);
      // A slot belongs to one path, or a trace could take many times its size in memory.
      if (part.kind != TraceKind::kPath) break;
      file.path.append(part.text, std::min<size_t>(part.used_bytes, kTracePathBytes));
    }
    if (file.path.size() != record.path_bytes) file.path.clear();
    file.pid = record.pid;
    file.time = {record.time_ns};
    file.device = record.device;
    file.inode = record.inode;
    file.size = {record.size_bytes};
    file_of_[static_cast<TraceId>(index)] = static_cast<uint32_t>(out_.files.size());
    out_.files.push_back(std::move(file));
  }

  void AddRead(uint64_t index, const TracePlanRecord& record) {
    const auto file = file_of_.find(record.file);
    if (file == file_of_.end() || !IsRange(record.offset_bytes, record.length_bytes) || !IsTime(record.time_ns)) {
      ++out_.broken_records;
      return;
    }
    TracedRead read;
    read.file = file->second;
    read.tid = record.tid;
    read.description = record.description;
    read.kind = record.access;
    read.fresh = (record.flags & TracePlanRecord::kFresh) != 0;
    read.advice = static_cast<HostAdvice>(record.flags >> TracePlanRecord::kAdviceShift & 3);
    read.absorbed = (record.flags & TracePlanRecord::kAbsorbed) != 0;
    read.range.begin = {record.offset_bytes};
    read.range.end = read.range.begin + ByteCount{record.length_bytes};
    read.time = {record.time_ns};
    if (!read.absorbed) read.facts = FactsOf(record);
    if ((record.flags & TracePlanRecord::kDecided) != 0) read.decision = DecisionAt(index + 1);
    read_of_[static_cast<TraceId>(index)] = out_.reads.size();
    out_.reads.push_back(read);
  }

  // Whatever is written, the facts are such that the policy can work with them.
  static Facts FactsOf(const TracePlanRecord& record) {
    Facts facts;
    facts.page = {int64_t{1} << (record.page_shift & 31)};
    facts.file_size = {std::clamp<int64_t>(record.file_size_bytes, 0, kLargestFile.value)};
    facts.allowance = {std::max<int64_t>(record.allowance_bytes, 0)};
    facts.initial = {record.initial_bytes};
    facts.piece = facts.page * std::max<int64_t>(record.piece_pages, 1);
    facts.kernel_window = facts.page * record.kernel_window_pages;
    facts.kernel_leads = (record.flags & TracePlanRecord::kKernelLeads) != 0;
    return facts;
  }

  Decision DecisionAt(uint64_t index) const {
    const auto record = Slot<TraceDecisionRecord>(index);
    Decision decision;
    if (record.kind != TraceKind::kDecision || record.method >= kClassCount || !HasPieces(record)) return decision;
    decision.method = static_cast<Class>(record.method);
    decision.stream = {record.stream_index, record.stream_generation};
    decision.first = {record.first_bytes};
    decision.length = {record.length_bytes};
    decision.step = {record.step_bytes};
    decision.pieces = record.pieces;
    decision.required = record.required;
    decision.limit = {record.limit_bytes};
    decision.floor = {record.floor_bytes};
    decision.check = (record.flags & TraceDecisionRecord::kCheck) != 0;
    decision.starving = (record.flags & TraceDecisionRecord::kStarving) != 0;
    decision.look_only = (record.flags & TraceDecisionRecord::kLookOnly) != 0;
    return decision;
  }

  static bool IsTime(int64_t nanos) { return 0 <= nanos && nanos <= kLastTime; }

  // Says whether [offset, offset + length) is a range.
  static bool IsRange(int64_t offset, int64_t length) {
    return offset >= 0 && length >= 0 && length <= INT64_MAX - offset;
  }

  // Says whether the places of all pieces can be told.
  static bool HasPieces(const TraceDecisionRecord& record) {
    int64_t last = 0;
    return record.pieces >= 0 && record.length_bytes >= 0 &&
           !__builtin_mul_overflow(record.step_bytes, record.pieces, &last) &&
           !__builtin_add_overflow(last, record.first_bytes, &last) &&
           !__builtin_add_overflow(last, record.length_bytes, &last) &&
           IsRange(record.first_bytes, record.length_bytes);
  }

  TracedRead* ReadOf(TraceId plan) {
    const auto found = read_of_.find(plan);
    if (found == read_of_.end()) {
      ++out_.broken_records;
      return nullptr;
    }
    return &out_.reads[found->second];
  }

  void AddOutcome(const TraceOutcomeRecord& record) {
    TracedRead* read = ReadOf(record.plan);
    if (read == nullptr) return;
    TracedOutcome& outcome = read->outcome;
    outcome.known = true;
    outcome.asked = record.asked_pieces;
    outcome.resident = record.resident_pieces;
    outcome.dropped = record.dropped_pieces;
    outcome.put_off = record.put_off_pieces;
    outcome.sure = record.sure_pieces;
    outcome.fresh_pages = record.fresh_pages;
    outcome.time = {record.time_ns};
    outcome.blocked = {record.blocked_ns};
  }

  void AddCompletion(const TraceCompletionRecord& record) {
    TracedRead* read = ReadOf(record.plan);
    if (read == nullptr) return;
    if (!IsTime(record.time_ns) || !IsTime(record.duration_ns) ||
        !IsRange(read->range.begin.value, std::max<int64_t>(record.returned_bytes, 0))) {
      ++out_.broken_records;
      return;
    }
    read->completed = true;
    read->returned = {record.returned_bytes};
    read->end = {record.time_ns};
    read->duration = {record.duration_ns};
    read->error = record.error;
  }

  void AddEvent(const TraceEventRecord& record) {
    const auto file = file_of_.find(record.file);
    if (file == file_of_.end() || !IsRange(record.offset_bytes, record.length_bytes) || !IsTime(record.time_ns)) {
      ++out_.broken_records;
      return;
    }
    TracedEvent event;
    event.kind = record.kind;
    event.file = file->second;
    event.tid = record.tid;
    event.description = record.description;
    event.opened_here = record.kind == TraceKind::kOpen && (record.flags & TraceEventRecord::kOpenedHere) != 0;
    event.advice = record.advice;
    if (record.kind == TraceKind::kEntry) {
      event.inode = static_cast<uint64_t>(record.offset_bytes);
    } else {
      event.range.begin = {record.offset_bytes};
      event.range.end = event.range.begin + ByteCount{record.length_bytes};
    }
    event.time = {record.time_ns};
    out_.events.push_back(event);
  }

  const char* records_;
  uint64_t count_;
  TraceContents& out_;
  std::unordered_map<TraceId, uint32_t> file_of_;
  std::unordered_map<TraceId, size_t> read_of_;
};

}  // namespace

absl::StatusOr<TraceContents> ParseTrace(const std::string& name, const char* bytes, size_t size) {
  TraceHeader header{};
  if (size >= sizeof(header)) std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.magic, kTraceMagic, sizeof(kTraceMagic)) != 0)
    return absl::InvalidArgumentError(absl::StrCat(name, ": not a trace"));
  if (header.version > kTraceVersion) {
    return absl::UnimplementedError(absl::StrCat(name, ": a trace of version ", header.version,
                                                 ", this program reads up to version ", kTraceVersion));
  }
  if (header.version == 0 || header.header_bytes != kTraceHeaderBytes || header.record_bytes != kTraceRecordBytes)
    return absl::InvalidArgumentError(absl::StrCat(name, ": a damaged trace: its header makes no sense"));
  const uint64_t count = std::min(header.tail_records, header.capacity_records);
  const uint64_t present = size < kTraceHeaderBytes ? 0 : (size - kTraceHeaderBytes) / kTraceRecordBytes;
  if (count > present)
    return absl::DataLossError(absl::StrCat(name, ": cut short: ", present, " of ", count, " records are there"));

  TraceContents contents;
  contents.page = {header.page_bytes};
  contents.monotonic_start = {header.monotonic_ns};
  contents.realtime_start = {header.realtime_ns};
  contents.records = count;
  contents.dropped_records = header.dropped_records;
  Parser(bytes + kTraceHeaderBytes, count, contents).Run();
  return contents;
}

absl::StatusOr<TraceContents> ReadTrace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  // One that is still written to keeps its size: it was reserved. A size may be claimed that no memory holds.
  TraceHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  file.clear();
  file.seekg(0);
  const uint64_t records = std::min({header.tail_records, header.capacity_records, kTraceMaxRecords});
  const uint64_t wanted = kTraceHeaderBytes + records * kTraceRecordBytes;
  std::string bytes(std::min<uint64_t>(std::filesystem::file_size(path, ignored), wanted), 0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return ParseTrace(path, bytes.data(), bytes.size());
}

}  // namespace ahead
