// Reads through descriptors of every kind, and through files reached by odd ways: another name in /dev/fd, a handle, a
// socket, flags changed on the way, a file without a name. Usage: odd_descriptors FILE SCRATCH_FOLDER
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static _Alignas(4096) char buffer[1 << 17];

static void ReadSome(const char* what, int fd) {
  for (int i = 0; i < 3; ++i) Show(what, read(fd, buffer, 1 << 16), buffer);
  Show(what, pread(fd, buffer, 5000, 100), buffer);
  struct iovec parts[2] = {{buffer, 100}, {buffer + 100, 5000}};
  Show(what, readv(fd, parts, 2), NULL);
  FILE* stream = fdopen(dup(fd), "r");
  Show(what, stream == NULL ? -1 : (long)fread(buffer, 1, 300, stream), NULL);
  if (stream != NULL) fclose(stream);
  Show(what, lseek(fd, 0, SEEK_CUR), NULL);
  Show(what, close(fd), NULL);
}

static void OfTheKernel(void) {
  ReadSome("eventfd", eventfd(5, EFD_NONBLOCK));
  ReadSome("eventfd semaphore", eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE));
  ReadSome("timerfd", timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  ReadSome("signalfd", signalfd(-1, &signals, SFD_NONBLOCK));
  ReadSome("inotify", inotify_init1(IN_NONBLOCK));
  ReadSome("epoll", epoll_create1(0));
  ReadSome("pidfd", (int)syscall(SYS_pidfd_open, getpid(), 0));
  ReadSome("terminal", open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK));
  int ends[2];
  if (pipe2(ends, O_NONBLOCK | O_DIRECT) == 0 && write(ends[1], "packet", 6) == 6) ReadSome("pipe of packets", ends[0]);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) == 0 && write(ends[1], "packet", 6) == 6)
    ReadSome("socket of packets", ends[0]);
}

static void Passed(const char* path) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) exit(3);
  const int fd = open(path, O_RDONLY);
  Show("before it is passed", read(fd, buffer, 1 << 16), buffer);
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
  struct iovec part = {"x", 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  Show("sendmsg", sendmsg(ends[0], &message, 0), NULL);
  close(fd);
  char one;
  part.iov_base = &one;
  Show("recvmsg", recvmsg(ends[1], &message, 0), NULL);
  int received = -1;
  memcpy(&received, CMSG_DATA(&control.header), sizeof received);
  ReadSome("passed", received);
}

static void ByOddWays(const char* path, const char* folder) {
  char name[4096];
  const int fd = open(path, O_RDONLY);
  Show("read", read(fd, buffer, 1 << 16), buffer);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  ReadSome("/dev/fd", open(name, O_RDONLY));
  ReadSome("O_PATH", open(path, O_PATH));
  ReadSome("write only", open(folder, O_TMPFILE | O_WRONLY, 0600));
  Show("F_SETFL O_DIRECT", fcntl(fd, F_SETFL, O_DIRECT), NULL);
  for (int i = 0; i < 4; ++i) Show("direct", read(fd, buffer, 1 << 16), buffer);
  Show("direct, askew", read(fd, buffer + 1, 100) < 0, NULL);
  Show("F_SETFL", fcntl(fd, F_SETFL, O_NOATIME | O_APPEND | O_NONBLOCK), NULL);
  lseek(fd, 1 << 20, SEEK_SET);
  ReadSome("flags changed", fd);

  struct {
    struct file_handle head;
    char room[128];
  } handle = {.head = {.handle_bytes = 128}};
  int mount = 0;
  if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) == 0) {
    const int root = open(path, O_RDONLY);
    const int by_handle = open_by_handle_at(root, &handle.head, O_RDONLY);
    if (by_handle >= 0) ReadSome("by handle", by_handle);
    close(root);
  }
  errno = 0;

  const int nameless = open(folder, O_TMPFILE | O_RDWR, 0600);
  if (nameless >= 0) {
    for (int i = 0; i < 40; ++i) {
      memset(buffer, 'a' + i % 26, 1 << 16);
      if (write(nameless, buffer, 1 << 16) != 1 << 16) exit(4);
      Show("nameless", pread(nameless, buffer, 1 << 16, (long)i << 15), buffer);
    }
    lseek(nameless, 0, SEEK_SET);
    ReadSome("nameless", nameless);
  }
  const int sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
  if (write(sealed, buffer, 1 << 17) != 1 << 17) exit(5);
  Show("seals", fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), NULL);
  lseek(sealed, 0, SEEK_SET);
  ReadSome("sealed", sealed);
}

// Links and other names are the same file; so is a name that was given away.
static void Names(const char* folder) {
  char names[3][4096];
  for (int i = 0; i < 3; ++i) snprintf(names[i], sizeof names[i], "%s/name%d", folder, i);
  for (int i = 0; i < 3; ++i) unlink(names[i]);
  const int out = open(names[0], O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 30; ++i) {
    memset(buffer, 'a' + i, 1 << 16);
    if (write(out, buffer, 1 << 16) != 1 << 16) exit(6);
  }
  Show("link", link(names[0], names[1]), NULL);
  Show("symlink", symlink(names[1], names[2]), NULL);
  int files[3];
  for (int i = 0; i < 3; ++i) files[i] = open(names[i], O_RDONLY);
  for (int i = 0; i < 3; ++i) unlink(names[i]);
  for (int round = 0; round < 12; ++round)
    for (int i = 0; i < 3; ++i) Show("names", read(files[i], buffer, (1 << 15) + 4096 * (size_t)i), buffer);
  for (int i = 0; i < 3; ++i) close(files[i]);
  close(out);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  OfTheKernel();
  Passed(argv[1]);
  ByOddWays(argv[1], argv[2]);
  Names(argv[2]);
  return 0;
}
