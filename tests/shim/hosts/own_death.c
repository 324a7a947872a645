// Dies in each way a program can, in the middle of reading, and prints what its parent is told: the signal, and whether
// there was a core. Usage: own_death FILE FOLDER
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

static void Abort(void) { abort(); }
static void Trap(void) { __builtin_trap(); }
static int* volatile nowhere = (int*)8;
static void Touch(void) { *nowhere = 1; }
static void Kill(void) { kill(getpid(), SIGKILL); }
static void Quit(void) { exit(77); }
static void QuitAtOnce(void) { _exit(78); }

static void DieBy(const char* path, void (*death)(void), int dumpable) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_DUMPABLE, dumpable);
    const int fd = open(path, O_RDONLY);
    SumOfNext(fd, 300000);
    death();
    _exit(100);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) exit(3);
  Say("signal %d core %d exit %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
      WIFSIGNALED(status) && WCOREDUMP(status), WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(int argc, char** argv) {
  if (argc < 3 || chdir(argv[2]) != 0) return 2;
  const struct rlimit large = {1 << 30, 1 << 30};
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &large);
  for (int with_core = 1; with_core >= 0; --with_core) {
    if (!with_core) setrlimit(RLIMIT_CORE, &none);
    DieBy(argv[1], Abort, 1);
    DieBy(argv[1], Trap, 1);
    DieBy(argv[1], Touch, 1);
    DieBy(argv[1], Touch, 0);
    DieBy(argv[1], Kill, 1);
    DieBy(argv[1], Quit, 1);
    DieBy(argv[1], QuitAtOnce, 1);
  }
  // At last by its own hand, which the caller sees.
  SumOfFile(argv[1], 300000);
  abort();
}
