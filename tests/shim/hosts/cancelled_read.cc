// Cancels threads that wait in read, and looks whether the destructors of the frames above ran; then reads on in the
// main thread. Case A14. Usage: cancelled_read FILE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

namespace {

int destroyed = 0;
int cleaned = 0;
int ends[2];

struct Guard {
  ~Guard() { ++destroyed; }
};

void CleanUp(void*) { ++cleaned; }

void* Wait(void* file) {
  const Guard guard;
  char byte;
  pthread_cleanup_push(CleanUp, nullptr);
  if (std::fgets(&byte, 1, static_cast<FILE*>(file)) != nullptr && read(ends[0], &byte, 1) == 1) std::puts("read");
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || pipe(ends) != 0) return 2;
  FILE* file = std::fopen(argv[1], "r");
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, Wait, file);
    // Before, while or after it enters read: a cancellation waits for the read.
    if (i % 3 == 0) sched_yield();
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) return 3;
  }
  static char buffer[4096];
  long total = 0;
  const int fd = open(argv[1], O_RDONLY);
  for (long got; (got = read(fd, buffer, sizeof buffer)) > 0;) total += got;
  std::printf("destroyed %d cleaned %d read %ld\n", destroyed, cleaned, total);
  return 0;
}
