// Signals interrupt reads that wait: with and without a restart, with a handler that reads, by a signal file, and by
// sigwait. Case A8 of the field failures. Usage: interrupted_read FILE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

static const char* path;
static int ends[2];
static int acknowledged[2];
static volatile sig_atomic_t handled;
static volatile unsigned long sum_in_handler;

static void OnSignal(int number) {
  (void)number;
  const int saved = errno;
  sum_in_handler = SumOfFile(path, 100000);
  ++handled;
  if (write(acknowledged[1], "h", 1) != 1) _exit(7);
  errno = saved;
}

// A child that sends its parent a signal when that sleeps in a system call, and then a byte.
static pid_t Disturber(int number) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/stat", parent);
  for (char state = 0; state != 'S';) {
    FILE* file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1) _exit(3);
    fclose(file);
  }
  kill(parent, number);
  // The byte comes when the read was interrupted for sure.
  char byte;
  if (read(acknowledged[0], &byte, 1) != 1) _exit(7);
  if (write(ends[1], "x", 1) != 1) _exit(4);
  _exit(0);
}

static void Disturbed(const char* name, int flags) {
  struct sigaction action = {.sa_handler = OnSignal, .sa_flags = flags};
  sigaction(SIGUSR1, &action, NULL);
  handled = 0;
  const pid_t child = Disturber(SIGUSR1);
  char byte;
  errno = 0;
  const long got = read(ends[0], &byte, 1);
  const int error = errno;
  waitpid(child, NULL, 0);
  if (got < 0 && read(ends[0], &byte, 1) != 1) exit(5);
  Say("%s: %ld %d handled %d %lx\n", name, got, error, (int)handled, sum_in_handler);
}

static void* ReadAlong(void* stop) {
  while (!atomic_load((atomic_int*)stop)) SumOfFile(path, 1L << 40);
  return NULL;
}

static void Waited(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  atomic_int stop = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, ReadAlong, &stop) != 0) exit(6);
  int child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; ++i) kill(getppid(), SIGUSR2);
    kill(getppid(), SIGTERM);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  for (int i = 0; i < 5; ++i) SumOfFile(path, 1L << 40);
  sigset_t pending;
  sigpending(&pending);
  int number = 0;
  Say("pending %d %d", sigismember(&pending, SIGUSR2), sigismember(&pending, SIGTERM));
  const int signals = signalfd(-1, &set, SFD_CLOEXEC);
  struct signalfd_siginfo info;
  if (read(signals, &info, sizeof info) != sizeof info) exit(7);
  if (sigwait(&set, &number) != 0) exit(8);
  Say(" by file %u by sigwait %d\n", info.ssi_signo, number);
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  int blocked = 0;
  for (int i = 1; i < 65; ++i) blocked += sigismember(&now, i) == 1;
  Say("blocked %d\n", blocked);
}

int main(int argc, char** argv) {
  if (argc < 2 || pipe(ends) != 0 || pipe(acknowledged) != 0) return 2;
  path = argv[1];
  Disturbed("restarted", SA_RESTART);
  Disturbed("interrupted", 0);
  Waited();
  return 0;
}
