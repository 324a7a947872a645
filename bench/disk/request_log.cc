#include "bench/disk/request_log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

namespace ahead::disk {

bool RequestLog::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  file_.reset(fdopen(fd, "a"));
  if (file_ == nullptr) close(fd);
  return file_ != nullptr;
}

void RequestLog::Add(Nanos arrival, ByteRange asked, uint64_t inode) {
  if (file_ == nullptr) return;
  fprintf(file_.get(), "%" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", arrival.value, asked.begin.value,
          asked.size().value, inode);
}

void RequestLog::Flush() {
  if (file_ != nullptr) fflush(file_.get());
}

void RequestLog::Clear() {
  if (file_ == nullptr) return;
  fflush(file_.get());
  // Appends go to the end, wherever that is; what cannot be cut off stays, which its reader sees by the times.
  if (ftruncate(fileno(file_.get()), 0) != 0) return;
}

}  // namespace ahead::disk
