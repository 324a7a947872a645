// Finds the smallest stack of a signal handler on which it can open a file, read it and close it. Prints it in bytes,
// and how much was read on stacks that were large enough. Case A14 of the field failures. Usage: least_stack FILE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

enum { kLargest = 64 << 10, kStep = 16 };

static const char* path;
static char part[256];
static long total;
static int early;

static void OnSignal(int number) {
  (void)number;
  const int fd = open(path, O_RDONLY);
  for (long got; total < 200000 && (got = read(fd, part, sizeof part)) > 0;) total += got;
  for (int i = 0; i < 100; ++i) total += pread(fd, part, sizeof part, i * 4096);
  if (read(early, part, sizeof part) > 0) ++total;
  lseek(fd, 0, SEEK_SET);
  close(fd);
}

// Says whether the handler lives on so many bytes, above memory that faults.
static int IsEnough(char* bottom, size_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    const stack_t own = {.ss_sp = bottom, .ss_size = bytes};
    // Met, and its first part read, on the large stack.
    early = open(path, O_RDONLY);
    if (read(early, part, sizeof part) <= 0 || sigaltstack(&own, NULL) != 0) _exit(3);
    const struct sigaction action = {.sa_handler = OnSignal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    _exit(total == 200000 + 100 * 256 + 1 + 192 ? 0 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  char* pages = mmap(NULL, 2 * kLargest, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + kLargest, kLargest, PROT_READ | PROT_WRITE) != 0) return 3;
  size_t enough = kLargest;
  size_t too_small = 0;
  if (!IsEnough(pages + kLargest, enough)) return 4;
  while (enough - too_small > kStep) {
    const size_t middle = (enough + too_small) / 2;
    if (IsEnough(pages + kLargest, middle))
      enough = middle;
    else
      too_small = middle;
  }
  Say("%zu\n", enough);
  return 0;
}
