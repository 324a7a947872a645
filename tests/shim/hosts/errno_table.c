// Prints result and errno of calls that go wrong in every way, and of calls that go right, where errno must stay as it
// was. Case A11 of the field failures. Usage: errno_table FILE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRY(call)                                                                         \
  do {                                                                                    \
    errno = 85;                                                                           \
    const long result = (long)(call);                                                     \
    printf("%-60s %ld %d\n", #call, result<0 ? -1 : result> 4096 ? 4096 : result, errno); \
  } while (0)

static char buffer[65536];
// Volatile: the compiler must not see what is wrong with the calls.
static char* volatile wild = (char*)8;
static char* volatile null = (char*)0;
static volatile int minus_one = -1;

static void RegularFile(const char* path) {
  const struct iovec good[2] = {{buffer, 10}, {buffer + 10, 20}};
  const struct iovec bad[1] = {{wild, 10}};
  int fd;
  TRY(fd = open(path, O_RDONLY));
  TRY(read(fd, buffer, 100));
  TRY(read(fd, buffer, 0));
  TRY(lseek(fd, 0, SEEK_CUR));
  TRY(readv(fd, good, 2));
  TRY(readv(fd, bad, 1));
  TRY(readv(fd, (const struct iovec*)wild, 1));
  TRY(readv(fd, good, minus_one));
  TRY(preadv(fd, good, 2, 5));
  TRY(preadv(fd, good, 2, -5));
  TRY(preadv2(fd, good, 2, -1, 0));
  TRY(preadv2(fd, good, 2, 0, 0x40000000));
  TRY(read(fd, wild, 10));
  TRY(pread(fd, wild, 10, 0));
  TRY(pread(fd, buffer, 10, -1));
  TRY(pread(fd, buffer, 10, 0x7fffffffffffffff));
  TRY(pread(fd, buffer, 10, 0x7ffffffffffff000));
  TRY(pread(fd, buffer, sizeof buffer, 4096));
  TRY(lseek(fd, -5, SEEK_SET));
  TRY(lseek(fd, 0x7ffffffffffff000, SEEK_SET));
  TRY(lseek(fd, 0, 99));
  TRY(lseek(fd, 0, SEEK_END) > 0);
  TRY(read(fd, buffer, 10));
  TRY(posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED));
  TRY(posix_fadvise(fd, 0, 0, 99));
  TRY(readahead(fd, 0, 4096));
  TRY(fcntl(fd, F_GETFL) & O_ACCMODE);
  TRY(dup2(fd, fd) == fd);
  TRY(dup3(fd, fd, 0));
  TRY(dup2(99, fd));
  TRY(read(fd, buffer, 10));
  TRY(close(fd));
  TRY(close(fd));
  TRY(read(fd, buffer, 10));
}

static void OtherKinds(void) {
  int ends[2];
  int pair[2];
  int fd;
  TRY(pipe(ends));
  TRY(write(ends[1], "abc", 3));
  TRY(read(ends[0], buffer, 10));
  TRY(read(ends[1], buffer, 10));
  TRY(lseek(ends[0], 0, SEEK_CUR));
  TRY(pread(ends[0], buffer, 10, 0));
  TRY(posix_fadvise(ends[0], 0, 0, POSIX_FADV_WILLNEED));
  TRY(readahead(ends[0], 0, 10));
  TRY(close(ends[1]));
  TRY(read(ends[0], buffer, 10));
  TRY(close(ends[0]));
  TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  TRY(write(pair[1], "abc", 3));
  TRY(read(pair[0], buffer, 10));
  TRY(pread(pair[0], buffer, 10, 0));
  TRY(close(pair[0]));
  TRY(close(pair[1]));
  TRY((fd = open("/tmp", O_RDONLY | O_DIRECTORY)) >= 0);
  TRY(read(fd, buffer, 10));
  TRY(close(fd));
  TRY((fd = open("/tmp", O_PATH)) >= 0);
  TRY(read(fd, buffer, 10));
  TRY(close(fd));
  TRY((fd = open("/proc/self/status", O_RDONLY)) >= 0);
  TRY(read(fd, buffer, 100));
  TRY(close(fd));
  TRY((fd = open("/dev/zero", O_RDONLY)) >= 0);
  TRY(read(fd, buffer, 100));
  TRY(close(fd));
}

static void BadArguments(const char* path) {
  TRY(read(-1, buffer, 10));
  TRY(read(99, buffer, 10));
  TRY(read(65536, buffer, 10));
  TRY(read(0x7fffffff, buffer, 10));
  TRY(pread(-1, buffer, 10, 0));
  TRY(close(-1));
  TRY(close(99999));
  TRY(dup(-1));
  TRY(dup2(-1, 5));
  TRY(dup2(0, -1));
  TRY(dup2(0, 0x7fffffff));
  TRY(fcntl(-1, F_DUPFD, 0));
  TRY(fcntl(0, F_DUPFD, 0x7fffffff));
  TRY(openat(99, "x", O_RDONLY));
  TRY(open(null, O_RDONLY));
  TRY(open(wild, O_RDONLY));
  TRY(open("", O_RDONLY));
  TRY(open("/nonexist/x", O_RDONLY));
  TRY(open(path, O_RDONLY | O_CREAT | O_EXCL, 0600));
  TRY(creat("/nonexist/x", 0600));
  TRY((long)fopen("/nonexist/x", "r"));
  TRY((long)fdopen(-1, "r"));
  TRY(mmap(0, 4096, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED);
  TRY(mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1) == MAP_FAILED);
  TRY(munmap((void*)1, 4096));
  TRY(madvise((void*)4096, 4096, MADV_WILLNEED));
}

static void Modes(const char* path) {
  struct stat now;
  umask(0);
  const int fd = open("/tmp", O_TMPFILE | O_RDWR, 0640);
  if (fd < 0 || fstat(fd, &now) != 0) return;
  printf("O_TMPFILE mode %o\n", now.st_mode & 07777);
  close(fd);
  char name[4096];
  snprintf(name, sizeof name, "%s.new", path);
  const int created = open(name, O_CREAT | O_WRONLY, 0604);
  if (created >= 0 && fstat(created, &now) == 0) printf("O_CREAT mode %o\n", now.st_mode & 07777);
  close(created);
  unlink(name);
  const int by_creat = creat(name, 0606);
  if (by_creat >= 0 && fstat(by_creat, &now) == 0) printf("creat mode %o\n", now.st_mode & 07777);
  TRY(read(by_creat, buffer, 10));
  close(by_creat);
  unlink(name);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  RegularFile(argv[1]);
  OtherKinds();
  BadArguments(argv[1]);
  Modes(argv[1]);
  return 85;
}
