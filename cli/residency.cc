#include "cli/residency.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace ahead::cli {
namespace {

// The kernel's ABI (include/uapi/linux/mman.h, 6.5); Debian 12's headers do not have it yet.
constexpr long kCachestatNumber = 451;
struct CachestatRange {
  uint64_t offset;
  uint64_t length;  // 0: to the end of the file
};
struct Cachestat {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::optional<int64_t> ByCachestat(int fd) {
  CachestatRange whole = {0, 0};
  Cachestat answer = {};
  if (syscall(kCachestatNumber, fd, &whole, &answer, 0) != 0) return std::nullopt;
  return static_cast<int64_t>(answer.cached) * sysconf(_SC_PAGESIZE);
}

// As can_do_mincore in the kernel: the caller owns the file or may write it.
bool MincoreTellsTruth(int fd, const struct stat& file) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return geteuid() == 0 || file.st_uid == geteuid() || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

std::optional<int64_t> ByMincore(int fd) {
  struct stat file;
  if (fstat(fd, &file) != 0 || !MincoreTellsTruth(fd, file)) return std::nullopt;
  const int64_t page = sysconf(_SC_PAGESIZE);
  constexpr int64_t kStep = int64_t{64} << 20;
  std::vector<unsigned char> pages(static_cast<size_t>(kStep / page));
  int64_t resident = 0;
  for (int64_t at = 0; at < file.st_size; at += kStep) {
    const auto length = static_cast<size_t>(std::min(kStep, file.st_size - at));
    void* memory = mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, at);
    if (memory == MAP_FAILED) return std::nullopt;
    const bool is_known = mincore(memory, length, pages.data()) == 0;
    munmap(memory, length);
    if (!is_known) return std::nullopt;
    const size_t count = (length + static_cast<size_t>(page) - 1) / static_cast<size_t>(page);
    resident += std::count_if(pages.begin(), pages.begin() + static_cast<ptrdiff_t>(count),
                              [](unsigned char state) { return (state & 1) != 0; }) *
                page;
  }
  return resident;
}

}  // namespace

std::optional<int64_t> ResidentBytes(int fd) {
  const std::optional<int64_t> answer = ByCachestat(fd);
  return answer ? answer : ByMincore(fd);
}

}  // namespace ahead::cli
