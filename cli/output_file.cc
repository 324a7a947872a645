#include "cli/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ahead::cli {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

bool Put(int fd, const std::string& text) {
  const FileSizeSignalBlock no_signal;
  return WriteAll(fd, text);
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
  file_.emplace(path_);
  fd_ = file_->fd();
  if (fd_ < 0) error_ = errno;
}

OutputFile::~OutputFile() {
  if (!path_.empty() && !file_ && fd_ >= 0) close(fd_);
}

bool OutputFile::Write(const std::string& text) {
  if (error_ != 0) return false;
  buffer_ += text;
  if (buffer_.size() < kBufferBytes) return true;
  if (!Put(fd_, buffer_)) error_ = errno;
  buffer_.clear();
  return error_ == 0;
}

absl::Status OutputFile::Finish() {
  if (error_ == 0 && !Put(fd_, buffer_)) error_ = errno;
  buffer_.clear();
  if (error_ == 0 && file_ && !file_->PutInPlace()) error_ = errno;
  if (error_ == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(error_,
                             path_.empty() ? "cannot write to stdout" : absl::StrCat("cannot write '", path_, "'"));
}

absl::Status WriteOutput(const std::string& path, const std::string& text) {
  OutputFile output(path);
  output.Write(text);
  return output.Finish();
}

}  // namespace ahead::cli
