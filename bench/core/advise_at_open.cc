// The two things a program could do for itself in one line, as a preload for the arms `sequential` and `willneed`: on
// each file opened for reading, ADVICE_AT_OPEN=sequential says FADV_SEQUENTIAL, willneed asks for the whole file,
// blindly and at once. In pieces of 128 KiB, because one call is silently cut to the kernel's window. For benchmarks
// only.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int64_t kPieceBytes = 128 << 10;

void Advise(int fd) {
  const char* advice = getenv("ADVICE_AT_OPEN");
  struct stat status = {};
  if (fd < 0 || advice == nullptr || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (std::strcmp(advice, "sequential") == 0) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  } else if (std::strcmp(advice, "willneed") == 0) {
    for (int64_t at = 0; at < status.st_size; at += kPieceBytes)
      posix_fadvise(fd, at, kPieceBytes, POSIX_FADV_WILLNEED);
  }
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t ModeOf(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? va_arg(arguments, mode_t) : 0;
}

int Open(const char* name, const char* path, int flags, va_list arguments) {
  const int fd = Next<int(const char*, int, ...)>(name)(path, flags, ModeOf(flags, arguments));
  Advise(fd);
  return fd;
}

int OpenAt(const char* name, int folder, const char* path, int flags, va_list arguments) {
  const int fd = Next<int(int, const char*, int, ...)>(name)(folder, path, flags, ModeOf(flags, arguments));
  Advise(fd);
  return fd;
}

FILE* Fopen(const char* name, const char* path, const char* mode) {
  FILE* file = Next<FILE*(const char*, const char*)>(name)(path, mode);
  if (file != nullptr) Advise(fileno(file));
  return file;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = Open("open", path, flags, arguments);
  va_end(arguments);
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = Open("open64", path, flags, arguments);
  va_end(arguments);
  return fd;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = OpenAt("openat", folder, path, flags, arguments);
  va_end(arguments);
  return fd;
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = OpenAt("openat64", folder, path, flags, arguments);
  va_end(arguments);
  return fd;
}

FILE* fopen(const char* path, const char* mode) { return Fopen("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return Fopen("fopen64", path, mode); }

}  // extern "C"
#pragma GCC visibility pop
