// A preload of somebody else's: counts opens, reads, seeks and closes that pass through it, and says so at the end.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long opens;
static atomic_long reads;
static atomic_long bytes;
static atomic_long seeks;
static atomic_long closes;

// Asked for by name each time, as simple preloads do.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  atomic_fetch_add(&opens, 1);
  return NEXT(open)(path, flags, mode);
}

__attribute__((visibility("default"))) ssize_t read(int fd, void* buffer, size_t count) {
  const ssize_t got = NEXT(read)(fd, buffer, count);
  atomic_fetch_add(&reads, 1);
  if (got > 0) atomic_fetch_add(&bytes, got);
  return got;
}

__attribute__((visibility("default"))) off_t lseek(int fd, off_t offset, int whence) {
  atomic_fetch_add(&seeks, 1);
  return NEXT(lseek)(fd, offset, whence);
}

__attribute__((visibility("default"))) int close(int fd) {
  atomic_fetch_add(&closes, 1);
  return NEXT(close)(fd);
}

__attribute__((destructor)) static void Report(void) {
  char line[200];
  const int length = snprintf(line, sizeof line, "opens %ld reads %ld bytes %ld seeks %ld closes %ld\n", opens, reads,
                              bytes, seeks, closes);
  if (write(2, line, (size_t)length) != length) _exit(98);
}
