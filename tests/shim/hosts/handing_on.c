// Reads pages of a file at random, lets another program have the descriptor in one WAY or another, and reads on. Or
// forbids itself, meanwhile, the system calls that it does not make.
// Usage: handing_on FILE WAY
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pty.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "tests/shim/hosts/reading.h"

enum { kPage = 4096, kReads = 150, kCopy = 50 };

extern char** environ;
static char* const kWords[] = {"true", NULL};
static const char kProgram[] = "/bin/true";
static int file;
static uint64_t state = 1;

static void ReadAtRandom(void) {
  char page[kPage];
  const off_t pages = lseek(file, 0, SEEK_END) / kPage;
  for (int i = 0; i < kReads; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    if (pread(file, page, kPage, (off_t)(state >> 33) % pages * kPage) != kPage) exit(3);
  }
}

static int IsExec(const char* way) {
  if (strcmp(way, "execve") == 0) return execve(kProgram, kWords, environ);
  if (strcmp(way, "execv") == 0) return execv(kProgram, kWords);
  if (strcmp(way, "execvp") == 0) return execvp("true", kWords);
  if (strcmp(way, "execvpe") == 0) return execvpe("true", kWords, environ);
  if (strcmp(way, "execl") == 0)
    return execl("/bin/sh", "sh", "-c", "test \"$1\" = b && test $# = 8", "a", "b", "c", "d", "e", "f", "g", "h", "i",
                 NULL);
  if (strcmp(way, "execle") == 0)
    return execle("/bin/sh", "sh", "-c", "test $GIVEN = yes", NULL, (char*[]){"GIVEN=yes", NULL});
  if (strcmp(way, "execlp") == 0) return execlp("true", "true", "1", "2", "3", NULL);
  if (strcmp(way, "fexecve") == 0) return fexecve(open(kProgram, O_RDONLY | O_CLOEXEC), kWords, environ);
  if (strcmp(way, "execveat") == 0) return execveat(AT_FDCWD, kProgram, kWords, environ, 0);
  return 0;
}

static void Await(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) exit(4);
}

static void Spawn(int is_by_name, posix_spawn_file_actions_t* actions) {
  pid_t child = -1;
  if ((is_by_name ? posix_spawnp(&child, "true", actions, NULL, kWords, environ)
                  : posix_spawn(&child, kProgram, actions, NULL, kWords, environ)) != 0)
    exit(5);
  Await(child);
}

static void Send(int is_several) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) exit(6);
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof file)];
  } control;
  memset(&control, 0, sizeof control);
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(&control.header), &file, sizeof file);
  struct mmsghdr message = {{NULL, 0, &part, 1, control.room, sizeof control.room, 0}, 0};
  if ((is_several ? sendmmsg(pair[0], &message, 1, 0) : sendmsg(pair[0], &message.msg_hdr, 0)) != 1) exit(7);
}

// Another program gets a copy, of a descriptor that this one has closed by exec.
static void CopyInChild(void) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(file, kCopy);
    _exit(execv(kProgram, kWords));
  }
  Await(child);
}

// What the library would ask in place of the host ends the process.
static void Filter(void) {
  static struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fadvise64, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_readahead, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    exit(12);
  if (execv("/nowhere", kWords) != -1 || errno != ENOENT) exit(13);
  const pid_t child = vfork();
  if (child == 0) _exit(execv("/nowhere", kWords) == -1 ? 0 : 14);
  Await(child);
  Send(0);
}

static void HandOn(const char* way) {
  if (IsExec(way) != 0) exit(8);
  if (strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(execv(kProgram, kWords));
    Await(child);
  }
  if (strcmp(way, "vfork") == 0) {
    const pid_t child = vfork();
    if (child == 0) _exit(execv(kProgram, kWords));
    Await(child);
  }
  if (strcmp(way, "vfork-copy") == 0) {
    const pid_t child = vfork();
    if (child == 0) {
      dup2(file, kCopy);
      _exit(execv(kProgram, kWords));
    }
    Await(child);
  }
  if (strcmp(way, "forkpty") == 0) {
    int terminal = -1;
    const pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child == 0) _exit(execv(kProgram, kWords));
    Await(child);
  }
  if (strcmp(way, "posix_spawn") == 0) Spawn(0, NULL);
  if (strcmp(way, "posix_spawnp") == 0) Spawn(1, NULL);
  if (strcmp(way, "spawn-copy") == 0) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, kCopy);
    Spawn(0, &actions);
    posix_spawn_file_actions_destroy(&actions);
  }
  if ((strcmp(way, "system") == 0 || strcmp(way, "closed") == 0) && system(kProgram) != 0) exit(9);
  if (strcmp(way, "popen") == 0 && pclose(popen(kProgram, "r")) != 0) exit(10);
  wordexp_t words;
  if (strcmp(way, "wordexp") == 0 && wordexp("$(/bin/true)", &words, 0) != 0) exit(11);
  if (strcmp(way, "filtered") == 0) Filter();
  if (strcmp(way, "sendmsg") == 0) Send(0);
  if (strcmp(way, "sendmmsg") == 0) Send(1);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* const way = argv[2];
  const int is_closed = strcmp(way, "closed") == 0 || strstr(way, "-copy") != NULL;
  file = open(argv[1], O_RDONLY | (is_closed ? O_CLOEXEC : 0));
  if (file < 0) return 2;
  const int is_early = strcmp(way, "early") == 0;
  if (is_early && system(kProgram) != 0) return 9;
  if (strcmp(way, "early-fork-copy") == 0) CopyInChild();
  ReadAtRandom();
  HandOn(way);
  ReadAtRandom();
  return 0;
}
