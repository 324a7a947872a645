#include "stats/trace_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "stats/file_calls.h"
#include "stats/segment_map.h"

namespace ahead {
namespace {

constinit Trace g_trace;

int64_t Clock(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool IsMagic(const char* magic) {
  for (size_t i = 0; i < sizeof(kTraceMagic); ++i)
    if (magic[i] != kTraceMagic[i]) return false;
  return true;
}

// Says whether another process may be in the middle of writing this header: no magic yet, and nothing else but what it
// will hold.
bool IsInTheMaking(const TraceHeader& header, int64_t size) {
  for (const char c : header.magic)
    if (c != 0) return false;
  const auto is = [](uint64_t field, uint64_t value) { return field == 0 || field == value; };
  return is(header.version, kTraceVersion) && is(header.header_bytes, kTraceHeaderBytes) &&
         is(header.chunk_bytes, kTraceChunkBytes) && is(header.chunk_count, TraceCapacity({size}));
}

// Says whether the header is of our layout; its chunks fit into a file of `size` bytes.
bool IsOurs(const TraceHeader& header, int64_t size) {
  return IsMagic(header.magic) && header.version == kTraceVersion && header.header_bytes == kTraceHeaderBytes &&
         header.chunk_bytes == kTraceChunkBytes && (header.flags & TraceHeader::kCompressed) == 0 &&
         header.chunk_count != 0 && header.chunk_count <= TraceCapacity({size});
}

// Says whether the processor has a counter that counts evenly and on all its cores alike ("invariant TSC").
bool HasTicks() {
#if defined(__x86_64__)
  constexpr unsigned kPower = 0x80000007;
  constexpr unsigned kInvariant = 1u << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPower, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
#else
  return false;
#endif
}

// Writes the header of a trace whose header page reads 0. Several processes may do so at once: what they write is the
// same but for the clocks, and the counters are not touched. The magic comes last.
void Init(TraceHeader* header, ByteCount total, ByteCount page) {
  header->version = kTraceVersion;
  header->header_bytes = kTraceHeaderBytes;
  header->chunk_bytes = kTraceChunkBytes;
  header->page_bytes = static_cast<uint32_t>(page.value);
  header->flags = HasTicks() ? TraceHeader::kHasTicks : 0;
  header->chunk_count = TraceCapacity(total);
  header->monotonic_ns = Clock(CLOCK_MONOTONIC);
  header->realtime_ns = Clock(CLOCK_REALTIME);
  uint64_t magic;
  __builtin_memcpy(&magic, kTraceMagic, sizeof(magic));
  __atomic_store_n(reinterpret_cast<uint64_t*>(header->magic), magic, __ATOMIC_RELEASE);
}

// Makes the file at least `bytes` long and its space certain. Where the file system cannot reserve, zeros are appended
// (the descriptor has O_APPEND), so what another process already recorded is never overwritten.
bool Reserve(int fd, int64_t bytes) {
  if (!MayGrowTo(static_cast<uint64_t>(bytes))) return false;
  if (Uninterrupted([&] { return syscall(SYS_fallocate, fd, 0, 0L, bytes); }) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  static constexpr char kZeros[16384] = {};
  struct stat now;
  while (syscall(SYS_fstat, fd, &now) == 0) {
    if (now.st_size >= bytes) return true;
    if (Uninterrupted([&] { return syscall(SYS_write, fd, kZeros, sizeof(kZeros)); }) <= 0) return false;
  }
  return false;
}

void* Map(int fd, int64_t bytes) {
  const long address = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
  return address == -1 ? nullptr : reinterpret_cast<void*>(address);
}

int64_t BytesOf(uint64_t chunk_count) {
  return static_cast<int64_t>(kTraceHeaderBytes + chunk_count * kTraceChunkBytes);
}

// What was used before stays mapped: a writer that a fork interrupted may go on with it.
void Use(void* mapping, uint64_t chunk_count) {
  g_trace.header = static_cast<TraceHeader*>(mapping);
  g_trace.chunks = static_cast<char*>(mapping) + kTraceHeaderBytes;
  g_trace.chunk_count = chunk_count;
  g_trace.has_ticks = (g_trace.header->flags & TraceHeader::kHasTicks) != 0;
  const uint64_t space = g_trace.header->pid_namespace;
  g_trace.chunk_flags = space != 0 && space != PidNamespace() ? TraceChunk::kForeign : 0;
}

TraceError OpenFile(int fd, int64_t new_bytes, ByteCount page) {
  struct stat now;
  if (syscall(SYS_fstat, fd, &now) != 0) return TraceError::kCannotOpen;
  if (!S_ISREG(now.st_mode)) return TraceError::kNotATrace;
  TraceHeader header{};
  Uninterrupted([&] { return syscall(SYS_pread64, fd, &header, sizeof(header), 0L); });
  const bool is_new = now.st_size == 0 || (now.st_size == new_bytes && IsInTheMaking(header, new_bytes));
  if (!is_new && !IsOurs(header, now.st_size)) return TraceError::kNotATrace;
  if (is_new && !Reserve(fd, new_bytes)) return TraceError::kNoSpace;
  const uint64_t capacity = is_new ? TraceCapacity({new_bytes}) : header.chunk_count;
  void* mapping = Map(fd, BytesOf(capacity));
  if (mapping == nullptr) return TraceError::kCannotOpen;
  auto* shared = static_cast<TraceHeader*>(mapping);
  if (__atomic_load_n(reinterpret_cast<uint64_t*>(shared->magic), __ATOMIC_ACQUIRE) == 0)
    Init(shared, {new_bytes}, page);
  Use(mapping, capacity);
  return TraceError::kNone;
}

}  // namespace

Trace* OpenTrace(const char* pattern, pid_t pid, ByteCount page, TraceError& error) {
  char path[4096];
  error = TraceError::kCannotOpen;
  if (!ExpandProcessPattern(pattern, pid, path, sizeof(path))) return nullptr;
  // Not blocking, no terminal taken: the path may name anything.
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const long fd = Uninterrupted([&] { return syscall(SYS_openat, AT_FDCWD, path, flags, 0600); });
  if (fd < 0) return nullptr;
  const ByteCount size = HasProcessPattern(pattern) ? kTraceProcessFileSize : kTraceFileSize;
  error = OpenFile(static_cast<int>(fd), size.value, page);
  const int saved = error == TraceError::kNotATrace ? EBADMSG : errno;
  syscall(SYS_close, fd);
  errno = saved;
  return error == TraceError::kNone ? &g_trace : nullptr;
}

int CreateTraceMemfd(ByteCount total, ByteCount page) {
  if (TraceCapacity(total) == 0 || !MayGrowTo(static_cast<uint64_t>(total.value))) {
    errno = EFBIG;
    return -1;
  }
  const int fd = MakeMemfd(kTraceMemfdName);
  if (fd < 0) return -1;
  const int64_t head = kTraceHeaderBytes;
  void* mapping = nullptr;
  if (syscall(SYS_fchmod, fd, 0600) == 0 && syscall(SYS_ftruncate, fd, total.value) == 0) mapping = Map(fd, head);
  if (mapping != nullptr) {
    auto* header = static_cast<TraceHeader*>(mapping);
    header->pid_namespace = PidNamespace();
    Init(header, total, page);
    syscall(SYS_munmap, mapping, head);
    if (syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) return fd;
  }
  const int saved = errno;
  syscall(SYS_close, fd);
  errno = saved;
  return -1;
}

uint64_t TraceCapacity(ByteCount total) {
  const auto bytes = static_cast<uint64_t>(total.value < 0 ? 0 : total.value);
  if (bytes < kTraceHeaderBytes + kTraceChunkBytes) return 0;
  const uint64_t chunks = (bytes - kTraceHeaderBytes) / kTraceChunkBytes;
  return chunks < kTraceMaxChunks ? chunks : kTraceMaxChunks;
}

// From the text of a link, "pid:[4026531836]": it can be read where the file it leads to may not be asked about.
uint64_t PidNamespace() {
  char text[32];
  const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", text, sizeof(text));
  uint64_t inode = 0;
  for (long i = 0; i < length; ++i)
    if (text[i] >= '0' && text[i] <= '9') inode = inode * 10 + static_cast<uint64_t>(text[i] - '0');
  return inode;
}

}  // namespace ahead
