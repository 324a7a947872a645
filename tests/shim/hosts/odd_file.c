// Reads a file in every direction, whatever it is, and says what came and where it failed: a bad sector, a dead disk, a
// file of procfs without a size, a device. After an error it goes on a page further. Cases A11 and A16.
// Usage: odd_file FILE [MOST_BYTES [no more]]
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 17];
static long most = 8 << 20;
static unsigned sum;

static void Add(long got) { sum = sum * 31 + Hash(buffer, got); }

// Reads on from `offset` to the end, `most` or the fifth error. An error is shown with its place.
static void Forwards(const char* what, int fd, size_t size) {
  long total = 0;
  int errors = 0;
  sum = 0;
  while (total < most && errors < 5) {
    errno = 0;
    const long got = read(fd, buffer, size);
    if (got == 0) break;
    if (got > 0) {
      Add(got);
      total += got;
      continue;
    }
    printf("%s at %ld: errno %d\n", what, (long)lseek(fd, 0, SEEK_CUR), errno);
    ++errors;
    if (lseek(fd, 4096, SEEK_CUR) < 0) break;
  }
  printf("%-24s %ld %08x\n", what, total, sum);
}

static void At(const char* what, int fd, long begin, long step, size_t size) {
  long total = 0;
  int errors = 0;
  sum = 0;
  for (long at = begin; at >= 0 && at <= most && errors < 5; at += step) {
    errno = 0;
    const long got = pread(fd, buffer, size, at);
    if (got == 0 && step > 0) break;
    if (got < 0) {
      printf("%s at %ld: errno %d\n", what, at, errno);
      ++errors;
    } else {
      Add(got);
      total += got;
    }
  }
  printf("%-24s %ld %08x\n", what, total, sum);
}

static void Vectors(int fd) {
  struct iovec parts[2] = {{buffer, 777}, {buffer + 777, 9000}};
  lseek(fd, 0, SEEK_SET);
  Show("readv", readv(fd, parts, 2), buffer);
  Show("preadv", preadv(fd, parts, 2, 4096), buffer);
  Show("preadv2 nowait", preadv2(fd, parts, 2, 0, RWF_NOWAIT) > 0, NULL);
}

// `has_lines`: what says no size may be one line that never ends.
static void Streams(const char* path, int has_lines) {
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    Show("fopen", -1, NULL);
    return;
  }
  long total = 0;
  sum = 0;
  for (size_t got; total < most && (got = fread(buffer, 1, 10000, file)) > 0; total += (long)got) Add((long)got);
  printf("fread                    %ld %08x error %d end %d errno %d\n", total, sum, ferror(file) != 0, feof(file) != 0,
         ferror(file) ? errno : 0);
  rewind(file);
  long lines = 0;
  for (total = 0; lines < 200 && fgets(buffer, 5000, file) != NULL; ++lines) total += (long)strlen(buffer);
  printf("fgets                    %ld lines %ld error %d\n", total, lines, ferror(file) != 0);
  if (!has_lines) {
    fclose(file);
    return;
  }
  rewind(file);
  char* line = NULL;
  size_t room = 0;
  lines = 0;
  for (total = 0; total < most && lines < 20000 && getline(&line, &room, file) > 0; ++lines)
    total += (long)strlen(line);
  printf("getline                  %ld lines %ld error %d\n", total, lines, ferror(file) != 0);
  free(line);
  fclose(file);
}

static sigjmp_buf bus_error;
static void OnBusError(int signal_number) { siglongjmp(bus_error, signal_number); }

static void Mapped(int fd, long size) {
  const long length = size < 65536 ? size : 65536;
  if (length <= 0) return;
  const char* bytes = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) return Show("mmap", -1, NULL);
  signal(SIGBUS, OnBusError);
  for (volatile long at = 0; at < length; at += 4096)
    if (sigsetjmp(bus_error, 1) == 0)
      Show("mapped", length - at < 4096 ? length - at : 4096, bytes + at);
    else
      printf("bus error at %ld\n", at);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2) most = atol(argv[2]);
  const int fd = open(argv[1], O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    Show("open", fd, NULL);
    return 1;
  }
  struct stat now;
  if (fstat(fd, &now) != 0) {
    Show("fstat", -1, NULL);
    return 1;
  }
  printf("kind %o size %ld\n", now.st_mode & S_IFMT, (long)now.st_size);
  Forwards("read 4096", fd, 4096);
  if (argc < 4) Forwards("read on", fd, 4096);
  Show("lseek", lseek(fd, 0, SEEK_SET), NULL);
  Forwards("read 65536", fd, 65536);
  const long end = now.st_size > 0 && now.st_size < most ? (long)now.st_size : most;
  At("pread backwards", fd, end / 65536 * 65536, -65536, 65536);
  At("pread strided", fd, 0, 262144, 4096);
  At("pread on", fd, 100, 9999, 9999);
  Vectors(fd);
  Show("fadvise", posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED), NULL);
  Show("readahead", readahead(fd, 0, 65536), NULL);
  Show("SEEK_HOLE", lseek(fd, 0, SEEK_HOLE), NULL);
  Streams(argv[1], S_ISREG(now.st_mode) && now.st_size > 0);
  Mapped(fd, (long)now.st_size);
  const int direct = open(argv[1], O_RDONLY | O_DIRECT);
  void* aligned = NULL;
  if (direct >= 0 && posix_memalign(&aligned, 4096, 65536) == 0)
    Show("O_DIRECT", pread(direct, aligned, 65536, 0), aligned);
  close(fd);
  return 0;
}
