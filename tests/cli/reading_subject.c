// Reads a file in many ways and prints each read as OFFSET+RETURNED, the offset as the kernel says it. For comparison
// with what was traced of it. Usage: reading_subject FILE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* path;

static void Print(long long offset, ssize_t returned) {
  char line[64];
  const int length = snprintf(line, sizeof line, "%lld+%zd\n", offset, returned);
  if (write(1, line, (size_t)length) != length) _exit(1);
}

static void Read(int fd, size_t count) {
  char buffer[8192];
  const long long at = lseek(fd, 0, SEEK_CUR);
  Print(at, read(fd, buffer, count));
}

static void* ReadInThread(void* unused) {
  (void)unused;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 3; ++i) Read(fd, 4096);
  close(fd);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  path = argv[1];
  char a[10], b[20], buffer[100];
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return 1;
  Read(fd, 500);
  lseek(fd, 1000, SEEK_CUR);
  const int copy = dup(fd);
  Read(copy, 500);
  Print(20000, pread(fd, buffer, sizeof buffer, 20000));
  struct iovec vector[2] = {{a, sizeof a}, {b, sizeof b}};
  Print(77, preadv(fd, vector, 2, 77));
  const long long at = lseek(fd, 0, SEEK_CUR);
  Print(at, readv(fd, vector, 2));
  const pid_t child = fork();
  if (child == 0) {
    Read(fd, 1000);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  Read(fd, 1000);
  int pipes[2];
  if (pipe(pipes) != 0) return 1;
  off_t offset = 3000;
  Print(3000, sendfile(pipes[1], fd, &offset, 300));
  const long long before = lseek(fd, 0, SEEK_CUR);
  Print(before, sendfile(pipes[1], fd, NULL, 300));
  lseek(fd, -5, SEEK_END);
  Read(fd, 100);
  Read(fd, 100);
  pthread_t thread;
  if (pthread_create(&thread, NULL, ReadInThread, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}
