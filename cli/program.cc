#include "cli/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ahead::cli {
namespace {

// Returns 0 or the errno that execve would give for the file's type and permissions.
int ExecutableError(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

int ShellStatus(int error) { return error == ENOENT ? kNotFound : kNotExecutable; }

Program FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const int error = ExecutableError(name);
    return error == 0 ? Program{name, 0} : Program{"", error};
  }
  const char* path = getenv("PATH");
  int error = ENOENT;
  // The search path of execvp where there is none.
  const std::vector<std::string> folders = absl::StrSplit(path != nullptr ? path : "/bin:/usr/bin", ':');
  for (const std::string& folder : folders) {
    if (name.empty()) break;
    const std::string candidate = absl::StrCat(folder.empty() ? std::string(".") : folder, "/", name);
    const int reason = ExecutableError(candidate);
    if (reason == 0) return {candidate, 0};
    if (reason == EACCES) error = EACCES;
  }
  return {"", error};
}

}  // namespace ahead::cli
