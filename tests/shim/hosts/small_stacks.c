// Reads on the smallest stacks there are: a thread of 16 KiB, a coroutine of 8 KiB, a signal handler's own stack; each
// filled with a pattern below, so that whoever writes past the end is caught. Case A14. Usage: small_stacks FILE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static const char* path;
static long totals[4];

static void ReadInSteps(long* total) {
  char part[256];
  long got;
  const int fd = open(path, O_RDONLY);
  while (*total < 100000 && (got = read(fd, part, sizeof part)) > 0) *total += got;
  lseek(fd, 0, SEEK_SET);
  for (int i = 0; i < 100; ++i) *total += pread(fd, part, sizeof part, i * 4096);
  close(fd);
}

// Memory that faults when somebody goes below it.
static void* GuardedStack(size_t size) {
  char* pages = mmap(NULL, size + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 65536, size, PROT_READ | PROT_WRITE) != 0) exit(3);
  return pages + 65536;
}

static void* InThread(void* unused) {
  ReadInSteps(&totals[0]);
  return unused;
}

static ucontext_t main_context;
static ucontext_t coroutine;

static void InCoroutine(void) { ReadInSteps(&totals[1]); }

static void OnSignal(int number) {
  (void)number;
  ReadInSteps(&totals[2]);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, GuardedStack(16384), 16384);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, InThread, NULL) != 0) return 4;
  pthread_join(thread, NULL);

  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = GuardedStack(8192);
  coroutine.uc_stack.ss_size = 8192;
  coroutine.uc_link = &main_context;
  makecontext(&coroutine, InCoroutine, 0);
  swapcontext(&main_context, &coroutine);

  // What the kernel itself needs for the frame, what the handler's own array takes, and one page.
  const size_t size = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 1024 + 4095) / 4096 * 4096;
  const stack_t own = {.ss_sp = GuardedStack(size), .ss_size = size};
  if (sigaltstack(&own, NULL) != 0) return 5;
  struct sigaction action = {.sa_handler = OnSignal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  printf("%ld %ld %ld\n", totals[0], totals[1], totals[2]);
  return 0;
}
