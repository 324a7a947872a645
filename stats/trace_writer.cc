#include "stats/trace_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ahead {
namespace {

// What a thread fills. A child of fork has a copy, and goes by the epoch. Small: what it takes of each thread's stack
// is, with libc's part, what was taken without us, because that is rounded up.
struct Pen {
  TraceChunk* chunk = nullptr;
  uintptr_t busy = 0;               // where on the stack the writer stands; 0: it does not write
  uint16_t used = kTraceChunkRoom;  // of the chunk
  uint16_t facts = kNowhere;        // where its last ones are
  uint16_t read = kNowhere;         // where its last kRead is
  uint16_t reserved = 0;
  uint32_t epoch = 0;
  int32_t tid = 0;

  static constexpr uint16_t kNowhere = UINT16_MAX;
  char* records() const { return reinterpret_cast<char*>(chunk + 1); }
};
static_assert(sizeof(Pen) == 32 && kTraceChunkBytes < Pen::kNowhere);
// Initial-exec: read without a call, and without memory that would have to be allocated first.
[[gnu::tls_model("initial-exec")]] constinit thread_local Pen pen;

int64_t MonotonicNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What both clocks show.
struct Moment {
  uint64_t ticks = 0;
  int64_t ns = 0;
  bool is_one = false;  // they were read without a pause between
};

// A processor counts less than this while the clock is read twice over; more, and something else ran in between.
constexpr uint64_t kPause = 1000;
constexpr int kTries = 3;

Moment MomentNow(const Trace& trace) {
  const uint64_t before = TraceTicks(trace);
  const int64_t ns = MonotonicNow();
  const uint64_t after = TraceTicks(trace);
  return {before + (after - before) / 2, ns, after - before < kPause};
}

void CountDropped(Trace* trace, uint64_t records = 1) {
  __atomic_fetch_add(&trace->header->dropped_records, records, __ATOMIC_RELAXED);
}

uint16_t Offset(const TraceCursor& cursor) { return static_cast<uint16_t>(cursor.at() - pen.records()); }

TraceChunk* ChunkAt(const Trace* trace, uint64_t index) {
  return reinterpret_cast<TraceChunk*>(trace->chunks + index * kTraceChunkBytes);
}

// Takes a free chunk, the lowest as a rule, so that memory is used again while it is warm. Null when there is none.
TraceChunk* Claim(Trace* trace) {
  TraceHeader& header = *trace->header;
  if (__atomic_load_n(&header.claimed_chunks, __ATOMIC_RELAXED) >= trace->chunk_count) return nullptr;
  if (__atomic_fetch_add(&header.claimed_chunks, 1, __ATOMIC_RELAXED) < trace->chunk_count) {
    uint64_t index = __atomic_load_n(&header.free_hint, __ATOMIC_RELAXED);
    for (uint64_t looks = 0; looks < trace->chunk_count; ++looks, ++index) {
      if (index >= trace->chunk_count) index = 0;
      TraceChunk* chunk = ChunkAt(trace, index);
      uint32_t expected = TraceChunk::kFree;
      if (__atomic_load_n(&chunk->state, __ATOMIC_RELAXED) != expected) continue;
      if (!__atomic_compare_exchange_n(&chunk->state, &expected, TraceChunk::kClaimed, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED))
        continue;
      __atomic_store_n(&header.free_hint, index + 1, __ATOMIC_RELAXED);
      return chunk;
    }
  }
  __atomic_fetch_sub(&header.claimed_chunks, 1, __ATOMIC_RELAXED);
  return nullptr;
}

// Gives the thread a chunk with nothing in it; what it had is full. Returns false when there is none.
bool Renew(Trace* trace) {
  if (pen.chunk != nullptr) __atomic_store_n(&pen.chunk->state, uint32_t{TraceChunk::kFull}, __ATOMIC_RELEASE);
  pen.chunk = nullptr;
  pen.used = kTraceChunkRoom;
  pen.facts = pen.read = Pen::kNowhere;
  TraceChunk* const chunk = Claim(trace);
  if (chunk == nullptr) return false;
  if (pen.tid == 0) pen.tid = static_cast<int32_t>(syscall(SYS_gettid));
  chunk->process = trace->process;
  chunk->pid = trace->pid;
  chunk->tid = pen.tid;
  chunk->flags = trace->chunk_flags;
  Moment moment = MomentNow(*trace);
  for (int tries = 0; tries < kTries && !moment.is_one; ++tries) moment = MomentNow(*trace);
  chunk->begin_ticks = chunk->last_ticks = moment.ticks;
  chunk->begin_ns = chunk->last_ns = moment.ns;
  // Last: whoever sees a length sees the rest, and the thread is known by then to be a living one.
  __atomic_store_n(&chunk->order, __atomic_fetch_add(&trace->header->claims, 1, __ATOMIC_RELAXED) + 1,
                   __ATOMIC_RELEASE);
  pen.chunk = chunk;
  pen.used = 0;
  return true;
}

// Stacks further apart are taken to be different ones, as in shim/guard.cc.
constexpr uintptr_t kOneStack = 1 << 20;

// Says whether the writer at `place` is gone: a signal handler interrupted it and jumped out. Seen from a frame that is
// further up the same stack; from a handler it lies below, or on another stack.
bool IsAbandoned(uintptr_t place, uintptr_t here) {
  if (here < place || here - place >= kOneStack) return false;
  stack_t stack;
  return syscall(SYS_sigaltstack, nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) == 0;
}

// Room for `bytes` of this thread's chunk, from construction to destruction; then they are published. False when there
// is none, or when this thread is in another one.
class Entry {
 public:
  [[gnu::always_inline]] Entry(Trace* trace, size_t bytes) : trace_(trace) {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (__builtin_expect(pen.busy != 0, 0)) {
      if (!IsAbandoned(pen.busy, here)) {
        CountDropped(trace);
        return;
      }
      // Whether what they point to was published is not known.
      pen.facts = pen.read = Pen::kNowhere;
    }
    pen.busy = here;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(pen.epoch != trace->epoch || bytes > kTraceChunkRoom - pen.used, 0))
      has_room_ = Turn(trace, bytes);
    else
      has_room_ = true;
    if (!has_room_) Leave();
  }
  [[gnu::always_inline]] ~Entry() {
    if (!has_room_) return;
    __atomic_store_n(&pen.chunk->used_bytes, pen.used, __ATOMIC_RELEASE);
    Leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  explicit operator bool() const { return has_room_; }

  TraceCursor cursor() const { return TraceCursor(pen.records() + pen.used); }
  void MoveTo(const TraceCursor& cursor) { pen.used = Offset(cursor); }

  // Notes what time it is, by both clocks.
  void Date() {
    const Moment moment = MomentNow(*trace_);
    if (!moment.is_one) return;
    pen.chunk->last_ticks = moment.ticks;
    pen.chunk->last_ns = moment.ns;
  }

 private:
  // Turns to a new page.
  [[gnu::noinline]] static bool Turn(Trace* trace, size_t bytes) {
    if (pen.epoch != trace->epoch) {
      pen.chunk = nullptr;
      pen.tid = 0;
      pen.epoch = trace->epoch;
    }
    if (bytes <= kTraceChunkRoom && Renew(trace)) return true;
    CountDropped(trace);
    return false;
  }

  static void Leave() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pen.busy = 0;
  }

  Trace* const trace_;
  bool has_room_ = false;
};

// Puts the facts before a record that needs them, unless the chunk's last ones are the same.
void PutFacts(const Facts& facts, TraceCursor& out) {
  const TraceFactsRecord record = FactsRecord(facts);
  if (pen.facts != Pen::kNowhere && __builtin_memcmp(pen.records() + pen.facts, &record, sizeof(record)) == 0) return;
  pen.facts = Offset(out);
  out.Put(record);
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

// Writes the numbers among the options as text. Returns its length.
size_t OptionsText(const Options& options, char* out, size_t size) {
  size_t used = 0;
  const auto put = [&](const char* text, size_t count) {
    for (size_t i = 0; i < count && used < size; ++i) out[used++] = text[i];
  };
  const auto add = [&](const char* name, OptionKind kind, int64_t value) {
    if (kind == OptionKind::kText) return;
    put(name, __builtin_strlen(name));
    put("=", 1);
    char digits[20];
    size_t count = sizeof(digits);
    for (auto rest = static_cast<uint64_t>(value < 0 ? 0 : value); rest != 0 || count == sizeof(digits); rest /= 10)
      digits[--count] = static_cast<char>('0' + rest % 10);
    put(digits + count, sizeof(digits) - count);
    put("\n", 1);
  };
#define AHEAD_OPTION(name, kind, default_value, min, max, help) add(#name, OptionKind::kind, options.name);
#include "core/options.def"
#undef AHEAD_OPTION
  return used;
}

}  // namespace

void TraceProcess(Trace* trace, const Options& options, Nanos now, TraceBegin how) {
  TraceProcessFacts facts;
  if (how == TraceBegin::kFork) facts.parent = trace->process;
  trace->process = facts.number = __atomic_fetch_add(&trace->header->processes, 1, __ATOMIC_RELAXED);
  trace->pid = static_cast<int32_t>(syscall(SYS_getpid));
  ++trace->epoch;
  facts.parent_pid = static_cast<int32_t>(syscall(SYS_getppid));
  facts.next_sequence = trace->next_sequence;
  char text[1024];
  facts.options = text;
  facts.options_bytes = OptionsText(options, text, sizeof(text));
  Entry entry(trace, facts.bytes());
  if (!entry) return;
  TraceCursor out = entry.cursor();
  Encode(facts, now, out);
  entry.MoveTo(out);
}

bool TraceFile(Trace* trace, int fd, TraceFileFacts facts, Nanos now) {
  char path[kTraceMaxPath];
  facts.path = path;
  facts.path_bytes = fd < 0 ? 0 : PathOf(fd, path, sizeof(path));
  Entry entry(trace, facts.bytes());
  if (!entry) return false;
  entry.Date();
  TraceCursor out = entry.cursor();
  Encode(facts, now, out);
  entry.MoveTo(out);
  return true;
}

void TraceEvent(Trace* trace, const TraceEventFacts& event, Nanos now, const Facts* facts) {
  Entry entry(trace, event.bytes() + (facts != nullptr ? sizeof(TraceFactsRecord) : 0));
  if (!entry) return;
  TraceCursor out = entry.cursor();
  if (facts != nullptr) PutFacts(*facts, out);
  Encode(event, now, out);
  entry.MoveTo(out);
}

void TraceRead(Trace* trace, const TraceReadFacts& read) {
  Entry entry(trace, sizeof(TraceReadRecord));
  if (!entry) return;
  auto flags = static_cast<uint8_t>(static_cast<uint8_t>(read.kind) | static_cast<uint8_t>(read.advice)
                                                                          << TraceReadRecord::kAdviceShift);
  if (read.is_unseen) flags |= TraceReadRecord::kUnseen;
  TraceCursor out = entry.cursor();
  const uint64_t duration = read.end_ticks - read.begin_ticks;
  const auto asked = static_cast<uint32_t>(read.asked);
  if (pen.read != Pen::kNowhere && read.returned == read.asked) {
    const auto* like = reinterpret_cast<const TraceReadRecord*>(pen.records() + pen.read);
    const uint64_t after = read.begin_ticks - like->begin_ticks;
    if (like->asked_bytes == asked && after <= UINT32_MAX && duration <= UINT32_MAX) {
      out.Put(TraceSimilarRecord{RecordHead(TraceKind::kSimilar, sizeof(TraceSimilarRecord), read.description, flags),
                                 static_cast<uint32_t>(after), static_cast<uint32_t>(duration), read.offset});
      return entry.MoveTo(out);
    }
  }
  pen.read = Offset(out);
  out.Put(TraceReadRecord{RecordHead(TraceKind::kRead, sizeof(TraceReadRecord), read.description, flags),
                          read.begin_ticks, duration, read.offset, asked, static_cast<int32_t>(read.returned)});
  entry.MoveTo(out);
}

void TracePlan(Trace* trace, const TracePlanFacts& plan, const Facts& facts) {
  Entry entry(trace, sizeof(TraceFactsRecord) + plan.bytes());
  if (!entry) return;
  entry.Date();
  TraceCursor out = entry.cursor();
  PutFacts(facts, out);
  Encode(plan, out);
  entry.MoveTo(out);
}

void TraceIssued(Trace* trace, uint64_t sequence, uint64_t plan, int32_t first, int32_t count,
                 const PieceOutcome* outcomes, const Nanos* asked_at) {
  const size_t bytes = sizeof(TraceIssuedRecord) + static_cast<size_t>(count) * sizeof(TracePiece);
  Entry entry(trace, bytes);
  if (!entry) return;
  TraceCursor out = entry.cursor();
  out.Put(TraceIssuedRecord{RecordHead(TraceKind::kIssued, bytes, 0), sequence, plan, first, count});
  for (int32_t i = 0; i < count; ++i) out.Put(PieceRecord(outcomes[i], asked_at[i]));
  entry.MoveTo(out);
}

void TraceFinish(Trace* trace, uint64_t sequence, uint64_t plan, const Completion& completion, int error) {
  Entry entry(trace, sizeof(TraceFinishRecord));
  if (!entry) return;
  TraceCursor out = entry.cursor();
  out.Put(FinishRecord(sequence, plan, completion, error));
  entry.MoveTo(out);
}

void TraceForget(Trace* trace, uint64_t sequence, TraceId file, const Facts& facts) {
  Entry entry(trace, sizeof(TraceFactsRecord) + sizeof(TraceCallRecord));
  if (!entry) return;
  TraceCursor out = entry.cursor();
  PutFacts(facts, out);
  out.Put(TraceCallRecord{RecordHead(TraceKind::kForget, sizeof(TraceCallRecord), file), sequence});
  entry.MoveTo(out);
}

void TraceRenewed(Trace* trace, uint64_t sequence, uint32_t mount) {
  Entry entry(trace, sizeof(TraceCallRecord));
  if (!entry) return;
  TraceCursor out = entry.cursor();
  out.Put(TraceCallRecord{RecordHead(TraceKind::kRenewed, sizeof(TraceCallRecord), mount), sequence});
  entry.MoveTo(out);
}

}  // namespace ahead
