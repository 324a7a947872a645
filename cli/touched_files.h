// Which files does a command read? Watched once, in a run that is not timed, so that they can be made cold for the
// runs that are.
#pragma once

#include <string>
#include <vector>

#include "cli/launch.h"

namespace ahead::cli {

// Runs a command under ptrace and notes the regular files that it and its children open for reading. A seccomp filter
// stops it at the calls that open files and at executable mappings only, so that a run of many reads is not slowed
// down. Set-user-ID programs run without their privileges. Works without root; where tracing is not allowed (some
// containers) the command runs untraced and the list stays empty.
class OpenWatch {
 public:
  // Errors: `fd() < 0`, when memory for the list cannot be had.
  OpenWatch();
  ~OpenWatch();
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;

  // As Launch, but of a process that watches the command and ends as the command ends.
  Launched Start(const std::string& path, const std::vector<std::string>& words, Environment& environment,
                 const SignalScope& signals, const Streams& streams);

  // Returns what was opened, after the started process has ended: no code (executable mappings), no empty file, nothing
  // that is gone, each once, sorted.
  std::vector<std::string> Files() const;

 private:
  int list_fd_;
};

// Returns the regular files among the words of a command and below folders that are among them; what to assume of a
// command that cannot be watched. Symbolic links below a folder are not followed.
std::vector<std::string> FilesNamedBy(const std::vector<std::string>& words);

// Removes the files of the system (/usr, /lib, /etc, ...), which other programs use as well and which are warm in
// practice, unless a word of the command names something in such a folder.
void RemoveSystemFiles(std::vector<std::string>& files, const std::vector<std::string>& words);

}  // namespace ahead::cli
