#include "cli/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stats/new_file.h"

namespace ahead::cli {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

bool WriteAll(int fd, const std::string& text) {
  const FileSizeSignalBlock no_signal;
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = write(fd, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") {
    path_.clear();
    fd_ = STDOUT_FILENO;
    return;
  }
  if (IsNoPlaceForFile(path_)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0) error_ = errno;
    return;
  }
  place_ = BehindLinks(path_);
  temporary_ = place_ + ".XXXXXX";
  fd_ = mkstemp(temporary_.data());  // 0600
  if (fd_ < 0) error_ = errno;
}

OutputFile::~OutputFile() {
  if (path_.empty() || fd_ < 0) return;
  close(fd_);
  if (!place_.empty()) unlink(temporary_.c_str());
}

bool OutputFile::Write(const std::string& text) {
  if (error_ != 0) return false;
  buffer_ += text;
  if (buffer_.size() < kBufferBytes) return true;
  if (!WriteAll(fd_, buffer_)) error_ = errno;
  buffer_.clear();
  return error_ == 0;
}

absl::Status OutputFile::Finish() {
  if (error_ == 0 && !WriteAll(fd_, buffer_)) error_ = errno;
  buffer_.clear();
  if (error_ == 0 && !place_.empty()) {
    if (rename(temporary_.c_str(), place_.c_str()) == 0)
      close(std::exchange(fd_, -1));
    else
      error_ = errno;
  }
  if (error_ == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(error_,
                             path_.empty() ? "cannot write to stdout" : absl::StrCat("cannot write '", path_, "'"));
}

}  // namespace ahead::cli
