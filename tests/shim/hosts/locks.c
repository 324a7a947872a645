// Holds a lock of each kind on a file that it reads in every direction, opens and closes by hooked calls only as bare,
// and lets another process try: the answers say whether a lock was lost, or whether somebody else holds the file open.
// Case A6. Usage: locks FILE_TO_READ
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

static void ReadAround(int fd) {
  for (int i = 0; i < 40; ++i) Show("read", read(fd, buffer, sizeof buffer), buffer);
  for (long at = 60L << 16; at >= 1L << 20; at -= 1 << 15)
    if (pread(fd, buffer, 1 << 15, at) < 0) Show("pread", -1, NULL);
  void* bytes = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes != MAP_FAILED) munmap(bytes, 1 << 20);
}

// What a process of its own gets: 0 or an errno.
static int Other(int (*attempt)(const char*), const char* path) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(attempt(path));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int Flags(const char* path) { return access(path, W_OK) == 0 ? O_RDWR : O_RDONLY; }

static int TryRecord(const char* path) {
  struct flock wanted = {.l_type = Flags(path) == O_RDWR ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(open(path, Flags(path)), F_SETLK, &wanted) == 0 ? 0 : errno;
}

static int TryOpenDescription(const char* path) {
  struct flock wanted = {.l_type = Flags(path) == O_RDWR ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(open(path, Flags(path)), F_OFD_SETLK, &wanted) == 0 ? 0 : errno;
}

static int TryFlock(const char* path) { return flock(open(path, O_RDONLY), LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

static int TryRead(const char* path) { return open(path, O_RDONLY | O_NONBLOCK) >= 0 ? 0 : errno; }

static int TryWrite(const char* path) { return open(path, O_WRONLY | O_NONBLOCK) >= 0 ? 0 : errno; }

static void Records(const char* path) {
  const int fd = open(path, Flags(path));
  struct flock lock = {.l_type = Flags(path) == O_RDWR ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_len = 1000};
  Show("F_SETLK", fcntl(fd, F_SETLK, &lock), NULL);
  printf("another process: %d\n", Other(TryRecord, path));
  ReadAround(fd);
  printf("after reading: %d\n", Other(TryRecord, path));
  // A close of one's own drops them all: that too must stay so.
  close(open(path, O_RDONLY));
  printf("after a close: %d\n", Other(TryRecord, path));
  close(fd);
}

static void OpenDescriptions(const char* path) {
  const int fd = open(path, Flags(path));
  struct flock lock = {.l_type = Flags(path) == O_RDWR ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
  Show("F_OFD_SETLK", fcntl(fd, F_OFD_SETLK, &lock), NULL);
  ReadAround(fd);
  close(open(path, O_RDONLY));
  printf("open description lock: %d\n", Other(TryOpenDescription, path));
  close(fd);
  printf("released: %d\n", Other(TryOpenDescription, path));
}

static void Flocks(const char* path) {
  const int fd = open(path, O_RDONLY);
  Show("flock", flock(fd, LOCK_EX), NULL);
  ReadAround(fd);
  printf("flock: %d\n", Other(TryFlock, path));
  // With requests perhaps still under way: the close must let go at once.
  for (int i = 0; i < 10; ++i) {
    const int again = dup(fd);
    if (pread(again, buffer, sizeof buffer, (long)i << 18) < 0) Show("pread", -1, NULL);
    close(again);
  }
  close(fd);
  printf("closed: %d\n", Other(TryFlock, path));
  for (int i = 0; i < 30; ++i) {
    const int locked = open(path, O_RDONLY);
    if (flock(locked, LOCK_EX | LOCK_NB) != 0) printf("flock %d: errno %d\n", i, errno);
    for (int part = 0; part < 5; ++part)
      if (read(locked, buffer, sizeof buffer) < 0) Show("read", -1, NULL);
    close(locked);
  }
}

// A write lease is given only while nobody else has the file open.
static void Leases(const char* path) {
  signal(SIGIO, SIG_IGN);
  const int kinds[] = {F_RDLCK, F_WRLCK};
  for (int i = 0; i < 2; ++i) {
    const int fd = open(path, O_RDONLY);
    ReadAround(fd);
    Show("F_SETLEASE", fcntl(fd, F_SETLEASE, kinds[i]), NULL);
    lseek(fd, 0, SEEK_SET);
    ReadAround(fd);
    Show("F_GETLEASE", fcntl(fd, F_GETLEASE), NULL);
    printf("another reader: %d\n", Other(TryRead, path));
    printf("a writer: %d\n", Other(TryWrite, path));
    Show("F_GETLEASE", fcntl(fd, F_GETLEASE), NULL);
    Show("F_UNLCK", fcntl(fd, F_SETLEASE, F_UNLCK), NULL);
    ReadAround(fd);
    Show("F_SETLEASE", fcntl(fd, F_SETLEASE, F_RDLCK), NULL);
    close(fd);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Records(argv[1]);
  OpenDescriptions(argv[1]);
  Flocks(argv[1]);
  Leases(argv[1]);
  return 0;
}
