// Executes itself again and again, with its environment, without, and with another one; each time the next part of an
// inherited description is read. Usage: exec_relay FILE EXECS
#include <stdlib.h>
#include <sys/prctl.h>

#include "tests/shim/hosts/reading.h"

enum { kInherited = 40 };

extern char** environ;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int left = atoi(argv[2]);
  if (argc < 4) {
    const int fd = open(argv[1], O_RDONLY);
    if (dup2(fd, kInherited) != kInherited) return 3;
    close(fd);
  }
  prctl(PR_SET_NAME, "renamed");
  Say("%d: %lx\n", left, SumOfNext(kInherited, 7777));
  if (left == 0) return 7;
  char next[12];
  snprintf(next, sizeof next, "%d", left - 1);
  char* const words[] = {argv[0], argv[1], next, "again", NULL};
  char* const empty[] = {NULL};
  char* const other[] = {"AHEAD_RATIO=nonsense-that-nobody-reads", "PATH=/bin", NULL};
  execve("/proc/self/exe", words, left > 3 ? environ : left > 1 ? other : empty);
  return 4;
}
