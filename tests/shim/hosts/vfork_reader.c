// Reads a file and starts children by vfork in between, which close and duplicate the parent's descriptors before they
// exec. Case A9. Usage: vfork_reader FILE
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static char buffer[65536];

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int fd = open(argv[1], O_RDONLY);
  long total = 0;
  long got;
  for (int i = 0; (got = read(fd, buffer, sizeof buffer)) > 0; ++i) {
    total += got;
    if (i % 8 != 5) continue;
    const pid_t child = vfork();
    if (child == 0) {
      close(fd);
      dup2(2, 7);
      close(7);
      dup2(7, fd);
      execl("/bin/true", "true", (char*)0);
      _exit(9);
    }
    waitpid(child, NULL, 0);
  }
  close(fd);
  printf("%ld\n", total);
  return 0;
}
