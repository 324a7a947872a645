#include "shim/residency.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace ahead {
namespace {

// Since Linux 6.5, the same number on every architecture. The structures are those of linux/mman.h, which older
// headers lack.
constexpr long kCachestat = 451;
struct CachestatRange {
  uint64_t offset;
  uint64_t length;
};
struct Cachestat {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

constexpr int kReadNowait = 0x8;  // RWF_NOWAIT

// Of the kernel, not of a file: not asked again. In .data, as the table of files.cc.
[[gnu::section(".data")]] constinit std::atomic<bool> no_cachestat{false};

}  // namespace

int64_t CountResidentPages(int fd, ByteRange range, ResidencySource& source) noexcept {
  if (!no_cachestat.load(std::memory_order_relaxed)) {
    const CachestatRange asked{static_cast<uint64_t>(range.begin.value), static_cast<uint64_t>(range.size().value)};
    Cachestat answer{};
    if (syscall(kCachestat, fd, &asked, &answer, 0) == 0) return static_cast<int64_t>(answer.cached);
    if (errno == ENOSYS) no_cachestat.store(true, std::memory_order_relaxed);
  }
  source = ResidencySource::kNowait;
  return -1;
}

bool IsReadableNow(int fd, ByteOffset offset, ResidencySource& source) noexcept {
  char byte;
  const iovec part{&byte, 1};
  const long got = syscall(SYS_preadv2, fd, &part, 1, offset.value, 0, kReadNowait);
  // EAGAIN: it would wait. Anything else, and the kernel or the file system does not answer such questions.
  if (got < 0 && errno != EAGAIN) source = ResidencySource::kTiming;
  return got == 1;
}

}  // namespace ahead
