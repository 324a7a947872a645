// A library that breaks what a preload must not: which part, the variable SUITES_BREAK says. The suites have to tell.
// "short": every 50th read and pread returns less than it could. "errno": a failed call of these leaves another errno.

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int Breaks(const char* what) {
  const char* chosen = getenv("SUITES_BREAK");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

static size_t Shortened(size_t count) {
  static unsigned calls;
  const unsigned call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return Breaks("short") && call % 50 == 0 && count > 1 ? count - 1 : count;
}

static ssize_t Returned(ssize_t result) {
  if (result < 0 && Breaks("errno")) errno = ENOTTY;
  return result;
}

__attribute__((visibility("default"))) ssize_t read(int fd, void* buffer, size_t count) {
  ssize_t (*next)(int, void*, size_t) = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  return Returned(next(fd, buffer, Shortened(count)));
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void* buffer, size_t count, off64_t offset) {
  ssize_t (*next)(int, void*, size_t, off64_t) = (ssize_t(*)(int, void*, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  return Returned(next(fd, buffer, Shortened(count), offset));
}

__attribute__((visibility("default"))) ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
  return pread64(fd, buffer, count, offset);
}
