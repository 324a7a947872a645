// Cancels threads at any point of their reading: deferred, where the calls are the only points, and asynchronous, where
// every instruction is one, ours included; then reads on. Case A14 of the field failures. Usage: cancel_anywhere FILE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/shim/hosts/reading.h"

enum { kThreads = 150 };

static const char* path;
static int pipe_ends[2];
static int shared;
static int is_asynchronous;
static atomic_int cleaned;
static atomic_long begun;

static void CleanUp(void* unused) {
  (void)unused;
  atomic_fetch_add(&cleaned, 1);
}

static void* ReadForEver(void* number) {
  char part[256];
  const long id = (long)number;
  // Opened before: an asynchronous cancellation must not hit what is not made for it, such as open.
  pthread_cleanup_push(CleanUp, NULL);
  if (is_asynchronous) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  atomic_fetch_add(&begun, 1);
  for (long at = 0;; at += 4096 + 256 * (id % 3)) {
    if (id % 3 == 0 && read(pipe_ends[0], part, 1) > 0) abort();
    if (pread(shared, part, sizeof part, at) == 0) at = 0;
    if (read(shared, part, sizeof part) == 0) lseek(shared, 0, SEEK_SET);
  }
  pthread_cleanup_pop(0);
  return NULL;
}

static void CancelAll(const char* name) {
  atomic_store(&cleaned, 0);
  int cancelled = 0;
  for (long i = 0; i < kThreads; ++i) {
    pthread_t thread;
    atomic_store(&begun, 0);
    if (pthread_create(&thread, NULL, ReadForEver, (void*)i) != 0) exit(4);
    while (atomic_load(&begun) == 0) sched_yield();
    // A little later each time, so that every stretch of the path is met.
    for (volatile long wait = 0; wait < i * 600; ++wait) {
    }
    pthread_cancel(thread);
    void* result = NULL;
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  lseek(shared, 0, SEEK_SET);
  Say("%s: cancelled %d cleaned %d, shared %lx, anew %lx\n", name, cancelled, atomic_load(&cleaned),
      SumOfNext(shared, 1L << 40), SumOfFile(path, 1L << 40));
}

int main(int argc, char** argv) {
  if (argc < 2 || pipe(pipe_ends) != 0) return 2;
  path = argv[1];
  shared = open(path, O_RDONLY);
  CancelAll("deferred");
  is_asynchronous = 1;
  CancelAll("asynchronous");
  return 0;
}
