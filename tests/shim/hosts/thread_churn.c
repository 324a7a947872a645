// Threads come and go in every way while others read the same file, the same descriptor and the same FILE; main leaves
// first. Case A2 of the field failures, without forks. Usage: thread_churn FILE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/shim/hosts/reading.h"

enum { kReaders = 6, kVisitors = 200, kPart = 20000 };

static const char* path;
static int shared;
static FILE* file;
static long size;
static atomic_long shared_bytes;
static atomic_long lines;
static atomic_int readers_left = kReaders;
static atomic_int visitors_left = kVisitors;
static pthread_t main_thread;

// Reads the whole file by pread through the shared descriptor.
static unsigned long SumByPosition(void) {
  char part[1024];
  unsigned long sum = 1;
  for (long at = 0, got; (got = pread(shared, part, sizeof part, at)) > 0; at += got) sum = Add(sum, part, got);
  return sum;
}

static void* Visit(void* number) {
  const long id = (long)number;
  switch (id % 4) {
    case 0:
      SumOfFile(path, kPart);
      break;
    case 1: {
      char part[512];
      const long got = read(shared, part, sizeof part);
      if (got > 0) atomic_fetch_add(&shared_bytes, got);
      break;
    }
    case 2: {
      char line[8192];
      if (fgets(line, sizeof line, file) != NULL) atomic_fetch_add(&lines, 1);
      break;
    }
    default:
      SumByPosition();
  }
  atomic_fetch_sub(&visitors_left, 1);
  // Ends the thread without its destructors, as some runtimes do.
  if (id % 5 == 0) syscall(SYS_exit, 0);
  if (id % 5 == 1) pthread_exit(NULL);
  return NULL;
}

static void* Read(void* number) {
  const unsigned long sum = SumByPosition();
  const unsigned long anew = SumOfFile(path, 1L << 40);
  if (sum != anew) Say("reader %ld: %lx is not %lx\n", (long)number, sum, anew);
  // The last one waits for main to be gone and all visitors, and reports.
  if (atomic_fetch_sub(&readers_left, 1) != 1) return NULL;
  pthread_join(main_thread, NULL);
  while (atomic_load(&visitors_left) != 0) sched_yield();
  char part[4096];
  for (long got; (got = read(shared, part, sizeof part)) > 0;) atomic_fetch_add(&shared_bytes, got);
  Say("sum %lx, through the shared offset %ld of %ld, lines %ld\n", SumByPosition(), atomic_load(&shared_bytes), size,
      atomic_load(&lines));
  exit(7);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  main_thread = pthread_self();
  shared = open(path, O_RDONLY);
  file = fopen(path, "r");
  struct stat now;
  if (file == NULL || fstat(shared, &now) != 0) return 3;
  size = now.st_size;
  pthread_t thread;
  for (long i = 0; i < kReaders; ++i)
    if (pthread_create(&thread, NULL, Read, (void*)i) != 0) return 4;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 65536);
  for (long i = 0; i < kVisitors; ++i)
    if (pthread_create(&thread, &attributes, Visit, (void*)i) != 0) return 5;
  pthread_exit(NULL);
}
