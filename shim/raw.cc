#include "shim/raw.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// What glibc calls when a fortified function is about to write past the end of a buffer; does not return.
extern "C" void __chk_fail() __attribute__((noreturn));

namespace ahead::raw {
namespace {

// On 64-bit machines offsets need no splitting, and every file is a large file.
static_assert(sizeof(long) == 8 && sizeof(off_t) == 8);

int Openat(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

// Reading `mode` where the caller gave none is harmless: it is not looked at then.
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return Openat(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return Openat(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) { return Openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int open_2(const char* path, int flags) { return Openat(AT_FDCWD, path, flags, 0); }
int openat_2(int folder, const char* path, int flags) { return Openat(folder, path, flags, 0); }
int close(int fd) { return static_cast<int>(syscall(SYS_close, fd)); }
int dup(int fd) { return static_cast<int>(syscall(SYS_dup, fd)); }
int dup3(int fd, int to, int flags) { return static_cast<int>(syscall(SYS_dup3, fd, to, flags)); }
int dup2(int fd, int to) {
  if (fd != to) return dup3(fd, to, 0);
  return syscall(SYS_fcntl, fd, F_GETFD) < 0 ? -1 : fd;
}
int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);
  va_end(rest);
  return static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
}

ssize_t read(int fd, void* buffer, size_t count) { return syscall(SYS_read, fd, buffer, count); }
ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
  return syscall(SYS_pread64, fd, buffer, count, offset);
}
ssize_t readv(int fd, const iovec* parts, int count) { return syscall(SYS_readv, fd, parts, count); }
ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return syscall(SYS_preadv2, fd, parts, count, offset, 0, flags);
}
ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  return syscall(SYS_preadv, fd, parts, count, offset, 0);
}
ssize_t read_chk(int fd, void* buffer, size_t count, size_t size) {
  if (count > size) __chk_fail();
  return read(fd, buffer, count);
}
ssize_t pread_chk(int fd, void* buffer, size_t count, off_t offset, size_t size) {
  if (count > size) __chk_fail();
  return pread(fd, buffer, count, offset);
}
off_t lseek(int fd, off_t offset, int whence) { return syscall(SYS_lseek, fd, offset, whence); }

// Returns its error and leaves errno alone.
int posix_fadvise(int fd, off_t offset, off_t length, int advice) {
  const int saved = errno;
  const int error = syscall(SYS_fadvise64, fd, offset, length, advice) == 0 ? 0 : errno;
  errno = saved;
  return error;
}
ssize_t readahead(int fd, off_t offset, size_t count) { return syscall(SYS_readahead, fd, offset, count); }
ssize_t sendfile(int to, int from, off_t* offset, size_t count) {
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t splice(int from, off_t* offset, int to, off_t* offset_to, size_t count, unsigned flags) {
  return syscall(SYS_splice, from, offset, to, offset_to, count, flags);
}
ssize_t copy_file_range(int from, off_t* offset, int to, off_t* offset_to, size_t count, unsigned flags) {
  return syscall(SYS_copy_file_range, from, offset, to, offset_to, count, flags);
}
int close_range(unsigned first, unsigned last, int flags) {
  return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}
ssize_t getdents64(int fd, void* entries, size_t size) { return syscall(SYS_getdents64, fd, entries, size); }
void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}
int munmap(void* address, size_t length) { return static_cast<int>(syscall(SYS_munmap, address, length)); }
int madvise(void* address, size_t length, int advice) {
  return static_cast<int>(syscall(SYS_madvise, address, length, advice));
}

int posix_madvise(void* address, size_t length, int advice) {
  if (advice == POSIX_MADV_DONTNEED) return 0;
  const int saved = errno;
  const int error = madvise(address, length, advice) == 0 ? 0 : errno;
  errno = saved;
  return error;
}
void* mremap(void* address, size_t old_length, size_t length, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void* wanted = va_arg(rest, void*);
  va_end(rest);
  return reinterpret_cast<void*>(syscall(SYS_mremap, address, old_length, length, flags, wanted));
}
int prctl(int option, ...) {
  va_list rest;
  va_start(rest, option);
  unsigned long arguments[4];
  for (unsigned long& argument : arguments) argument = va_arg(rest, unsigned long);
  va_end(rest);
  return static_cast<int>(syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]));
}

}  // namespace

void* Find(real::Function function) noexcept {
  using real::Function;
  switch (function) {
    case Function::open:
    case Function::open64:
    case Function::__open:
    case Function::__open64:
      return reinterpret_cast<void*>(&open);
    case Function::openat:
    case Function::openat64:
      return reinterpret_cast<void*>(&openat);
    case Function::creat:
    case Function::creat64:
      return reinterpret_cast<void*>(&creat);
    case Function::__open_2:
    case Function::__open64_2:
      return reinterpret_cast<void*>(&open_2);
    case Function::__openat_2:
    case Function::__openat64_2:
      return reinterpret_cast<void*>(&openat_2);
    case Function::close:
    case Function::__close:
      return reinterpret_cast<void*>(&close);
    case Function::close_range:
      return reinterpret_cast<void*>(&close_range);
    case Function::dup:
      return reinterpret_cast<void*>(&dup);
    case Function::dup2:
    case Function::__dup2:
      return reinterpret_cast<void*>(&dup2);
    case Function::dup3:
      return reinterpret_cast<void*>(&dup3);
    case Function::fcntl:
    case Function::fcntl64:
    case Function::__fcntl:
      return reinterpret_cast<void*>(&fcntl);
    case Function::read:
    case Function::__read:
      return reinterpret_cast<void*>(&read);
    case Function::pread:
    case Function::pread64:
    case Function::__pread64:
      return reinterpret_cast<void*>(&pread);
    case Function::readv:
      return reinterpret_cast<void*>(&readv);
    case Function::preadv:
    case Function::preadv64:
      return reinterpret_cast<void*>(&preadv);
    case Function::preadv2:
    case Function::preadv64v2:
      return reinterpret_cast<void*>(&preadv2);
    case Function::__read_chk:
      return reinterpret_cast<void*>(&read_chk);
    case Function::__pread_chk:
    case Function::__pread64_chk:
      return reinterpret_cast<void*>(&pread_chk);
    case Function::lseek:
    case Function::lseek64:
    case Function::__lseek:
      return reinterpret_cast<void*>(&lseek);
    case Function::sendfile:
    case Function::sendfile64:
      return reinterpret_cast<void*>(&sendfile);
    case Function::splice:
      return reinterpret_cast<void*>(&splice);
    case Function::copy_file_range:
      return reinterpret_cast<void*>(&copy_file_range);
    case Function::getdents64:
      return reinterpret_cast<void*>(&getdents64);
    case Function::posix_fadvise:
    case Function::posix_fadvise64:
      return reinterpret_cast<void*>(&posix_fadvise);
    case Function::readahead:
      return reinterpret_cast<void*>(&readahead);
    case Function::mmap:
    case Function::mmap64:
      return reinterpret_cast<void*>(&mmap);
    case Function::munmap:
      return reinterpret_cast<void*>(&munmap);
    case Function::madvise:
      return reinterpret_cast<void*>(&madvise);
    case Function::posix_madvise:
      return reinterpret_cast<void*>(&posix_madvise);
    case Function::mremap:
      return reinterpret_cast<void*>(&mremap);
    case Function::prctl:
      return reinterpret_cast<void*>(&prctl);
    default:
      return nullptr;
  }
}

}  // namespace ahead::raw
