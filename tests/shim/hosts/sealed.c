// Reads a file in every way under filters that kill at any system call but its own: set by prctl, by the system call
// seccomp, and the strict mode. Each in a child, whose end is printed. Usage: sealed FILE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

enum { kMostRules = 64 };

static const char* path;

// What the host asks below, and what its libc asks for it.
static const unsigned kAllowed[] = {SYS_read,      SYS_write,    SYS_pread64, SYS_readv,      SYS_openat,
                                    SYS_close,     SYS_lseek,    SYS_fstat,   SYS_newfstatat, SYS_brk,
                                    SYS_mmap,      SYS_munmap,   SYS_dup,     SYS_exit_group, SYS_rt_sigreturn,
                                    SYS_fadvise64, SYS_getrandom};

static struct sock_fprog Program(struct sock_filter* rules) {
  unsigned short count = 0;
  rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < sizeof kAllowed / sizeof *kAllowed; ++i) {
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kAllowed[i], 0, 1);
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  return (struct sock_fprog){count, rules};
}

static int ByPrctl(void) {
  struct sock_filter rules[kMostRules];
  const struct sock_fprog program = Program(rules);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) + prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// As the usual library does it.
static int BySeccomp(void) {
  struct sock_filter rules[kMostRules];
  const struct sock_fprog program = Program(rules);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) +
         (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static int Strictly(void) { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); }

static void ReadOn(int fd) {
  char part[4096];
  Say("then %lx\n", SumOfNext(fd, 300000));
  const long at = pread(fd, part, sizeof part, 5);
  Say("at %ld, seek %ld\n", at, (long)lseek(fd, 70000, SEEK_SET));
  posix_fadvise(fd, 0, 100000, POSIX_FADV_WILLNEED);
  for (int i = 0; i < 200; ++i)
    if (pread(fd, part, 512, (200 - i) * 4096L) < 0) exit(5);
  const int copy = dup(fd);
  Say("rest %lx anew %lx\n", SumOfNext(copy, 1L << 40), SumOfFile(path, 1L << 40));
  close(copy);
  FILE* file = fopen(path, "r");
  long lines = 0;
  while (file != NULL && fgets(part, sizeof part, file) != NULL) ++lines;
  if (file == NULL || fseek(file, 100, SEEK_SET) != 0 || fread(part, 1, 100, file) != 100) exit(6);
  fclose(file);
  Say("lines %ld\n", lines);
}

static void Under(const char* name, int (*seal)(void), int has_read) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(path, O_RDONLY);
    if (has_read) Say("%s: first %lx\n", name, SumOfNext(fd, 100000));
    if (seal() != 0) _exit(77);
    if (seal != Strictly) {
      ReadOn(fd);
      _exit(0);
    }
    Say("rest %lx\n", SumOfNext(fd, 1L << 40));
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Say("%s: ended %x\n", name, (unsigned)status);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  for (int has_read = 0; has_read < 2; ++has_read) {
    Under("prctl", ByPrctl, has_read);
    Under("seccomp", BySeccomp, has_read);
    Under("strict", Strictly, has_read);
  }
  return 0;
}
