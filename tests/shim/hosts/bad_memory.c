// Reads into memory that is not there, or only in part, and jumps out of the signal where stdio copies to it; maps a
// file and touches what lies behind its end. Then reads on. Usage: bad_memory FILE
#include <setjmp.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tests/shim/hosts/reading.h"

static sigjmp_buf place;
static char* half;  // one page that is there, before one that is not

static void OnFault(int number) { siglongjmp(place, number); }

static void Calls(int fd) {
  char* const gone = half + 4096;
  errno = 0;
  const long whole = read(fd, gone, 100);
  Say("read %ld %d\n", whole, errno);
  const long part = read(fd, gone - 100, 5000);
  Say("read across %ld %d\n", part, errno);
  const long at = pread(fd, gone - 3, 5000, 70000);
  Say("pread across %ld %d\n", at, errno);
  const struct iovec parts[3] = {{gone - 10, 10}, {gone - 5, 100}, {half, 10}};
  const long scattered = readv(fd, parts, 3);
  Say("readv across %ld %d\n", scattered, errno);
  Say("then %lx\n", SumOfNext(fd, 300000));
}

static void Stdio(const char* path) {
  FILE* file = fopen(path, "r");
  char line[100];
  // A jump out of a locked FILE would leave the lock behind in a bare program, too.
  __fsetlocking(file, FSETLOCKING_BYCALLER);
  if (file == NULL || fgets(line, sizeof line, file) == NULL) exit(3);
  for (int i = 0; i < 50; ++i) {
    const int number = sigsetjmp(place, 1);
    if (number == 0) {
      const size_t got = i % 2 == 0 ? (fread_unlocked)(half + 4096 - 20, 1, 200 + (size_t)i * 300, file)
                                    : fread(half + 4096, 1, 100, file);
      Say("fread %zu\n", got);
    } else if (i == 0) {
      Say("signal %d\n", number);
    }
  }
  fclose(file);
}

static void Mapping(const char* path) {
  struct stat now;
  const int fd = open(path, O_RDONLY);
  if (fstat(fd, &now) != 0) exit(4);
  const size_t length = ((size_t)now.st_size / 4096 + 3) * 4096;
  volatile char* mapped = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  for (int i = 0; i < 20; ++i) {
    const int number = sigsetjmp(place, 1);
    if (number == 0)
      Say("behind the end: %d\n", mapped[length - 4096]);
    else if (i == 0)
      Say("signal %d\n", number);
    if (read(fd, half, 4096) != 4096) exit(5);
  }
  munmap((void*)mapped, length);
  close(fd);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  half = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (half == MAP_FAILED || munmap(half + 4096, 4096) != 0) return 3;
  mmap(half + 4096, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  const struct sigaction action = {.sa_handler = OnFault, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
  const int fd = open(argv[1], O_RDONLY);
  Calls(fd);
  Stdio(argv[1]);
  Mapping(argv[1]);
  Say("rest %lx whole %lx\n", SumOfNext(fd, 1L << 40), SumOfFile(argv[1], 1L << 40));
  return 0;
}
