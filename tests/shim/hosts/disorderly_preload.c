// A preload as ours must not be: what the variable DISORDER names, it does to the host's calls. For the test of the
// test.
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int Is(const char* disorder) {
  const char* chosen = getenv("DISORDER");
  return chosen != NULL && strcmp(chosen, disorder) == 0;
}

__attribute__((visibility("default"))) ssize_t read(int fd, void* buffer, size_t count) {
  if (Is("other size") && count > 64) count -= 1;
  if (Is("swapped")) syscall(SYS_lseek, fd, 0L, SEEK_CUR);
  const ssize_t got = syscall(SYS_read, fd, buffer, count);
  const int again = Is("doubled read") && got > 0 && syscall(SYS_lseek, fd, -got, SEEK_CUR) >= 0;
  return again ? syscall(SYS_read, fd, buffer, count) : got;
}

static int kept = -1;

__attribute__((visibility("default"))) off_t lseek(int fd, off_t offset, int whence) {
  if (Is("doubled seek")) syscall(SYS_lseek, fd, offset, whence);
  // Put off until the next close.
  if (Is("swapped") && offset != 0) {
    kept = fd;
    return offset;
  }
  return syscall(SYS_lseek, fd, offset, whence);
}

__attribute__((visibility("default"))) int close(int fd) {
  static int missed;
  if (Is("missing close") && missed++ == 0) return 0;
  const int result = (int)syscall(SYS_close, fd);
  if (Is("swapped") && kept >= 0) syscall(SYS_lseek, kept, 1L, SEEK_SET);
  return result;
}
