#include "shim/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/safety.h"
#include "shim/cgroup.h"
#include "shim/guard.h"
#include "shim/runtime.h"

namespace ahead {
namespace {

// What one readahead call is sure to take (design, fact 1).
constexpr int64_t kPieceBytes = 128 << 10;
// Of the machine's memory, what one process may fill with data not read yet. Not of what is free: memory that caches
// files is not, and yet is there to be had.
constexpr int64_t kShare = 16;
constexpr int64_t kLeastMemory = int64_t{16} << 20;
// More would each get little of it.
constexpr int64_t kFewStreams = 16;
constexpr int64_t kMostMemory = int64_t{1} << 30;

// With less outstanding than this a process does not look at what others hold, unless they held something at the last
// look: most never do. One that forgot them would fill their room each time it has read what it had.
constexpr int64_t kLookAtOthers = int64_t{1} << 20;
// Decisions between two looks: each takes 0.1 us for a process of the run that holds something.
constexpr uint32_t kDecisionsPerLook = 64;

// What the other processes of the run held at the last look. Thread safety: two threads may both look.
struct Others {
  std::atomic<uint32_t> decisions{0};  // until the next look
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> streams{0};
};
[[gnu::section(".data")]] constinit Others others{};

// 0 until it is first asked for. In .data, as the table of files.cc.
[[gnu::section(".data")]] constinit std::atomic<int64_t> remembered_budget{0};
// A thread looks for the limit of the cgroup, or has: others do not, meanwhile or ever.
[[gnu::section(".data")]] constinit std::atomic<bool> is_limit_looked_for{false};
[[gnu::section(".data")]] constinit std::atomic<int64_t> cgroup_budget{kMostMemory};

// For kernels before 4.11 and sandboxes that do not know statx.
bool LookAtByFstat(int fd, DescriptorFacts& facts) {
  struct stat now;
  if (syscall(SYS_fstat, fd, &now) != 0) return false;
  facts = {S_ISREG(now.st_mode), {now.st_dev, now.st_ino}, {now.st_size}, major(now.st_dev) != 0};
  return true;
}

// A block device has a major number. btrfs, overlayfs and network file systems have none; but the local ones among
// those know the inode flags of ext2, which no network protocol carries. Asking statfs would tell too, but it is a
// round trip to the server of a FUSE mount.
bool IsLocal(const struct statx& now) {
  constexpr uint64_t kLocalFlags = STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE | STATX_ATTR_NODUMP;
  return now.stx_dev_major != 0 || (now.stx_attributes_mask & kLocalFlags) != 0;
}

// What the cgroup leaves to file data, looked for by the first thread that comes; the most there may be until then.
int64_t LimitOfCgroup() {
  const int64_t limit = LeastCgroupLimit();
  const int64_t budget = limit > 0 && limit < kMostMemory ? LeftToFiles(limit) : kMostMemory;
  cgroup_budget.store(budget, std::memory_order_relaxed);
  return budget;
}

// Of the machine's memory: a share.
int64_t ShareOfMachine(ByteCount count) {
  int64_t budget = remembered_budget.load(std::memory_order_relaxed);
  if (budget != 0) return budget;
  // Most processes never have so much outstanding that it matters, and the call takes 3 us.
  // A burst is as large as memory allows from its first request on.
  const bool is_little = OutstandingBytes() + count.value < kLeastMemory / 4 && ActiveStreams() < kFewStreams;
  if (is_little && runtime.options().max_time == 0) return kLeastMemory;
  struct sysinfo memory;
  budget = kLeastMemory;
  if (sysinfo(&memory) == 0) {
    budget = static_cast<int64_t>(memory.totalram * memory.mem_unit) / kShare;
  }
  budget = budget < kLeastMemory ? kLeastMemory : budget > kMostMemory ? kMostMemory : budget;
  remembered_budget.store(budget, std::memory_order_relaxed);
  return budget;
}

// The memory there is for data fetched ahead: what the run found, else a share of the machine's, within the cgroup's.
int64_t MemoryBudget(ByteCount count) {
  if (const int64_t found = runtime.run_memory(); found > 0) return found < kMostMemory ? found : kMostMemory;
  // Files are opened to look, one at a time. Who has several threads might see a number taken that should be free: for
  // those it was looked for before they had (LookBeforeThreads).
  const bool is_much =
      __libc_single_threaded != 0 && (OutstandingBytes() >= kLeastMemory / 4 || ActiveStreams() >= kFewStreams);
  int64_t most = cgroup_budget.load(std::memory_order_relaxed);
  if (is_much && !is_limit_looked_for.load(std::memory_order_relaxed) &&
      !is_limit_looked_for.exchange(true, std::memory_order_relaxed))
    most = LimitOfCgroup();
  const int64_t share = ShareOfMachine(count);
  return share < most ? share : most;
}

Held HeldByTheRest(int64_t own) {
  if (own < kLookAtOthers && others.bytes.load(std::memory_order_relaxed) == 0) return {};
  const uint32_t left = others.decisions.load(std::memory_order_relaxed);
  others.decisions.store(left == 0 ? kDecisionsPerLook : left - 1, std::memory_order_relaxed);
  if (left != 0) return {others.bytes.load(std::memory_order_relaxed), others.streams.load(std::memory_order_relaxed)};
  const Held now = runtime.HeldByOthersOfRun();
  others.bytes.store(now.bytes, std::memory_order_relaxed);
  others.streams.store(now.streams, std::memory_order_relaxed);
  return now;
}

}  // namespace

Nanos Now() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {now.tv_sec * 1'000'000'000 + now.tv_nsec};
}

bool LookAt(int fd, DescriptorFacts& facts) noexcept {
  struct statx now;
  constexpr unsigned kWanted = STATX_TYPE | STATX_SIZE | STATX_INO;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, kWanted, &now) != 0)
    return errno != EBADF && LookAtByFstat(fd, facts);
  facts = {S_ISREG(now.stx_mode),
           {makedev(now.stx_dev_major, now.stx_dev_minor), now.stx_ino},
           {static_cast<int64_t>(now.stx_size)},
           IsLocal(now)};
  return true;
}

int64_t OffsetOf(int fd) noexcept { return syscall(SYS_lseek, fd, 0, SEEK_CUR); }

int64_t OffsetAt(const off_t* place) noexcept {
  const ErrnoSaver errno_saver;
  constexpr int64_t kUnreadable = -2;
  int64_t offset = kUnreadable;
  const iovec here{&offset, sizeof(offset)};
  const iovec there{const_cast<off_t*>(place), sizeof(offset)};
  const long pid = syscall(SYS_getpid);
  if (syscall(SYS_process_vm_readv, pid, &here, 1L, &there, 1L, 0L) != sizeof(offset)) return kUnreadable;
  return offset < 0 ? kUnreadable : offset;
}

bool ReadsThroughCache(int fd) noexcept {
  const long flags = syscall(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && (flags & (O_DIRECT | O_PATH)) == 0;
}

void LookBeforeThreads() noexcept {
  if (__libc_single_threaded == 0 || is_limit_looked_for.load(std::memory_order_relaxed)) return;
  if (!runtime.is_on() || runtime.is_of_run()) return;
  const ErrnoSaver errno_saver;
  const Section section;
  if (!section.entered() || !runtime.MayCall() || !runtime.IsStartedProcess()) return;
  if (!is_limit_looked_for.exchange(true, std::memory_order_relaxed)) LimitOfCgroup();
}

Facts FactsFor(ByteCount size, bool is_local, uint32_t folder, ByteCount count) noexcept {
  const auto page = static_cast<int64_t>(runtime.page_bytes());
  Facts facts;
  facts.file_size = size < kLargestFile ? size : kLargestFile;
  facts.page = {page};
  facts.piece = {(kPieceBytes + page - 1) / page * page};
  facts.kernel_window = facts.piece;
  facts.kernel_leads = is_local;
  const ByteCount own{OutstandingBytes()};
  const Held rest = HeldByTheRest(own.value);
  const MemoryUse use{own, own + ByteCount{rest.bytes}, ActiveStreams(), ActiveStreams() + rest.streams};
  runtime.learnt().Tell(facts, folder, {MemoryBudget(count)}, use, runtime.options());
  return facts;
}

}  // namespace ahead
