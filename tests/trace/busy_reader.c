// Reads a file from many threads, each of which opens it anew for every few reads. Usage: busy_reader FILE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { kThreads = 16, kRounds = 500, kReads = 3, kBytes = 4096 };

static const char* path;

static void* ReadInThread(void* unused) {
  char buffer[kBytes];
  for (int round = 0; round < kRounds; ++round) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < kReads; ++i)
      if (pread(fd, buffer, kBytes, (off_t)i * kBytes) != kBytes) abort();
    close(fd);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  path = argv[1];
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], NULL, ReadInThread, NULL) != 0) abort();
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
