// Where a command's output goes: to stdout, or to a file that is whole or not there.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "stats/new_file.h"

namespace ahead::cli {

// A file beside `path` with mode 0600, put in its place by Finish; without Finish nothing stays. An empty path or "-"
// is stdout. A device or a pipe is written to.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Returns false when it cannot be written; Finish then says why.
  bool Write(const std::string& text);

  // Error: one line that names the path.
  absl::Status Finish();

 private:
  std::string path_;
  std::optional<NewFile> file_;  // without it, what is written goes out at once
  std::string buffer_;
  int fd_ = -1;
  int error_ = 0;
};

// Writes `text` there, as an OutputFile of its own.
absl::Status WriteOutput(const std::string& path, const std::string& text);

}  // namespace ahead::cli
