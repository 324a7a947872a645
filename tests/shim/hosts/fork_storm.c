// Four threads open and read without end while the main thread forks; each child reads too. A child that inherits a
// locked table hangs. Case A2. Usage: fork_storm FILE FORKS
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* path;
static volatile int stop;

static void ReadOnce(void) {
  char buffer[4096];
  const int fd = open(path, O_RDONLY);
  for (int i = 0; i < 8; ++i)
    if (read(fd, buffer, sizeof buffer) != sizeof buffer) _exit(3);
  close(fd);
}

static void* Work(void* unused) {
  while (!stop) ReadOnce();
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  path = argv[1];
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, Work, NULL);
  int bad = 0;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      ReadOnce();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  stop = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("bad children %d\n", bad);
  return bad;
}
