// Which reads came to the disk, and in which order? One line each, for those who know what should have come.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "core/units.h"

namespace ahead::disk {

// Lines of `time offset length inode`: the monotonic clock in nanoseconds, and what the kernel asked for, which may go
// beyond the end of the file. Thread safety: none.
class RequestLog {
 public:
  // Begins file `path` anew, mode 0600. Returns false with errno set when it cannot.
  bool Open(const std::string& path);

  // Adds a line; nothing when no file is open.
  void Add(Nanos arrival, ByteRange asked, uint64_t inode);

  // Writes what was added to the file.
  void Flush();

  // Forgets all lines, written or not.
  void Clear();

 private:
  std::unique_ptr<FILE, int (*)(FILE*)> file_{nullptr, fclose};
};

}  // namespace ahead::disk
