// Reads a file, moves to surroundings that lack what a library might want to find there, reads on, and reads again in a
// child and in a program started there. Needs root. Exit status 77: cannot be done here.
// Usage: elsewhere NO_PROC|CHROOT|READ_ONLY|USER_NAMESPACE|NOBODY FILE ROOT   ROOT: a folder for CHROOT with FILE, and
// with this program and its libraries in it; / for all others
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

static void Part(const char* what, int fd, int reads) {
  unsigned sum = 0;
  long total = 0;
  for (int i = 0; i < reads; ++i) {
    const long got = read(fd, buffer, sizeof buffer);
    if (got < 0) printf("%s: errno %d\n", what, errno);
    if (got <= 0) break;
    total += got;
    sum = sum * 31 + Hash(buffer, got);
  }
  printf("%s %ld %08x\n", what, total, sum);
  fflush(stdout);
}

static void Need(int result) {
  if (result == 0) return;
  perror("elsewhere");
  exit(77);
}

static void Move(const char* mode, const char* root) {
  if (strcmp(mode, "USER_NAMESPACE") == 0) return Need(unshare(CLONE_NEWUSER | CLONE_NEWPID));
  if (strcmp(mode, "NOBODY") == 0) {
    Need(setgroups(0, NULL));
    Need(setgid(65534));
    return Need(setuid(65534));
  }
  Need(unshare(CLONE_NEWNS));
  Need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
  if (strcmp(mode, "NO_PROC") == 0) return Need(umount2("/proc", MNT_DETACH));
  if (strcmp(mode, "CHROOT") == 0) {
    Need(chroot(root));
    return Need(chdir("/"));
  }
  // MOUNT_ATTR_RDONLY, on all mounts.
  const unsigned long attributes[4] = {1, 0, 0, 0};
  Need((int)syscall(442 /* mount_setattr */, AT_FDCWD, "/", 0x8000 /* AT_RECURSIVE */, attributes, sizeof attributes));
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* mode = argv[1];
  const char* path = argv[2];
  if (strcmp(mode, "STARTED") == 0) {
    Part("started", open(path, O_RDONLY), 1000);
    return 0;
  }
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return 3;
  Part("before", fd, 10);
  Move(mode, argv[3]);
  Part("after", fd, 10);
  // Inside a root of its own the file is at the top.
  const char* inside = strcmp(mode, "CHROOT") == 0 ? "/file" : path;
  Part("opened after", open(inside, O_RDONLY), 1000);
  const pid_t child = fork();
  if (child == 0) {
    Part("child", fd, 10);
    execl(strcmp(mode, "CHROOT") == 0 ? "/elsewhere" : argv[0], argv[0], "STARTED", inside, "/", (char*)0);
    _exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended %d\n", status);
  Part("after the child", fd, 10);
  return 0;
}
