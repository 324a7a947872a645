#include "stats/trace_writer.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <limits>

namespace ahead {
namespace {

constexpr uint64_t kFull = UINT64_MAX;

int32_t Tid() { return static_cast<int32_t>(syscall(SYS_gettid)); }

// Reserves `slots` that lie side by side. Returns the first, or kFull. Looking first keeps the tail from running away
// and its line from bouncing once the trace is full.
uint64_t Reserve(Trace* trace, uint64_t slots) {
  TraceHeader& header = *trace->header;
  uint64_t first = kFull;
  if (__atomic_load_n(&header.tail_records, __ATOMIC_RELAXED) < trace->capacity_records)
    first = __atomic_fetch_add(&header.tail_records, slots, __ATOMIC_RELAXED);
  if (first < trace->capacity_records && slots <= trace->capacity_records - first) return first;
  __atomic_fetch_add(&header.dropped_records, slots, __ATOMIC_RELAXED);
  return kFull;
}

// Says whether nothing fits any more, and counts what does not if so.
bool IsFull(Trace* trace) {
  if (__atomic_load_n(&trace->header->tail_records, __ATOMIC_RELAXED) < trace->capacity_records) return false;
  __atomic_fetch_add(&trace->header->dropped_records, 1, __ATOMIC_RELAXED);
  return true;
}

// Fills slot `index`: all but the mark, then the mark.
template <typename Record>
void Put(Trace* trace, uint64_t index, const Record& record) {
  static_assert(sizeof(Record) == kTraceRecordBytes && offsetof(Record, mark) == 0);
  char* slot = trace->records + index * kTraceRecordBytes;
  constexpr size_t kMark = sizeof(record.mark);
  __builtin_memcpy(slot + kMark, reinterpret_cast<const char*>(&record) + kMark, sizeof(Record) - kMark);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), TraceMark(index), __ATOMIC_RELEASE);
}

template <typename Record>
TraceId Append(Trace* trace, const Record& record) {
  const uint64_t index = Reserve(trace, 1);
  if (index == kFull) return kNoTraceId;
  Put(trace, index, record);
  return static_cast<TraceId>(index);
}

// Returns `value` as far as it fits into a T.
template <typename T>
T Clip(int64_t value) {
  if (value < 0) return 0;
  return value > int64_t{std::numeric_limits<T>::max()} ? std::numeric_limits<T>::max() : static_cast<T>(value);
}

// Writes the path of `fd` to `out`. Returns its length, 0 when it has none that can be told.
size_t PathOf(int fd, char* out, size_t size) {
  char link[32] = "/proc/self/fd/";
  size_t at = 14;
  char digits[12];
  int count = 0;
  for (auto rest = static_cast<uint32_t>(fd); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) link[at++] = digits[--count];
  link[at] = 0;
  const long length = syscall(SYS_readlinkat, AT_FDCWD, link, out, size);
  return length < 0 ? 0 : static_cast<size_t>(length);
}

TracePlanRecord PlanRecord(const TraceAccess& access) {
  TracePlanRecord record{};
  record.kind = TraceKind::kPlan;
  record.access = access.kind;
  record.flags = access.access.fresh ? TracePlanRecord::kFresh : uint8_t{0};
  record.flags |= static_cast<uint8_t>(static_cast<uint8_t>(access.access.advice) << TracePlanRecord::kAdviceShift);
  record.tid = access.tid != 0 ? access.tid : Tid();
  record.file = access.file;
  record.description = access.description;
  record.length_bytes = Clip<uint32_t>(access.access.range.size().value);
  record.time_ns = access.access.time.value;
  record.offset_bytes = access.access.range.begin.value;
  return record;
}

void AddFacts(const Facts& facts, TracePlanRecord& record) {
  const int64_t page = facts.page.value > 0 ? facts.page.value : 1;
  record.page_shift = static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(page)));
  record.file_size_bytes = facts.file_size.value;
  record.allowance_bytes = facts.allowance.value;
  record.initial_bytes = Clip<uint32_t>(facts.initial.value);
  record.piece_pages = Clip<uint16_t>(facts.piece.value / page);
  record.kernel_window_pages = Clip<uint16_t>(facts.kernel_window.value / page);
  if (facts.kernel_leads) record.flags |= TracePlanRecord::kKernelLeads;
}

TraceDecisionRecord DecisionRecord(const Decision& decision) {
  TraceDecisionRecord record{};
  record.kind = TraceKind::kDecision;
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
  return record;
}

TraceEventRecord EventRecord(TraceKind kind, TraceId file, uint32_t description, Nanos now) {
  TraceEventRecord record{};
  record.kind = kind;
  record.tid = Tid();
  record.file = file;
  record.description = description;
  record.time_ns = now.value;
  return record;
}

}  // namespace

void TraceProcess(Trace* trace, const Options& options, Nanos now) {
  TraceProcessRecord record{};
  record.kind = TraceKind::kProcess;
  record.ratio = Clip<uint8_t>(options.ratio);
  record.hit_rate = Clip<uint8_t>(options.hit_rate);
  record.tid = Tid();
  record.pid = static_cast<int32_t>(syscall(SYS_getpid));
  record.parent_pid = static_cast<int32_t>(syscall(SYS_getppid));
  record.time_ns = now.value;
  record.max_bytes = options.max;
  record.initial_bytes = options.initial;
  record.memory_bytes = options.memory;
  Append(trace, record);
}

TraceId TraceFile(Trace* trace, const TraceFileFacts& facts, Nanos now) {
  if (IsFull(trace)) return kNoTraceId;
  char path[4096];
  const size_t length = PathOf(facts.fd, path, sizeof(path));
  const size_t slots = (length + kTracePathBytes - 1) / kTracePathBytes;
  const uint64_t first = Reserve(trace, 1 + slots);
  if (first == kFull) return kNoTraceId;
  for (size_t slot = 0; slot < slots; ++slot) {
    TracePathRecord part{};
    part.kind = TraceKind::kPath;
    const size_t at = slot * kTracePathBytes;
    const size_t used = length - at < kTracePathBytes ? length - at : kTracePathBytes;
    part.used_bytes = static_cast<uint8_t>(used);
    __builtin_memcpy(part.text, path + at, used);
    Put(trace, first + 1 + slot, part);
  }
  TraceFileRecord record{};
  record.kind = TraceKind::kFile;
  record.path_slots = static_cast<uint8_t>(slots);
  record.path_bytes = static_cast<uint16_t>(length);
  record.tid = Tid();
  record.pid = static_cast<int32_t>(syscall(SYS_getpid));
  record.time_ns = now.value;
  record.device = facts.device;
  record.inode = facts.inode;
  record.size_bytes = facts.size.value;
  Put(trace, first, record);
  return static_cast<TraceId>(first);
}

void TraceOpen(Trace* trace, TraceId file, uint32_t description, bool opened_here, Nanos now) {
  TraceEventRecord record = EventRecord(TraceKind::kOpen, file, description, now);
  if (opened_here) record.flags = TraceEventRecord::kOpenedHere;
  Append(trace, record);
}

void TraceClose(Trace* trace, TraceId file, uint32_t description, Nanos now) {
  Append(trace, EventRecord(TraceKind::kClose, file, description, now));
}

TraceId TracePlan(Trace* trace, const TraceAccess& access, const Facts& facts, const Decision& decision) {
  TracePlanRecord record = PlanRecord(access);
  AddFacts(facts, record);
  if (decision.empty()) return Append(trace, record);
  const uint64_t first = Reserve(trace, 2);
  if (first == kFull) return kNoTraceId;
  record.flags |= TracePlanRecord::kDecided;
  Put(trace, first + 1, DecisionRecord(decision));
  Put(trace, first, record);
  return static_cast<TraceId>(first);
}

TraceId TraceAbsorbed(Trace* trace, const TraceAccess& access) {
  TracePlanRecord record = PlanRecord(access);
  record.flags |= TracePlanRecord::kAbsorbed;
  return Append(trace, record);
}

void TraceOutcome(Trace* trace, TraceId plan, const TraceOutcomeCounts& counts, Nanos now) {
  TraceOutcomeRecord record{};
  record.kind = TraceKind::kOutcome;
  record.plan = plan;
  record.asked_pieces = counts.asked;
  record.resident_pieces = counts.resident;
  record.dropped_pieces = counts.dropped;
  record.put_off_pieces = counts.put_off;
  record.sure_pieces = counts.sure;
  record.time_ns = now.value;
  record.blocked_ns = counts.blocked.value;
  record.fresh_pages = counts.fresh_pages;
  Append(trace, record);
}

void TraceCompletion(Trace* trace, TraceId plan, const Completion& completion, int error) {
  TraceCompletionRecord record{};
  record.kind = TraceKind::kCompletion;
  record.error = Clip<uint16_t>(error);
  record.plan = plan;
  record.time_ns = completion.time.value;
  record.duration_ns = completion.duration.value;
  record.offset_bytes = completion.range.begin.value;
  record.returned_bytes = completion.range.size().value;
  Append(trace, record);
}

void TraceAdvice(Trace* trace, TraceId file, uint32_t description, int advice, ByteRange range, Nanos now) {
  TraceEventRecord record = EventRecord(TraceKind::kAdvice, file, description, now);
  record.advice = Clip<uint16_t>(advice);
  record.offset_bytes = range.begin.value;
  record.length_bytes = range.size().value;
  Append(trace, record);
}

void TraceMapping(Trace* trace, TraceId file, uint32_t description, ByteRange range, Nanos now) {
  TraceEventRecord record = EventRecord(TraceKind::kMapping, file, description, now);
  record.offset_bytes = range.begin.value;
  record.length_bytes = range.size().value;
  Append(trace, record);
}

void TraceEntry(Trace* trace, TraceId folder, uint64_t inode, Nanos now) {
  TraceEventRecord record = EventRecord(TraceKind::kEntry, folder, 0, now);
  record.offset_bytes = static_cast<int64_t>(inode);
  Append(trace, record);
}

}  // namespace ahead
