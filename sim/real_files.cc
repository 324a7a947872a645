#include "sim/real_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace ahead::sim {
namespace {

// The kernel's ABI (include/uapi/linux/mman.h, 6.5); Debian 12's headers do not have it yet.
constexpr long kCachestatNumber = 451;
struct CachestatRange {
  uint64_t offset;
  uint64_t length;
};
struct Cachestat {
  uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

absl::StatusOr<int> OpenChecked(const WorkFile& file) {
  const int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  const int error = errno;
  if (fd < 0 && (error == EMFILE || error == ENFILE))
    return absl::ResourceExhaustedError("too many descriptions for the limit of open files (ulimit -n)");
  if (fd < 0) return absl::FailedPreconditionError(absl::ErrnoToStatus(error, file.path).message());
  struct stat now {};
  std::string problem;
  if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode))
    problem = "is not a regular file any more";
  else if (now.st_size != file.size.value)
    problem = absl::StrCat("has ", now.st_size, " bytes, the trace says ", file.size.value);
  if (problem.empty()) return fd;
  close(fd);
  return absl::FailedPreconditionError(absl::StrCat(file.path, " ", problem));
}

}  // namespace

absl::StatusOr<RealFiles> RealFiles::Open(const Workload& work, bool aside) {
  RaiseFileLimit();
  RealFiles files;
  files.readers_.assign(work.readers, -1);
  files.owners_.assign(work.files.size(), -1);
  for (const WorkStep& read : work.steps) {
    int& fd = files.readers_[read.reader];
    if (fd >= 0) continue;
    const absl::StatusOr<int> opened = OpenChecked(work.files[read.file]);
    if (!opened.ok()) return opened.status();
    fd = files.owners_[read.file] = *opened;
  }
  for (const WorkFile& file : work.files) {
    files.paths_.push_back(file.path);
    if (!aside) continue;
    const absl::StatusOr<int> opened = OpenChecked(file);
    if (!opened.ok()) return opened.status();
    posix_fadvise(*opened, 0, 0, POSIX_FADV_RANDOM);
    files.aside_.push_back(*opened);
  }
  return files;
}

RealFiles::~RealFiles() {
  for (const int fd : readers_)
    if (fd >= 0) close(fd);
  for (const int fd : aside_) close(fd);
}

void RealFiles::SetRandom() const {
  for (const int fd : readers_)
    if (fd >= 0) posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
}

absl::Status RealFiles::Evict() const {
  sync();  // dirty pages stay
  for (size_t file = 0; file < owners_.size(); ++file) {
    const int fd = owners_[file];
    if (fd < 0) continue;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    const std::optional<int64_t> pages = CachedPages(fd, {});
    if (!pages)
      return absl::UnavailableError(absl::StrCat(paths_[file], ": the kernel does not say whether it is in memory"));
    if (*pages > 0) {
      return absl::UnavailableError(absl::StrCat(paths_[file], ": ", *pages,
                                                 " pages stay in memory; somebody uses them, or it was just written"));
    }
  }
  return absl::OkStatus();
}

std::optional<int64_t> CachedPages(int fd, ByteRange range) {
  CachestatRange asked = {static_cast<uint64_t>(range.begin.value), static_cast<uint64_t>(range.size().value)};
  Cachestat answer = {};
  if (syscall(kCachestatNumber, fd, &asked, &answer, 0) != 0) return std::nullopt;
  return static_cast<int64_t>(answer.cached);
}

int64_t PagesOf(ByteRange range) {
  static const int64_t page = sysconf(_SC_PAGESIZE);
  return range.empty() ? 0 : (range.end.value + page - 1) / page - range.begin.value / page;
}

}  // namespace ahead::sim
