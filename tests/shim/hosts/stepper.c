// Reads a part of a file at equal distances, forwards, or backwards from the end, and prints a sum. Case A18.
// Usage: stepper FILE STEP BYTES   STEP may be negative
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int fd = open(argv[1], O_RDONLY);
  struct stat now;
  if (fstat(fd, &now) != 0) return 3;
  const long step = atol(argv[2]);
  const size_t size = (size_t)atol(argv[3]);
  unsigned sum = 0;
  for (long at = step > 0 ? 0 : (long)now.st_size + step; at >= 0 && at < now.st_size; at += step) {
    const long got = pread(fd, buffer, size, at);
    if (got < 0) return 4;
    sum = sum * 31 + Hash(buffer, got);
  }
  printf("%08x\n", sum);
  return 0;
}
