// Where a command may put a new file: in the place of a file, and of nothing else. A rename onto a device, a pipe or a
// symbolic link would take that away instead of writing to it.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <climits>
#include <cstdlib>
#include <string>

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
    constexpr timespec kNow{};
    sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

}  // namespace ahead
