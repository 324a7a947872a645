// Reads a file through one description, and makes a child of each kind in between: fork, vfork, raw clone with and
// without the parent's memory and descriptors, clone3, posix_spawn, exec with and without an environment, a daemon.
// Each child reads on where the parent was, opens the file anew, closes descriptors; then the parent reads on. Usage:
// kinds_of_children FILE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { kStep = 100000 };

static const char* path;
static int shared;
static char stack[65536] __attribute__((aligned(16)));
extern char** environ;

static void ReadAsChild(const char* kind) {
  const unsigned long on = SumOfNext(shared, kStep);
  const unsigned long anew = SumOfFile(path, kStep);
  close(shared);
  Say("%s: %lx %lx\n", kind, on, anew);
}

// What a child in its parent's memory may do: no stdio, nothing that allocates.
static int InParentsMemory(void* kind) {
  ReadAsChild(kind);
  return 7;
}

static void Await(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, __WALL) != child) exit(3);
  Say("parent: %x %lx\n", (unsigned)status, SumOfNext(shared, kStep));
}

static void ByFork(void) {
  const pid_t child = fork();
  if (child == 0) {
    ReadAsChild("fork");
    _exit(7);
  }
  Await(child);
}

static void ByVfork(char* const* environment) {
  char* const words[] = {"kinds_of_children", (char*)path, "vfork", NULL};
  const pid_t child = vfork();
  if (child == 0) {
    dup2(shared, 50);
    close(shared);
    execve("/proc/self/exe", words, environment);
    _exit(9);
  }
  Await(child);
}

static void ByRawClone(const char* kind, unsigned long flags) {
  const long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    ReadAsChild(kind);
    syscall(SYS_exit_group, 7);
  }
  Await((pid_t)child);
}

static void ByClone3(void) {
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.exit_signal = SIGCHLD;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    ReadAsChild("clone3");
    syscall(SYS_exit_group, 7);
  }
  Await((pid_t)child);
}

static void ByClone(char* kind, int flags) {
  const int kept = dup(shared);
  Await(clone(InParentsMemory, stack + sizeof stack, flags | SIGCHLD, kind));
  // With CLONE_FILES the child has closed our descriptor, too.
  dup2(kept, shared);
  close(kept);
  Say("parent: again %lx\n", SumOfNext(shared, kStep));
}

static void BySpawn(char* const* environment) {
  char* const words[] = {"kinds_of_children", (char*)path, "spawn", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, shared, 50);
  posix_spawn_file_actions_addclose(&actions, shared);
  posix_spawn_file_actions_addopen(&actions, 51, path, O_RDONLY, 0);
  pid_t child = -1;
  if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, words, environment) != 0) exit(4);
  posix_spawn_file_actions_destroy(&actions);
  Await(child);
}

// A daemon: forked twice, in a session of its own, with the standard descriptors closed in between.
static void ByDoubleFork(void) {
  const int out = dup(1);
  int ends[2];
  if (pipe(ends) != 0) exit(5);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    setsid();
    if (fork() != 0) _exit(7);
    for (int fd = 0; fd < 3; ++fd) close(fd);
    if (open("/dev/null", O_RDWR) != 0 || dup2(out, 1) != 1) _exit(8);
    ReadAsChild("daemon");
    _exit(0);
  }
  close(ends[1]);
  // The daemon's death closes the pipe.
  char byte;
  if (read(ends[0], &byte, 1) != 0) exit(6);
  close(ends[0]);
  close(out);
  Await(child);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  if (argc > 2) {
    shared = 50;
    ReadAsChild(argv[2]);
    if (fcntl(51, F_GETFD) >= 0) Say("opened for us: %lx\n", SumOfNext(51, kStep));
    return 7;
  }
  char* const empty[] = {NULL};
  shared = open(path, O_RDONLY);
  Say("start: %lx\n", SumOfNext(shared, kStep));
  ByFork();
  ByVfork(environ);
  ByVfork(empty);
  ByRawClone("clone", 0);
  ByRawClone("clone with its folder", CLONE_FS);
  ByClone3();
  ByClone("clone with its memory", CLONE_VM);
  ByClone("clone with its memory and descriptors", CLONE_VM | CLONE_FILES);
  ByClone("clone with its descriptors", CLONE_FILES);
  ByClone("clone like vfork", CLONE_VM | CLONE_VFORK);
  BySpawn(environ);
  BySpawn(empty);
  ByDoubleFork();
  Say("whole: %lx\n", SumOfFile(path, 1L << 40));
  return 0;
}
