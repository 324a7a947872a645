// Where a command may put a new file: in the place of a file, and of nothing else. A rename onto a device, a pipe or a
// symbolic link would take that away instead of writing to it.
#pragma once

#include <sys/stat.h>

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

}  // namespace ahead
