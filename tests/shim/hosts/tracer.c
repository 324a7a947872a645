// A debugger of its own child: counts the child's reads of FILE, call by call, as a tracer that was there from the
// start and as one that comes later, looks into the child's memory, and leaves. Usage: tracer FILE
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

enum { kFile = 60 };

static volatile unsigned long word = 0x1234;

static void ReadAsChild(const char* path) {
  if (dup2(open(path, O_RDONLY), kFile) != kFile) _exit(3);
  unsigned long sum = 1;
  char part[4096];
  for (long got; (got = read(kFile, part, sizeof part)) > 0;) sum = Add(sum, part, got);
  Say("child %lx\n", sum);
  word = sum;
  raise(SIGUSR1);
  Say("child goes on %lx\n", SumOfFile(path, 100000));
  _exit(7);
}

// Lets the child run to its next stop; returns the signal it stops for, with bit 7 set for a system call.
static int NextStop(pid_t child, enum __ptrace_request how, int deliver) {
  int status = 0;
  if (ptrace(how, child, 0, (long)deliver) != 0 || waitpid(child, &status, 0) != child) exit(4);
  if (WIFEXITED(status)) Say("exit %d\n", WEXITSTATUS(status));
  return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static void TraceFromTheStart(const char* path) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    ReadAsChild(path);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, 0, (long)PTRACE_O_TRACESYSGOOD);
  long reads = 0;
  long bytes = 0;
  int deliver = 0;
  for (int stop; (stop = NextStop(child, PTRACE_SYSCALL, deliver)) != 0;) {
    deliver = stop & 0x80 ? 0 : stop;
    if (deliver == SIGUSR1) {
      Say("word %d reads %ld bytes %ld\n", ptrace(PTRACE_PEEKDATA, child, &word, 0) != 0x1234, reads, bytes);
      deliver = 0;
    }
    struct __ptrace_syscall_info info;
    if ((stop & 0x80) == 0 || ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) continue;
    static int is_read;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
      is_read = info.entry.nr == SYS_read && info.entry.args[0] == kFile;
    else if (info.op == PTRACE_SYSCALL_INFO_EXIT && is_read)
      ++reads, bytes += (long)info.exit.rval;
  }
}

static void TraceLater(const char* path) {
  int ends[2];
  int go[2];
  if (pipe(ends) != 0 || pipe2(go, O_NONBLOCK) != 0) exit(5);
  const pid_t child = fork();
  if (child == 0) {
    SumOfFile(path, 100000);
    if (write(ends[1], "x", 1) != 1) _exit(6);
    // Reads until the tracer has done with it.
    for (char byte; read(go[0], &byte, 1) != 1;) SumOfFile(path, 100000);
    Say("seized child %lx\n", SumOfFile(path, 100000));
    _exit(7);
  }
  char byte;
  if (read(ends[0], &byte, 1) != 1) exit(5);
  int status = 0;
  Say("seize %ld\n", ptrace(PTRACE_SEIZE, child, 0, 0));
  Say("interrupt %ld\n", ptrace(PTRACE_INTERRUPT, child, 0, 0));
  waitpid(child, &status, 0);
  Say("stopped %d detach %ld\n", WIFSTOPPED(status), ptrace(PTRACE_DETACH, child, 0, 0));
  if (write(go[1], "x", 1) != 1) exit(5);
  waitpid(child, &status, 0);
  Say("exit %d\n", WEXITSTATUS(status));
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  SumOfFile(argv[1], 100000);
  TraceFromTheStart(argv[1]);
  TraceLater(argv[1]);
  return 0;
}
