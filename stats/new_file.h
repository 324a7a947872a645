// Where a command may put a new file: in the place of a file, and of nothing else. A rename onto a device, a pipe or a
// symbolic link would take that away instead of writing to it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>
#include <string_view>

namespace ahead {

// Says whether `path` leads to something that a new file must not replace: a device, a pipe, a socket. A folder is left
// to the kernel, which says so itself.
inline bool IsNoPlaceForFile(const std::string& path) {
  struct stat there;
  return stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

// Returns where `path` leads to: a symbolic link is followed as long as there is something behind it.
inline std::string BehindLinks(const std::string& path) {
  struct stat there;
  char real[PATH_MAX];
  const bool is_link = lstat(path.c_str(), &there) == 0 && S_ISLNK(there.st_mode);
  return is_link && realpath(path.c_str(), real) != nullptr ? real : path;
}

// While it lives, a write past RLIMIT_FSIZE fails in this thread instead of ending the process, which may have somebody
// else's exit status to report, and a file to take away.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalBlock() {
    if (sigismember(&before_, SIGXFSZ) == 1) return;
    // What the write failed with is still to be told; there being no signal is no failure.
    const int error = errno;
    constexpr timespec kNow{};
    sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

// Writes all of `bytes`. Returns false with errno set when that cannot be done.
inline bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = EIO;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

// A file beside the place that it is meant for, 0600, until it is put there; else nothing stays.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : place_(BehindLinks(path)), temporary_(place_ + ".XXXXXX") {
    fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  }
  ~NewFile() {
    if (fd_ < 0) return;
    close(fd_);
    if (!is_in_place_) unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // -1 with errno set, just after construction, when it could not be made.
  int fd() const { return fd_; }
  bool is_in_place() const { return is_in_place_; }

  // Replaces what is there. Returns false with errno set when that cannot be done. It may be written to afterwards.
  bool PutInPlace() { return is_in_place_ = rename(temporary_.c_str(), place_.c_str()) == 0; }

 private:
  std::string place_;
  std::string temporary_;
  int fd_ = -1;
  bool is_in_place_ = false;
};

}  // namespace ahead
