// A timer's handler forks, whatever it interrupts; each child reads what its parent was reading and something else, and
// the handler waits for it. Case A2 of the field failures. Usage: forking_handler FILE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

enum { kForks = 150 };

static const char* path;
static int fd;
static volatile sig_atomic_t forks;
static volatile sig_atomic_t bad;
static unsigned long first_part;

static void OnTimer(int number) {
  (void)number;
  if (forks >= kForks) return;
  const int saved = errno;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(60);
    char part[256];
    for (int i = 0; i < 20; ++i)
      if (pread(fd, part, sizeof part, i * 9973) != sizeof part) _exit(1);
    _exit(SumOfFile(path, 100000) == first_part ? 0 : 2);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) ++bad;
  ++forks;
  errno = saved;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  first_part = SumOfFile(path, 100000);
  fd = open(path, O_RDONLY);
  const struct sigaction action = {.sa_handler = OnTimer, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &often, NULL);
  unsigned long sum = 0;
  while (forks < kForks) {
    lseek(fd, 0, SEEK_SET);
    sum = SumOfNext(fd, 1L << 40);
  }
  Say("sum %lx, bad children %d\n", sum, (int)bad);
  return 0;
}
