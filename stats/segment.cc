#include "stats/segment.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ahead {
namespace {

constexpr uint32_t kMaxBlockCount = 65536;

// Living processes whose start time one claim looks up when every block seems in use: each costs four system calls, and
// the next claimer starts elsewhere.
constexpr uint32_t kStartTimesPerClaim = 32;

// The names of all rows, columns and counters in order: what a cell means.
constexpr char kLayout[] =
#define AHEAD_EVENT(name, in_requests, in_pages) #name " "
#define AHEAD_CLASS(name) "/" #name
#include "core/events.def"
#define AHEAD_PROCESS_COUNTER(name, help) "+" #name
#include "stats/process_counters.def"
    ;

// FNV-1a over the layout, the version and the sizes.
constexpr uint64_t Fingerprint() {
  uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  for (const char c : kLayout) mix(static_cast<unsigned char>(c));
  mix(kSegmentVersion);
  mix(sizeof(Segment));
  mix(sizeof(Block));
  return hash;
}

// The bytes "AHEAD" first, then 24 bits of the fingerprint.
constexpr uint64_t kNameMask = (uint64_t{1} << 40) - 1;
constexpr uint64_t kName = 'A' | 'H' << 8 | 'E' << 16 | uint64_t{'A'} << 24 | uint64_t{'D'} << 32;
constexpr uint64_t kMagic = kName | Fingerprint() << 40;

constexpr size_t kCounterWords = sizeof(ProcessCounters) / sizeof(uint64_t);
constexpr size_t kLedgerWords = sizeof(Ledger) / sizeof(uint64_t);
static_assert(sizeof(Ledger) == (2 * kEventCount + 1) * kClassCount * sizeof(uint64_t), "a ledger is words only");
static_assert(sizeof(void*) == 8, "the segment is laid out for 64-bit processes");

int64_t UnixNanos() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Sets a field of the header that all who make the segment at once may set: the first one counts.
template <typename T>
void SetOnce(T& field, T value) {
  T expected = 0;
  __atomic_compare_exchange_n(&field, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void Move(uint64_t& from, uint64_t& to) {
  // Most cells are 0: looking first keeps their cache lines clean.
  if (__atomic_load_n(&from, __ATOMIC_RELAXED) == 0) return;
  if (const uint64_t value = __atomic_exchange_n(&from, 0, __ATOMIC_RELAXED); value != 0) Bump(to, value);
}

template <typename Visit>
void VisitWords(void* from, void* to, size_t count, Visit visit) {
  for (size_t i = 0; i < count; ++i) visit(static_cast<uint64_t*>(from)[i], static_cast<uint64_t*>(to)[i]);
}

void Fold(Segment& segment, Block& block) {
  __atomic_fetch_add(&segment.folds_begun, 1, __ATOMIC_SEQ_CST);
  MoveCounts(block, segment.retired, MoveProcesses::kYes);
  __atomic_fetch_add(&segment.folds_done, 1, __ATOMIC_SEQ_CST);
}

// Names the block after the process, not after the thread that happens to be the first to count.
void NameBlock(Block& block, pid_t pid) {
  char name[16] = {};
  if (syscall(SYS_gettid) == pid) {
    syscall(SYS_prctl, PR_GET_NAME, name);
  } else if (const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/comm", O_RDONLY | O_CLOEXEC); fd >= 0) {
    const long length = syscall(SYS_read, fd, name, sizeof(name) - 1);
    syscall(SYS_close, fd);
    if (length > 0 && name[length - 1] == '\n') name[length - 1] = 0;
  }
  uint64_t words[2];
  __builtin_memcpy(words, name, sizeof(words));
  __atomic_store_n(&block.name[0], words[0], __ATOMIC_RELAXED);
  __atomic_store_n(&block.name[1], words[1], __ATOMIC_RELAXED);
}

// Takes block `index` if its owner is still `seen`: first as claiming, so that nobody else folds it for no reason. A
// claimer that dies here leaves a block that the next one finds with a dead owner, and folds what is left.
Block* Take(SegmentView segment, uint32_t index, const Owner& seen, pid_t pid) {
  uint64_t& word = segment.owners()[index];
  uint64_t expected = seen.Encode();
  Owner owner{Owner::State::kClaiming, pid, NowTicks()};
  uint64_t claiming = owner.Encode();
  if (!__atomic_compare_exchange_n(&word, &expected, claiming, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return nullptr;
  Block& block = segment.blocks()[index];
  if (seen.state != Owner::State::kFree) Fold(*segment.get(), block);
  NameBlock(block, pid);
  TellHeld(block, {});
  __atomic_store_n(&block.processes, 1, __ATOMIC_RELAXED);
  owner.state = Owner::State::kLive;
  const bool is_ours =
      __atomic_compare_exchange_n(&word, &claiming, owner.Encode(), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  return is_ours ? &block : nullptr;
}

// A block that bears our number: ours from before an exec, or that of a process which had the number before us.
Block* Resume(SegmentView segment, uint32_t index, const Owner& seen, pid_t pid) {
  if (seen.state != Owner::State::kLive) return nullptr;
  if (StartTicks("/proc/self/stat") > seen.claimed_ticks) return Take(segment, index, seen, pid);
  Block& block = segment.blocks()[index];
  NameBlock(block, pid);
  TellHeld(block, {});
  return &block;
}

// As CheckSegment; `block_count` is what was checked. It is read once, because it may change between two looks.
SegmentFault CheckSegment(const void* base, size_t bytes, uint32_t& block_count) {
  const Segment* segment = static_cast<const Segment*>(base);
  if (bytes < sizeof(Segment)) return SegmentFault::kTooShort;
  const uint64_t magic = __atomic_load_n(&segment->magic, __ATOMIC_ACQUIRE);
  block_count = __atomic_load_n(&segment->block_count, __ATOMIC_RELAXED);
  return CheckHead(magic, block_count, bytes);
}

}  // namespace

SegmentView InitSegment(void* base, size_t bytes, uint32_t block_count, pid_t session_pid, const char* options) {
  if (block_count == 0 || block_count > kMaxBlockCount || bytes < SegmentBytes(block_count)) return {};
  Segment* segment = static_cast<Segment*>(base);
  if (__atomic_load_n(&segment->magic, __ATOMIC_ACQUIRE) == 0) {
    SetOnce(segment->block_count, block_count);
    SetOnce(segment->session_pid, static_cast<int32_t>(session_pid));
    SetOnce(segment->started_unix_ns, UnixNanos());
    if (options != nullptr)
      for (size_t i = 0; i + 1 < sizeof(segment->options) && options[i] != 0; ++i) segment->options[i] = options[i];
    // Nobody is ever "making" the segment, so nobody can die while doing so: whoever comes first publishes it.
    uint64_t expected = 0;
    __atomic_compare_exchange_n(&segment->magic, &expected, kMagic, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  return OpenSegment(base, bytes);
}

SegmentFault CheckHead(uint64_t magic, uint32_t block_count, size_t bytes) {
  if (magic == 0) return SegmentFault::kBlank;
  if ((magic & kNameMask) != kName) return SegmentFault::kForeign;
  if (magic != kMagic) return SegmentFault::kOtherVersion;
  if (block_count == 0 || block_count > kMaxBlockCount) return SegmentFault::kForeign;
  return bytes < SegmentBytes(block_count) ? SegmentFault::kTooShort : SegmentFault::kNone;
}

SegmentFault CheckSegment(const void* base, size_t bytes) {
  uint32_t block_count;
  return CheckSegment(base, bytes, block_count);
}

SegmentView OpenSegment(void* base, size_t bytes) {
  uint32_t block_count;
  if (CheckSegment(base, bytes, block_count) != SegmentFault::kNone) return {};
  return {static_cast<Segment*>(base), block_count};
}

Block* ClaimBlock(SegmentView segment, pid_t pid) {
  const uint32_t count = segment.block_count();
  const uint32_t first = static_cast<uint32_t>(pid) % count;
  // A block never becomes free again, so ours from before an exec lies before the first free one.
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = (first + i) % count;
    const Owner owner = segment.owner(index);
    Block* block = nullptr;
    if (owner.state == Owner::State::kFree) block = Take(segment, index, owner, pid);
    if (owner.pid == pid) block = Resume(segment, index, owner, pid);
    if (block != nullptr) return block;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = (first + i) % count;
    const Owner owner = segment.owner(index);
    if (owner.pid == pid || !HasEnded(owner)) continue;
    if (Block* block = Take(segment, index, owner, pid); block != nullptr) return block;
  }
  for (uint32_t i = 0; i < count && i < kStartTimesPerClaim; ++i) {
    const uint32_t index = (first + i) % count;
    const Owner owner = segment.owner(index);
    if (owner.pid == pid || !IsGone(owner)) continue;
    if (Block* block = Take(segment, index, owner, pid); block != nullptr) return block;
  }
  return nullptr;
}

Held HeldByOthers(SegmentView segment, const Block* own) {
  constexpr int64_t kMostBytes = int64_t{1} << 50;
  constexpr int64_t kMostStreams = 1 << 20;
  const auto read = [](const int64_t& cell, int64_t most) {
    const int64_t value = __atomic_load_n(&cell, __ATOMIC_RELAXED);
    return value < 0 ? 0 : value < most ? value : most;
  };
  Held sum;
  for (uint32_t i = 0; i < segment.block_count(); ++i) {
    const Owner owner = segment.owner(i);
    if (owner.state != Owner::State::kLive || &segment.blocks()[i] == own) continue;
    const Block& block = segment.blocks()[i];
    const Held held{read(block.held.bytes, kMostBytes), read(block.held.streams, kMostStreams)};
    if ((held.bytes == 0 && held.streams == 0) || HasEnded(owner)) continue;
    sum = {sum.bytes + held.bytes < kMostBytes ? sum.bytes + held.bytes : kMostBytes,
           sum.streams + held.streams < kMostStreams ? sum.streams + held.streams : kMostStreams};
  }
  return sum;
}

void MoveCounts(Block& from, Block& to, MoveProcesses with_processes) {
  VisitWords(&from.counters, &to.counters, kCounterWords, Move);
  VisitWords(&from.ledger, &to.ledger, kLedgerWords, Move);
  if (with_processes == MoveProcesses::kYes) Move(from.processes, to.processes);
}

void AddCounts(const Block& from, Block& to) {
  // Acquire: a reader looks at the fold counters after the last cell.
  const auto add = [](uint64_t& cell, uint64_t& sum) { Bump(sum, __atomic_load_n(&cell, __ATOMIC_ACQUIRE)); };
  Block& source = const_cast<Block&>(from);
  VisitWords(&source.counters, &to.counters, kCounterWords, add);
  VisitWords(&source.ledger, &to.ledger, kLedgerWords, add);
  add(source.processes, to.processes);
}

void NoteReset(SegmentView segment) {
  __atomic_store_n(&segment->reset_unix_ns, UnixNanos(), __ATOMIC_RELAXED);
  Bump(segment->resets);
}

}  // namespace ahead
