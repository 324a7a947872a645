#include "shim/cgroup.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ahead {
namespace {

constexpr int64_t kNoLimit = int64_t{1} << 60;
// Too large for the stacks that hosts give their threads.
constinit char text[2048];
constinit MemoryCgroup cgroup;
constinit char path[640];

bool Matches(const char* begin, const char* end, const char* word) {
  while (begin != end && *word != 0 && *begin == *word) ++begin, ++word;
  return begin == end && *word == 0;
}

// Says whether `word` is one of the names between commas.
bool Lists(const char* begin, const char* end, const char* word) {
  while (begin <= end) {
    const char* comma = begin;
    while (comma != end && *comma != ',') ++comma;
    if (Matches(begin, comma, word)) return true;
    begin = comma + 1;
  }
  return false;
}

// Reads what fits; returns how much, 0 where nothing can be read. What a host has in its own root by that name may be a
// pipe that nobody writes to.
size_t Read(const char* name, char* to, size_t size) {
  const long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return 0;
  const long got = syscall(SYS_read, fd, to, size);
  syscall(SYS_close, fd);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

// Appends to `to`, which holds `length` bytes of `size`. Returns the new length; `size` when it does not fit.
size_t Append(char* to, size_t length, size_t size, const char* words) {
  if (length >= size) return size;
  for (; *words != 0 && length + 1 < size; ++words) to[length++] = *words;
  if (*words != 0) return size;
  to[length] = 0;
  return length;
}

}  // namespace

bool FindMemoryCgroup(const char* from, size_t size, MemoryCgroup& found) noexcept {
  const char* const end = from + size;
  bool is_found = false;
  for (const char* line = from; line < end;) {
    const char* stop = line;
    while (stop != end && *stop != '\n') ++stop;
    // NUMBER:CONTROLLERS:PATH; version 2 has no controllers.
    const char* controllers = line;
    while (controllers != stop && *controllers != ':') ++controllers;
    const char* colon = controllers == stop ? stop : controllers + 1;
    while (colon != stop && *colon != ':') ++colon;
    if (colon != stop) {
      const bool is_v2 = colon == controllers + 1;
      const bool has_memory = !is_v2 && Lists(controllers + 1, colon, "memory");
      const auto length = static_cast<size_t>(stop - colon) - 1;
      if ((has_memory || (is_v2 && !is_found)) && length < sizeof(found.path)) {
        for (size_t i = 0; i < length; ++i) found.path[i] = colon[1 + i];
        found.path[length] = 0;
        found.is_v2 = is_v2;
        is_found = true;
      }
      if (has_memory) return is_found && !found.is_v2;
    }
    line = stop + 1;
  }
  return is_found;
}

int64_t ParseLimit(const char* from, size_t size) noexcept {
  int64_t limit = 0;
  for (size_t i = 0; i < size && from[i] >= '0' && from[i] <= '9'; ++i) {
    limit = limit * 10 + (from[i] - '0');
    if (limit >= kNoLimit) return 0;
  }
  return limit;
}

int64_t LeastCgroupLimit() noexcept {
  const size_t size = Read("/proc/self/cgroup", text, sizeof(text));
  if (!FindMemoryCgroup(text, size, cgroup)) return 0;
  const char* const base = cgroup.is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  const char* const name = cgroup.is_v2 ? "/memory.max" : "/memory.limit_in_bytes";
  size_t length = 0;
  while (cgroup.path[length] != 0) ++length;
  int64_t least = 0;
  // Up the hierarchy. In a container the path may be one outside of it: then only what can be found of it counts.
  for (;;) {
    while (length > 0 && cgroup.path[length - 1] == '/') --length;
    cgroup.path[length] = 0;
    size_t end = Append(path, 0, sizeof(path), base);
    end = Append(path, end, sizeof(path), cgroup.path);
    end = Append(path, end, sizeof(path), name);
    char digits[32];
    const size_t got = end < sizeof(path) ? Read(path, digits, sizeof(digits)) : 0;
    const int64_t limit = ParseLimit(digits, got);
    if (limit > 0 && (least == 0 || limit < least)) least = limit;
    if (length == 0) return least;
    while (length > 0 && cgroup.path[length - 1] != '/') --length;
  }
}

}  // namespace ahead
