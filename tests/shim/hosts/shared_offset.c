// Reads one description through several descriptors and from a child, and prints what each got.
// Usage: shared_offset FILE
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[8192];

static void Step(const char* who, int fd) {
  const long got = read(fd, buffer, sizeof buffer);
  unsigned sum = 0;
  for (long i = 0; i < got; ++i) sum = sum * 31 + (unsigned char)buffer[i];
  printf("%s %ld %08x at %ld\n", who, got, sum, (long)lseek(fd, 0, SEEK_CUR));
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int fd = open(argv[1], O_RDONLY);
  const int early = dup(fd);
  for (int i = 0; i < 5; ++i) Step("first", fd), Step("early copy", early);
  const int late = dup2(fd, 40);
  const int third = fcntl(fd, F_DUPFD, 60);
  for (int i = 0; i < 5; ++i) Step("first", fd), Step("late copy", late), Step("third", third);
  close(fd);
  Step("first closed", late);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 20; ++i) Step("child", late);
    // Enough to be looked at even when the file is known to be cached.
    for (int i = 0; i < 100; ++i)
      if (pread(late, buffer, sizeof buffer, i * 8192L) < 0) _exit(1);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < 20; ++i) Step("parent", late);
  dup2(open(argv[1], O_RDONLY), late);
  Step("replaced", late);
  Step("third", third);
  return 0;
}
