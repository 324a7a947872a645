// Runs a command in which system calls fail, as on kernels and file systems that do not have them. The library is told,
// as `ahead run` would, that none of its calls is deadly there; without that it makes none.
// With --untold the library is told nothing.
// Usage: deny [--untold] CALL=ERRNO|kill... -- COMMAND [ARGUMENT]...
// CALL: cachestat, preadv2, statx, readahead, madvise
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned NumberOf(const char* name, size_t length) {
  const struct {
    const char* name;
    unsigned number;
  } calls[] = {{"cachestat", 451},
               {"preadv2", SYS_preadv2},
               {"statx", SYS_statx},
               {"readahead", SYS_readahead},
               {"madvise", SYS_madvise}};
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0) return calls[i].number;
  fprintf(stderr, "deny: unknown call %s\n", name);
  exit(125);
}

static void SayThatFiltersAreHarmless(void) {
  char line[256];
  int filters;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "Seccomp_filters: %d", &filters) != 1) continue;
    snprintf(line, sizeof line, "%d", filters);
    setenv("AHEAD_FILTERS", line, 1);
  }
  if (status != NULL) fclose(status);
}

int main(int argc, char** argv) {
  struct sock_filter rules[64];
  unsigned short count = 0;
  rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  int i = 1;
  const int is_untold = argc > 1 && strcmp(argv[1], "--untold") == 0;
  if (is_untold) ++i;
  for (; i < argc && strcmp(argv[i], "--") != 0 && count < 60; ++i) {
    const char* value = strchr(argv[i], '=');
    if (value == NULL) return 125;
    const unsigned number = NumberOf(argv[i], (size_t)(value - argv[i]));
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    rules[count++] = (struct sock_filter)BPF_STMT(
        BPF_RET | BPF_K, strcmp(value + 1, "kill") == 0 ? SECCOMP_RET_KILL_PROCESS
                                                        : SECCOMP_RET_ERRNO | ((unsigned)atoi(value + 1) & 0xffff));
  }
  rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  if (i + 1 >= argc) return 125;
  const struct sock_fprog program = {count, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("deny");
    return 126;
  }
  is_untold ? unsetenv("AHEAD_FILTERS") : SayThatFiltersAreHarmless();
  execvp(argv[i + 1], argv + i + 1);
  return 127;
}
