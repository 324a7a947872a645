// Many threads make the first reads through a descriptor at once, again and again with a new one.
// Usage: first_reads FILE ROUNDS; each round makes 16 threads x 64 reads of 4 KiB.
#include <pthread.h>
#include <stdlib.h>

#include "tests/shim/hosts/reading.h"

enum { kThreads = 16, kReads = 64, kPart = 4096 };

static int shared;
static pthread_barrier_t start;

static void* ReadMany(void* number) {
  char part[kPart];
  pthread_barrier_wait(&start);
  for (long i = 0; i < kReads; ++i)
    if (pread(shared, part, sizeof part, ((long)number * kReads + i) % 200 * kPart) != kPart) abort();
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int rounds = atoi(argv[2]); rounds > 0; --rounds) {
    pthread_t threads[kThreads];
    shared = open(argv[1], O_RDONLY);
    pthread_barrier_init(&start, NULL, kThreads);
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, ReadMany, (void*)i);
    for (long i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    close(shared);
  }
  Say("done\n");
  return 0;
}
