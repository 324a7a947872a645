// What the hosts share: sums of what they read, and words that reach stdout at once, whatever becomes of the process.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

// Writes a line to stdout without stdio's buffer, so that a fork doubles nothing.
__attribute__((format(printf, 1, 2))) static inline void Say(const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > 0 && write(1, line, (size_t)length) != length) _exit(99);
}

// Adds `length` bytes to a sum in which their order counts.
static inline unsigned long Add(unsigned long sum, const char* bytes, long length) {
  for (long i = 0; i < length; ++i) sum = sum * 31 + (unsigned char)bytes[i];
  return sum;
}

// Returns the sum of the next `most` bytes of the descriptor, or of what there is of them; an error is part of it.
static inline unsigned long SumOfNext(int fd, long most) {
  char part[1024];
  unsigned long sum = 1;
  while (most > 0) {
    const long got = read(fd, part, most < (long)sizeof part ? (size_t)most : sizeof part);
    if (got < 0) return (unsigned long)-errno;
    if (got == 0) break;
    sum = Add(sum, part, got);
    most -= got;
  }
  return sum;
}

// Returns the sum of up to `most` bytes of the file from its start.
static inline unsigned long SumOfFile(const char* path, long most) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return (unsigned long)-errno;
  const unsigned long sum = SumOfNext(fd, most);
  close(fd);
  return sum;
}
