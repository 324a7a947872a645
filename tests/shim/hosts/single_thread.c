// Does what only a program with one thread may do, after it has read a file; counts its threads. Case A7.
// Usage: single_thread FILE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int fd = open(argv[1], O_RDONLY);
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
  DIR* folder = opendir("/proc/self/task");
  int threads = -2;
  while (folder != NULL && readdir(folder) != NULL) ++threads;
  const int result = unshare(CLONE_NEWUSER);
  printf("threads %d unshare %d errno %d\n", threads, result, result == 0 ? 0 : errno);
  return 0;
}
