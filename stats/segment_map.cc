#include "stats/segment_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stats/file_calls.h"

namespace ahead {
namespace {

// The first words of a segment, as read from a file before anything is mapped.
struct Head {
  uint64_t magic;
  uint32_t block_count;
};

void Close(int fd) {
  const int saved = errno;
  syscall(SYS_close, fd);
  errno = saved;
}

// Says whether the first `size` bytes of the file are all zero: what somebody began to make, and not somebody's data.
bool IsBlank(int fd, size_t size) {
  char part[4096];
  for (size_t at = 0; at < size;) {
    const long got = Uninterrupted([&] { return syscall(SYS_pread64, fd, part, sizeof(part), at); });
    if (got <= 0) return false;
    for (long i = 0; i < got; ++i)
      if (part[i] != 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

// Lengthens the file to `bytes` with zeros, for file systems that cannot reserve space. The descriptor appends, so what
// another process of the run already counts there is never overwritten; what several appended too much is cut.
bool AppendZeros(int fd, size_t bytes) {
  constexpr char kZeros[4096] = {};
  for (;;) {
    struct stat now;
    if (syscall(SYS_fstat, fd, &now) != 0) return false;
    const auto size = static_cast<size_t>(now.st_size);
    if (size == bytes) return true;
    if (size > bytes) return syscall(SYS_ftruncate, fd, bytes) == 0;
    const size_t part = bytes - size < sizeof(kZeros) ? bytes - size : sizeof(kZeros);
    if (Uninterrupted([&] { return syscall(SYS_write, fd, kZeros, part); }) <= 0) return false;
  }
}

// Makes the file at least `bytes` long and its space certain. REQUIRES: it is blank or a segment of that size.
bool Reserve(int fd, const struct stat& now, size_t bytes) {
  const auto size = static_cast<size_t>(now.st_size);
  if (size >= bytes && static_cast<size_t>(now.st_blocks) * 512 >= bytes) return true;
  if (!MayGrowTo(bytes)) return false;
  if (Uninterrupted([&] { return syscall(SYS_fallocate, fd, 0, 0, bytes); }) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  return size >= bytes || AppendZeros(fd, bytes);
}

void* Map(int fd, size_t bytes) {
  const long address = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
  return address == -1 ? nullptr : reinterpret_cast<void*>(address);
}

// Looks at what the file holds before anything of it is touched, then maps it.
SegmentView MapOpenFile(int fd, MapMode mode, uint32_t block_count) {
  // In this order: a segment that appears between the two calls is then never taken for one that was cut short.
  Head head{};
  struct stat now;
  Uninterrupted([&] { return syscall(SYS_pread64, fd, &head, sizeof(head), 0); });
  if (syscall(SYS_fstat, fd, &now) != 0) return {};
  const bool is_regular = S_ISREG(now.st_mode);
  const auto size = static_cast<size_t>(now.st_size);
  const SegmentFault fault = CheckHead(head.magic, head.block_count, size);
  // Nothing but zeros, and not many more than our own, is a file that is empty or that another process is filling.
  const bool is_new = fault == SegmentFault::kBlank && mode == MapMode::kCreate &&
                      size <= 2 * SegmentBytes(block_count) && IsBlank(fd, size);
  if (!is_regular || (fault != SegmentFault::kNone && !is_new)) {
    errno = EBADMSG;
    return {};
  }
  const size_t bytes = SegmentBytes(is_new ? block_count : head.block_count);
  if (mode == MapMode::kCreate && !Reserve(fd, now, bytes)) return {};
  void* mapped = Map(fd, bytes);
  if (mapped == nullptr) return {};
  // Of the size that is mapped and will be unmapped, whatever the header has come to say.
  const SegmentView segment = is_new ? InitSegment(mapped, bytes, block_count, 0, nullptr) : OpenSegment(mapped, bytes);
  if (segment && SegmentBytes(segment.block_count()) == bytes) return segment;
  syscall(SYS_munmap, mapped, bytes);
  errno = EBADMSG;
  return {};
}

bool FillMemfd(int fd, const char* options, uint32_t block_count) {
  const size_t bytes = SegmentBytes(block_count);
  if (!MayGrowTo(bytes) || syscall(SYS_fchmod, fd, 0600) != 0 || syscall(SYS_ftruncate, fd, bytes) != 0) return false;
  void* mapped = Map(fd, bytes);
  if (mapped == nullptr) return false;
  const auto pid = static_cast<pid_t>(syscall(SYS_getpid));
  const bool is_made = static_cast<bool>(InitSegment(mapped, bytes, block_count, pid, options));
  syscall(SYS_munmap, mapped, bytes);
  return is_made && syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

}  // namespace

SegmentView MapSegmentFile(const char* path, MapMode mode, uint32_t block_count) {
  // Not blocking, no terminal taken: the path may name anything. O_APPEND is for AppendZeros.
  const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_APPEND | (mode == MapMode::kCreate ? O_CREAT : 0);
  const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, 0600));
  if (fd < 0) return {};
  // Where it reads as damaged while another process is making it, looking again tells.
  constexpr int kLooks = 5;
  SegmentView segment;
  for (int look = 0; !segment && look < kLooks && (look == 0 || errno == EBADMSG); ++look)
    segment = MapOpenFile(fd, mode, block_count);
  Close(fd);
  return segment;
}

SegmentView MapStatsFile(const char* pattern, pid_t pid) {
  char path[4096];
  if (!ExpandProcessPattern(pattern, pid, path, sizeof(path))) {
    errno = ENAMETOOLONG;
    return {};
  }
  return MapSegmentFile(path, MapMode::kCreate, HasProcessPattern(pattern) ? 1 : kBlockCount);
}

void UnmapSegment(SegmentView segment) { syscall(SYS_munmap, segment.get(), SegmentBytes(segment.block_count())); }

int CreateSegmentMemfd(const char* options, uint32_t block_count) {
  const int fd = MakeMemfd(kSessionMemfdName);
  if (fd < 0 || FillMemfd(fd, options, block_count)) return fd;
  Close(fd);
  return -1;
}

bool HasProcessPattern(const char* pattern) {
  for (; *pattern != 0; ++pattern)
    if (*pattern == '%' && *++pattern != '%') {
      if (*pattern == 'p') return true;
      if (*pattern == 0) break;
    }
  return false;
}

bool ExpandProcessPattern(const char* pattern, pid_t pid, char* out, size_t size) {
  char digits[12];
  int count = 0;
  for (auto rest = static_cast<uint32_t>(pid); rest != 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  size_t at = 0;
  const auto put = [&](char c) {
    if (at < size) out[at] = c;
    ++at;
  };
  for (; *pattern != 0; ++pattern) {
    if (pattern[0] == '%' && pattern[1] == 'p') {
      for (int i = count; i > 0;) put(digits[--i]);
      ++pattern;
    } else {
      put(*pattern);
      if (pattern[0] == '%' && pattern[1] == '%') ++pattern;
    }
  }
  put(0);
  return at <= size;
}

}  // namespace ahead
