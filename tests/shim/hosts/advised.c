// Reads a file in order, having given the kernel advice. Prints the sum.
// Usage: advised FILE none|normal|sequential|random|noreuse|willneed|dontneed|readahead|mapped
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/shim/hosts/reading.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  static const char* const kNames[] = {"normal", "random", "sequential", "willneed", "dontneed", "noreuse"};
  static const int kNumbers[] = {POSIX_FADV_NORMAL,   POSIX_FADV_RANDOM,   POSIX_FADV_SEQUENTIAL,
                                 POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED, POSIX_FADV_NOREUSE};
  const int fd = open(argv[1], O_RDONLY);
  struct stat now;
  if (fd < 0 || fstat(fd, &now) != 0) return 3;
  for (int i = 0; i < 6; ++i)
    if (strcmp(argv[2], kNames[i]) == 0) Say("%d\n", posix_fadvise(fd, 0, 65536, kNumbers[i]));
  if (strcmp(argv[2], "readahead") == 0) Say("%zd\n", readahead(fd, 0, 65536));
  if (strcmp(argv[2], "mapped") == 0) {
    void* const map = mmap(NULL, (size_t)now.st_size, PROT_READ, MAP_SHARED, fd, 0);
    Say("%d %d\n", madvise(map, 65536, MADV_WILLNEED), madvise(map, (size_t)now.st_size, MADV_RANDOM));
  }
  Say("%d %lx\n", posix_fadvise(-1, 0, 0, POSIX_FADV_RANDOM), SumOfNext(fd, 1L << 40));
  Say("%d\n", posix_fadvise(fd, 0, 0, 99));
  return 0;
}
