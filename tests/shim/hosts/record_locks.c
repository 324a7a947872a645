// Holds a record lock on a file while it reads it from end to end; another process asks whether the lock is still
// there. Case A6. Usage: record_locks WRITABLE_FILE
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int fd = open(argv[1], O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_SETLK, &lock) != 0) return 3;
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
  FILE* again = fdopen(fd, "r");
  rewind(again);
  while (fread(buffer, 1, 1000, again) > 0) {
  }
  const pid_t child = fork();
  if (child == 0) {
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    _exit(fcntl(fd, F_SETLK, &wanted) == 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s\n", status == 0 ? "still locked" : "LOCK LOST");
  return 0;
}
