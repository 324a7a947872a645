#include "shim/cgroup.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/memory_texts.h"

namespace ahead {
namespace {

// Too large for the stacks that hosts give their threads.
constinit char text[2048];
constinit CgroupFolders folders;

// Reads what fits; returns how much, 0 where nothing can be read. What a host has in its own root by that name may be a
// pipe that nobody writes to.
size_t Read(const char* path, char* to, size_t size) {
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return 0;
  const long got = syscall(SYS_read, fd, to, size);
  syscall(SYS_close, fd);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

}  // namespace

int64_t LeastCgroupLimit() noexcept {
  folders.Begin(text, Read("/proc/self/cgroup", text, sizeof(text)), "");
  int64_t least = 0;
  while (folders.Next()) least = LesserLimit(least, LimitHere(folders, Read));
  return least;
}

}  // namespace ahead
