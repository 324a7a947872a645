#include "cli/cold.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "cli/residency.h"

namespace ahead::cli {
namespace {

constexpr size_t kCheckedPerDrop = 256;

// Neither waits for a writer of a fifo nor takes a terminal that took a file's place.
int OpenToLook(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOATIME | O_NOCTTY | O_NONBLOCK);
}

int OpenAnyOwner(const std::string& path) {
  const int fd = OpenToLook(path);
  // O_NOATIME is for a file's owner only.
  return fd >= 0 || errno != EPERM ? fd : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

}  // namespace

ColdMethod ChooseColdMethod(const std::string& name) {
  if (name == "none") return ColdMethod::kNone;
  if (name == "drop" || (name == "auto" && geteuid() == 0)) return ColdMethod::kDrop;
  return ColdMethod::kEvict;
}

const char* ColdMethodName(ColdMethod method) {
  switch (method) {
    case ColdMethod::kDrop:
      return "drop";
    case ColdMethod::kEvict:
      return "evict";
    case ColdMethod::kNone:
      break;
  }
  return "none";
}

std::string Cooler::MakeCold() {
  if (method_ == ColdMethod::kNone) return "";
  sync();
  if (method_ == ColdMethod::kEvict) return EvictAll(), "";
  if (std::string refused = Drop(); !refused.empty()) return refused;
  CheckSome();
  // Looking brought the names back into memory.
  return Drop();
}

std::string Cooler::Drop() {
  const int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  const bool is_done = fd >= 0 && write(fd, "3", 1) == 1;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (is_done) return "";
  return absl::StrCat("cannot write /proc/sys/vm/drop_caches: ", strerror(error), "; --cold evict needs no root");
}

void Cooler::EvictAll() {
  for (const std::string& path : files_) {
    const int fd = OpenAnyOwner(path);
    if (fd < 0) continue;  // the command removes it, as sort does its temporary files
    const absl::Cleanup closer = [fd] { close(fd); };
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    Note(path, fd);
  }
}

void Cooler::CheckSome() {
  for (size_t looked = 0; looked < std::min(kCheckedPerDrop, files_.size()); ++looked) {
    const std::string& path = files_[next_++ % files_.size()];
    const int fd = OpenAnyOwner(path);
    if (fd < 0) continue;
    const absl::Cleanup closer = [fd] { close(fd); };
    Note(path, fd);
  }
}

void Cooler::Note(const std::string& path, int fd) {
  ++checked_;
  const std::optional<int64_t> resident = ResidentBytes(fd);
  if (!resident) ++unknown_;
  if (!resident || *resident == 0) return;
  Warm& warm = warm_[path];
  ++warm.times;
  warm.most_bytes = std::max(warm.most_bytes, *resident);
}

}  // namespace ahead::cli
