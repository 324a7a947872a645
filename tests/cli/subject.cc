// A command for the tests to run: it tells in what state it was started, or which signals reach it.
//
//   subject state       signal mask, dispositions and descriptors, one a line
//   subject signals     "ready", then the number of each signal that comes; ends at TERM and HUP
//   subject stopped N   "ready", stops itself by signal N, says "continued" and ends with status 7
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

void PrintState() {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0) continue;
    printf("signal %d %s %s\n", number, sigismember(&mask, number) == 1 ? "blocked" : "open",
           action.sa_handler == SIG_IGN ? "ignored" : "default");
  }
  for (int fd = 0; fd < 1024; ++fd) {
    char link[64];
    char target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length >= 0) printf("descriptor %d %.*s\n", fd, static_cast<int>(length), target);
  }
}

void PrintSignals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  puts("ready");
  for (int number = 0; number != SIGTERM && number != SIGHUP;) {
    sigwait(&all, &number);
    printf("%d\n", number);
  }
}

void StopOnce(int number) {
  puts("ready");
  kill(getpid(), number);
  puts("continued");
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc == 2 && strcmp(argv[1], "state") == 0) return PrintState(), 0;
  if (argc == 2 && strcmp(argv[1], "signals") == 0) return PrintSignals(), 0;
  if (argc == 3 && strcmp(argv[1], "stopped") == 0) return StopOnce(atoi(argv[2])), 7;
  return 2;
}
