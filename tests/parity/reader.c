// Reads a file in one of many ways, so that what is decided for each can be compared. Prints a sum.
// Usage: reader FILE WAY
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096, kThreads = 4 };

static const char* path;
static off_t size;
static unsigned sum;

static void Take(const unsigned char* bytes, ssize_t count) {
  if (count < 0) exit(3);
  for (ssize_t i = 0; i < count; i += 512) sum = sum * 31 + bytes[i];
}

static int Open(void) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) exit(4);
  return fd;
}

static ssize_t ReadAt(int fd, off_t offset, size_t count) {
  unsigned char buffer[1 << 16];
  const ssize_t got = pread(fd, buffer, count, offset);
  Take(buffer, got);
  return got;
}

static void Forward(int fd, off_t from, off_t to, size_t count) {
  for (off_t at = from; at < to; at += (off_t)count) ReadAt(fd, at, count);
}

static void Sequential(void) {
  unsigned char buffer[10000];
  const int fd = Open();
  ssize_t got;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) Take(buffer, got);
  close(fd);
}

static void Backward(void) {
  const int fd = Open();
  for (off_t at = size - kPage; at >= 0; at -= kPage) ReadAt(fd, at, kPage);
  close(fd);
}

static void Stride(void) {
  const int fd = Open();
  for (off_t at = 0; at < size; at += 16 * kPage) ReadAt(fd, at, kPage);
  for (off_t at = size - kPage; at >= 0; at -= 8 * kPage) ReadAt(fd, at, 1000);
  close(fd);
}

// Runs of some length at places that a fixed rule chooses, and single reads between them.
static void Seeks(void) {
  unsigned char buffer[kPage];
  const int fd = Open();
  uint32_t chance = 7;
  for (int jump = 0; jump < 40; ++jump) {
    chance = chance * 1664525u + 1013904223u;
    lseek(fd, (off_t)(chance % (uint32_t)(size / kPage)) * kPage, SEEK_SET);
    for (int i = 0; i < (jump % 3 == 0 ? 1 : 40); ++i) Take(buffer, read(fd, buffer, sizeof buffer));
  }
  close(fd);
}

static void Stdio(void) {
  FILE* file = fopen(path, "r");
  if (file == NULL) exit(4);
  char line[300];
  char block[7000];
  for (int i = 0; i < 3000 && fgets(line, sizeof line, file) != NULL; ++i) sum = sum * 31 + (unsigned char)line[0];
  for (int i = 0; i < 100; ++i) Take((unsigned char*)block, (ssize_t)fread(block, 1, sizeof block, file));
  fseek(file, size / 2, SEEK_SET);
  for (int c, i = 0; i < 300000 && (c = getc(file)) != EOF; ++i) sum = sum * 31 + (unsigned)c;
  fclose(file);
}

static void Mapping(void) {
  const int fd = Open();
  const unsigned char* bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) exit(5);
  madvise((void*)(uintptr_t)(bytes + size / 2), 1 << 20, MADV_WILLNEED);
  for (off_t at = 0; at < size; at += 64 * kPage) sum = sum * 31 + bytes[at];
  Forward(fd, 0, size / 2, kPage);
  munmap((void*)(uintptr_t)bytes, (size_t)size);
  close(fd);
}

static void Advice(void) {
  const int fd = Open();
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  Forward(fd, 0, size / 4, kPage);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  Forward(fd, 0, size / 4, 3 * kPage);
  posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
  posix_fadvise(fd, size / 2, 1 << 20, POSIX_FADV_WILLNEED);
  Forward(fd, size / 2, size, kPage);
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  Forward(fd, 0, size / 8, kPage);
  close(fd);
}

// Several readers of one description, and several descriptions of the file.
static void Interleaved(void) {
  const int one = Open();
  const int other = dup(one);
  const int third = Open();
  for (off_t at = 0; at < size / 4; at += kPage) {
    ReadAt(one, at, kPage);
    ReadAt(other, size / 4 + at, kPage);
    ReadAt(third, size / 2 + at, kPage);
  }
  close(one);
  Forward(other, size / 2, size, 5000);
  close(other);
  close(third);
}

static void* ReadInThread(void* number) {
  const int fd = Open();
  const off_t part = size / kThreads;
  unsigned char buffer[kPage];
  for (off_t at = 0; at < part; at += kPage)
    if (pread(fd, buffer, sizeof buffer, (off_t)(uintptr_t)number * part + at) < 0) exit(3);
  close(fd);
  return NULL;
}

static void Threads(void) {
  pthread_t threads[kThreads];
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, ReadInThread, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static int shared_fd;

static void* ReadShared(void* number) {
  unsigned char buffer[kPage];
  for (int i = 0; i < 400; ++i)
    if (((uintptr_t)number & 1) != 0 ? read(shared_fd, buffer, sizeof buffer) < 0
                                     : pread(shared_fd, buffer, sizeof buffer, (off_t)i * kPage) < 0)
      exit(3);
  return NULL;
}

static void Shared(void) {
  pthread_t threads[kThreads];
  shared_fd = Open();
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, ReadShared, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  close(shared_fd);
}

// Children that go on where their parent was, through its description and through one of their own.
static void Forks(void) {
  unsigned char buffer[kPage];
  const int fd = Open();
  for (int i = 0; i < 200; ++i) Take(buffer, read(fd, buffer, sizeof buffer));
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      for (int i = 0; i < 200; ++i) Take(buffer, read(fd, buffer, sizeof buffer));
      const int own = Open();
      Forward(own, 0, size / 4, kPage);
      _exit(sum == 0 ? 1 : 0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) exit(6);
    for (int i = 0; i < 50; ++i) Take(buffer, read(fd, buffer, sizeof buffer));
  }
  close(fd);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  path = argv[1];
  struct stat now;
  if (stat(path, &now) != 0) return 4;
  size = now.st_size;
  const struct {
    const char* name;
    void (*go)(void);
  } ways[] = {{"sequential", Sequential}, {"backward", Backward}, {"stride", Stride}, {"seeks", Seeks},
              {"stdio", Stdio},           {"mapping", Mapping},   {"advice", Advice}, {"interleaved", Interleaved},
              {"threads", Threads},       {"forks", Forks},       {"shared", Shared}};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (strcmp(argv[2], ways[i].name) != 0) continue;
    ways[i].go();
    // Again: the file is known by now.
    ways[i].go();
    printf("%08x\n", sum);
    return 0;
  }
  return 2;
}
