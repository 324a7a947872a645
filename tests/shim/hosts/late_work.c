// Reads in an atexit handler and in a destructor that runs after those of most libraries, while threads still read.
// Case A13. Usage: late_work FILE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* path;
static char buffer[65536];

static long ReadOnce(void) {
  char part[4096];
  long total = 0;
  long got;
  const int fd = open(path, O_RDONLY);
  while (total < 1 << 20 && (got = read(fd, part, sizeof part)) > 0) total += got;
  close(fd);
  return total;
}

static void* Work(void* unused) {
  for (;;) ReadOnce();
  return unused;
}

static void AtExit(void) {
  printf("atexit %ld\n", ReadOnce());
  fflush(stdout);
}

__attribute__((destructor(101))) static void Late(void) {
  if (path == NULL) return;
  FILE* file = fopen(path, "r");
  const size_t got = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  dprintf(1, "late %zu %ld\n", got, ReadOnce());
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  atexit(AtExit);
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, Work, NULL);
  }
  for (int i = 0; i < 20; ++i) ReadOnce();
  return 7;
}
