// Which file does a command name mean, as a shell would find it?
#pragma once

#include <string>

namespace ahead::cli {

inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

// Returns the exit status a shell gives for a command that could not be started because of `error` (an errno).
int ShellStatus(int error);

struct Program {
  std::string path;  // empty when `error` is set
  int error = 0;  // errno: ENOENT when there is no such file, EACCES when there are only ones that cannot be executed
};

// Looks `name` up in PATH unless it contains a '/'.
Program FindProgram(const std::string& name);

}  // namespace ahead::cli
