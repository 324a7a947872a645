// Reads a file under limits that leave hardly anything, and prints what the program sees of them. Case A3.
// Usage: limits FEW_FILES|NO_FILES|HUGE_FILES|SPACE|NO_PROCESSES|SIZE|NO_LISTENER|OWN_NUMBER_2|READ FILE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

static void ReadAll(const char* path) {
  long total = 0;
  unsigned sum = 0;
  const int fd = open(path, O_RDONLY);
  for (long got; (got = read(fd, buffer, sizeof buffer)) > 0; total += got) sum = sum * 31 + Hash(buffer, got);
  printf("fd %d read %ld %08x errno %d\n", fd, total, sum, errno);
  for (long at = total / 4096 * 4096; at >= 0; at -= 32768) sum = sum * 31 + Hash(buffer, pread(fd, buffer, 32768, at));
  printf("backwards %08x errno %d\n", sum, errno);
  errno = 0;
  close(fd);
}

static void Set(int resource, rlim_t value) {
  const struct rlimit limit = {value, value};
  Show("setrlimit", setrlimit((__rlimit_resource_t)resource, &limit), NULL);
}

// Opens until the numbers are used up, and reads through all of them in turn.
static void Few(const char* path, rlim_t most) {
  Set(RLIMIT_NOFILE, most);
  ReadAll(path);
  int files[64];
  int count = 0;
  while (count < 64 && (files[count] = open(path, O_RDONLY)) >= 0) ++count;
  Show("open", -1, NULL);
  printf("opened %d\n", count);
  for (int round = 0; round < 30; ++round)
    for (int i = 0; i < count; ++i) Show("read", read(files[i], buffer, 8192 + (size_t)i), buffer);
  for (int i = 0; i < count; ++i) {
    Show("dup", dup(files[i]), NULL);
    Show("pread", pread(files[i], buffer, 4096, 1 << 20), buffer);
  }
  FILE* none = fopen(path, "r");
  Show("fopen", none == NULL ? -1 : 0, NULL);
  if (count > 0) close(files[--count]);
  FILE* one = fopen(path, "r");
  Show("fopen", one == NULL ? -1 : (long)fread(buffer, 1, 10000, one), buffer);
}

static void HighNumbers(const char* path) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) exit(3);
  printf("limit %lu\n", (unsigned long)limit.rlim_cur);
  const int fd = open(path, O_RDONLY);
  const int numbers[] = {1000, 19990, 65535, 65536, 70000, 0x3ffffff0, 0x7fffffff};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    const int high = dup2(fd, numbers[i]);
    Show("dup2", high, NULL);
    if (high < 0) continue;
    lseek(high, 0, SEEK_SET);
    long total = 0;
    for (long got; (got = read(high, buffer, sizeof buffer)) > 0;) total += got;
    printf("through %d: %ld\n", high, total);
    close(high);
  }
}

// Leaves room for nothing more; each allocation may fail, no read may.
static void NoSpace(const char* path) {
  char line[256];
  FILE* status = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (status == NULL || fgets(line, sizeof line, status) == NULL) exit(4);
  pages = atol(line);
  fclose(status);
  Set(RLIMIT_AS, (rlim_t)pages * 4096 + 65536);
  ReadAll(path);
  Show("mmap", mmap(NULL, 1 << 24, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0, NULL);
  ReadAll(path);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  if (strcmp(mode, "FEW_FILES") == 0) Few(argv[2], 8);
  if (strcmp(mode, "NO_FILES") == 0) {
    const int fd = open(argv[2], O_RDONLY);
    Set(RLIMIT_NOFILE, 0);
    for (int i = 0; i < 40; ++i) Show("read", read(fd, buffer, sizeof buffer), buffer);
    ReadAll(argv[2]);
  }
  if (strcmp(mode, "HUGE_FILES") == 0) HighNumbers(argv[2]);
  if (strcmp(mode, "SPACE") == 0) NoSpace(argv[2]);
  if (strcmp(mode, "NO_PROCESSES") == 0) {
    Set(RLIMIT_NPROC, 0);
    ReadAll(argv[2]);
  }
  if (strcmp(mode, "SIZE") == 0) {  // of files written
    Set(RLIMIT_FSIZE, 0);
    Set(RLIMIT_CORE, 0);
    ReadAll(argv[2]);
  }
  // A standard error that nobody reads, and one whose number has become a file of the program's own.
  if (strcmp(mode, "NO_LISTENER") == 0) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], 2) != 2 || close(ends[0]) != 0 || close(ends[1]) != 0) return 5;
    execl(argv[0], argv[0], "READ", argv[2], (char*)0);
    return 6;
  }
  if (strcmp(mode, "OWN_NUMBER_2") == 0) {
    close(2);
    printf("own %d\n", memfd_create("own", 0));
    ReadAll(argv[2]);
    printf("size %ld\n", (long)lseek(2, 0, SEEK_END));
  }
  if (strcmp(mode, "READ") == 0) ReadAll(argv[2]);
  return 0;
}
