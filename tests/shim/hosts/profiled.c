// Reads in every way while a profiler's timer fires a thousand times a second, in threads of 16 KiB stacks too, and its
// handler opens, reads, seeks and closes. Usage: profiled FILE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "tests/shim/hosts/reading.h"

enum { kSignals = 120 };

static const char* path;
static int handler_fd;
static atomic_int signals;
static atomic_int wrong;

static void OnProfile(int number) {
  (void)number;
  const int saved = errno;
  char part[128];
  char same[128];
  const int count = atomic_fetch_add(&signals, 1);
  const long at = count % 500 * 4000L;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (lseek(fd, at, SEEK_SET) != at || read(fd, part, sizeof part) != sizeof part ||
      pread(handler_fd, same, sizeof same, at) != sizeof same || memcmp(part, same, sizeof part) != 0)
    atomic_fetch_add(&wrong, 1);
  const int copy = dup(fd);
  close(fd);
  close(copy);
  errno = saved;
}

static unsigned long SumByStdio(void) {
  FILE* file = fopen(path, "r");
  unsigned long sum = 1;
  char part[1000];
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) sum = Add(sum, part, (long)got);
  fclose(file);
  return sum;
}

static void* ReadInThread(void* sum) {
  while (atomic_load(&signals) < kSignals) *(unsigned long*)sum = SumOfFile(path, 1L << 40);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  handler_fd = open(path, O_RDONLY);
  const struct sigaction action = {.sa_handler = OnProfile, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, NULL);
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t threads[2];
  unsigned long sums[4] = {0};
  for (int i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], &attributes, ReadInThread, &sums[i]) != 0) return 4;
  while (atomic_load(&signals) < kSignals) {
    sums[2] = SumOfFile(path, 1L << 40);
    sums[3] = SumByStdio();
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  Say("%lx %lx %lx %lx, wrong %d\n", sums[0], sums[1], sums[2], sums[3], atomic_load(&wrong));
  return 0;
}
