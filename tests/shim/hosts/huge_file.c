// Reads files far larger than memory, with islands of data in them, in every direction and up to the last offset there
// is. Usage: huge_file FILE_TO_READ FILE_TO_CHANGE|memfd|- [SIZE]   -: it is there already
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];
static const long kMost = 0x7fffffffffffffff;

// Data is at these places and their like counted from the end; all else is holes.
static const long kIslands[] = {0, 1L << 20, (1L << 31) - 5000, (1L << 32) - 4096, (1L << 32) + 12345, 5L << 30};
enum { kIslandCount = sizeof kIslands / sizeof *kIslands };

static void Put(int fd, long at) {
  for (int i = 0; i < 40000; ++i) buffer[i] = (char)(at / 4096 + i * 3);
  Show("pwrite", pwrite(fd, buffer, 40000, at), NULL);
}

// Takes the largest size that the file system has, unless one is given.
static void Make(int fd, long wanted) {
  const long sizes[] = {kMost, kMost - 4096, 1L << 60, (16L << 40) - 4096, 64L << 30};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (ftruncate(fd, wanted > 0 ? wanted : sizes[i]) == 0) break;
  struct stat now;
  if (fstat(fd, &now) != 0) exit(3);
  for (int i = 0; i < kIslandCount; ++i) {
    if (kIslands[i] + 40000 < now.st_size) Put(fd, kIslands[i]);
    if (now.st_size - kIslands[i] - 40001 > 0) Put(fd, now.st_size - kIslands[i] - 40001);
  }
}

static void Walk(const char* what, int fd, long at, long step, size_t size, int reads) {
  unsigned sum = 0;
  long total = 0;
  for (int i = 0; i < reads && at >= 0; ++i) {
    const long got = pread(fd, buffer, size, at);
    if (got < 0) printf("%s at %ld: errno %d\n", what, at, errno);
    if (got > 0) {
      sum = sum * 31 + Hash(buffer, got);
      total += got;
    }
    if (step > 0 && at > kMost - step) break;
    at += step;
  }
  printf("%-28s %ld %08x\n", what, total, sum);
}

static void ByOffset(int fd, long at) {
  printf("lseek %ld: %ld errno %d\n", at, (long)lseek(fd, at, SEEK_SET), errno);
  errno = 0;
  for (int i = 0; i < 4; ++i) {
    Show("read", read(fd, buffer, sizeof buffer), buffer);
    printf("at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
  }
}

static void Beyond(int fd) {
  const long places[] = {kMost, kMost - 1, kMost - 4095, kMost - 4096, kMost - 65536, kMost - 0x7ffff000, 1L << 62};
  for (unsigned i = 0; i < sizeof places / sizeof *places; ++i) {
    Show("pread", pread(fd, buffer, sizeof buffer, places[i]), buffer);
    Show("pread of 1", pread(fd, buffer, 1, places[i]), buffer);
    Show("readahead", readahead(fd, places[i], sizeof buffer), NULL);
    Show("fadvise", posix_fadvise(fd, places[i], 4096, POSIX_FADV_WILLNEED), NULL);
    ByOffset(fd, places[i]);
  }
  Walk("forwards to the last", fd, kMost - 40 * 65536L, 65536, 65536, 60);
  Walk("backwards from the last", fd, kMost - 65536, -65536, 65536, 40);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int fd;
  if (strcmp(argv[2], "memfd") == 0) {
    fd = memfd_create("huge", 0);
    Make(fd, argc > 3 ? atol(argv[3]) : 0);
  } else {
    const int out = strcmp(argv[2], "-") == 0 ? -1 : open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (out >= 0) Make(out, argc > 3 ? atol(argv[3]) : 0);
    fd = open(argv[1], O_RDONLY);
  }
  struct stat now;
  if (fstat(fd, &now) != 0) return 3;
  printf("size %ld\n", (long)now.st_size);
  Walk("forwards from 0", fd, 0, 65536, 65536, 100);
  Walk("over 2 GiB", fd, (1L << 31) - (2L << 20), 65536, 65536, 80);
  Walk("over 4 GiB", fd, (1L << 32) - (2L << 20), 65536, 65536, 80);
  Walk("backwards over 4 GiB", fd, (1L << 32) + (2L << 20), -32768, 32768, 100);
  Walk("strided", fd, 4096, 1L << 30, 4096, 63);
  Walk("strided backwards", fd, now.st_size - 65536, -(1L << 28), 4096, 100);
  Walk("to the end", fd, now.st_size > 30 * 65536L ? now.st_size - 30 * 65536L : 0, 65536, 65536, 40);
  Walk("backwards from the end", fd, now.st_size, -40000, 40000, 80);
  ByOffset(fd, now.st_size - 100000);
  Show("SEEK_DATA", lseek(fd, 2L << 20, SEEK_DATA), NULL);
  Show("SEEK_HOLE", lseek(fd, 0, SEEK_HOLE), NULL);
  Beyond(fd);
  FILE* stream = fdopen(fd, "r");
  printf("fseeko %d\n", fseeko(stream, (1L << 32) - 4096, SEEK_SET));
  for (int i = 0; i < 5; ++i) Show("fread", (long)fread(buffer, 1, 30000, stream), buffer);
  printf("ftello %ld\n", (long)ftello(stream));
  return 0;
}
