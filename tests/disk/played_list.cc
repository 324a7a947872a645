#include "tests/disk/played_list.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <vector>

#include "bench/disk/control.h"

namespace ahead::disk {
namespace {

constexpr size_t kAligned = 2 << 20;

// A description and what it has mapped.
class Reader {
 public:
  Reader(const std::filesystem::path& file, ByteCount size)
      : fd_(open(file.c_str(), O_RDONLY | O_CLOEXEC)), size_(static_cast<size_t>(size.value)) {}
  ~Reader() {
    if (reserved_ != nullptr) munmap(reserved_, size_ + kAligned);
    close(fd_);
  }
  Reader(const Reader&) = delete;

  bool Read(ByteRange range) {
    bytes_.resize(static_cast<size_t>(range.size().value));
    return pread(fd_, bytes_.data(), bytes_.size(), range.begin.value) >= 0;
  }

  bool Touch(ByteOffset at) {
    if (mapped_ == nullptr && !Map()) return false;
    (void)*static_cast<volatile char*>(mapped_ + at.value);
    return true;
  }

  // A fault maps what is cached of the 16 pages around it, counted from a multiple of 16 pages of memory: the mapping
  // begins at one, as large ones do.
  bool Map() {
    void* reserved = mmap(nullptr, size_ + kAligned, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return false;
    reserved_ = static_cast<char*>(reserved);
    char* begin = reserved_ + kAligned - reinterpret_cast<uintptr_t>(reserved_) % kAligned;
    if (mmap(begin, size_, PROT_READ, MAP_SHARED | MAP_FIXED, fd_, 0) == MAP_FAILED) return false;
    mapped_ = begin;
    return true;
  }

  bool Advise(HostAdvice advice, ByteRange range) {
    static constexpr int kNumbers[] = {POSIX_FADV_NORMAL,  POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM,
                                       POSIX_FADV_NOREUSE, POSIX_FADV_WILLNEED,   POSIX_FADV_DONTNEED};
    if (advice == HostAdvice::kWillNeed)
      return readahead(fd_, range.begin.value, static_cast<size_t>(range.size().value)) == 0;
    return posix_fadvise(fd_, range.begin.value, range.size().value, kNumbers[static_cast<int>(advice)]) == 0;
  }

 private:
  int fd_;
  size_t size_;
  char* reserved_ = nullptr;
  char* mapped_ = nullptr;
  std::vector<char> bytes_;
};

// Waits until nothing is on its way to or from the disk.
bool Settle(const std::filesystem::path& mountpoint) {
  static std::string report(kMostReportBytes, '\0');
  return getxattr(mountpoint.c_str(), kReportAttribute, report.data(), report.size()) > 0;
}

}  // namespace

bool Play(const sim::Workload& work, const std::filesystem::path& file, const std::filesystem::path& mountpoint,
          Pace pace) {
  // All of them first: on a mount that keeps no cache, an open drops what is cached.
  std::deque<Reader> readers;
  for (uint32_t i = 0; i < work.readers; ++i) readers.emplace_back(file, work.files[0].size);
  for (const sim::WorkStep& step : work.steps) {
    Reader& reader = readers[step.reader];
    bool done = false;
    if (step.kind == sim::StepKind::kRead) done = reader.Read(step.range);
    if (step.kind == sim::StepKind::kTouch) done = reader.Touch(step.range.begin);
    if (step.kind == sim::StepKind::kAdvise) done = reader.Advise(step.advice, step.range);
    if (!done || (pace == Pace::kStepwise && !Settle(mountpoint))) return false;
  }
  return Settle(mountpoint);
}

}  // namespace ahead::disk
