// A hundred coroutines on stacks of 8 KiB read in turns, are abandoned in the middle with their stacks unmapped, and
// move from one thread to another between two reads. Case A14 of the field failures. Usage: coroutines FILE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/shim/hosts/reading.h"

enum { kCoroutines = 100, kStack = 8192, kTurns = 30 };

static const char* path;
static ucontext_t scheduler;
static ucontext_t contexts[kCoroutines];
static char* stacks[kCoroutines];
static unsigned long sums[kCoroutines];

static void Run(int id) {
  const int fd = open(path, O_RDONLY);
  lseek(fd, id * 20000L, SEEK_SET);
  for (int turn = 0; turn < kTurns; ++turn) {
    char part[256];
    long got = read(fd, part, sizeof part);
    sums[id] = Add(sums[id], part, got);
    swapcontext(&contexts[id], &scheduler);
    got = pread(fd, part, sizeof part, (id * 7919L + turn * 50021L) % 2000000);
    sums[id] = Add(sums[id], part, got);
  }
  close(fd);
}

static void* OneTurnEach(void* which) {
  for (int id = 0; id < kCoroutines; ++id)
    if (stacks[id] != NULL && id % 2 == *(int*)which) swapcontext(&scheduler, &contexts[id]);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  for (int id = 0; id < kCoroutines; ++id) {
    // Between two pages that fault.
    char* pages = mmap(NULL, kStack + 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 3;
    stacks[id] = pages + 4096;
    if (mprotect(stacks[id], kStack, PROT_READ | PROT_WRITE) != 0) return 3;
    getcontext(&contexts[id]);
    contexts[id].uc_stack.ss_sp = stacks[id];
    contexts[id].uc_stack.ss_size = kStack;
    contexts[id].uc_link = &scheduler;
    makecontext(&contexts[id], (void (*)(void))Run, 1, id);
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int half = 0; half < 2; ++half) {
      pthread_t thread;
      if (turn % 3 == 0) {
        if (pthread_create(&thread, NULL, OneTurnEach, &half) != 0) return 4;
        pthread_join(thread, NULL);
      } else {
        OneTurnEach(&half);
      }
    }
    if (turn == 20)
      for (int id = 0; id < kCoroutines; id += 3) {
        munmap(stacks[id], kStack);
        stacks[id] = NULL;
      }
  }
  for (int id = 0; id < kCoroutines; ++id) Say("%lx\n", sums[id]);
  Say("whole %lx\n", SumOfFile(path, 1L << 40));
  return 0;
}
