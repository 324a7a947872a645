// Watches a file as others do, inotify and fanotify, while it reads it by every way, and prints each event: opens and
// closes must be its own and no more. Usage: watched FILE
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

static void ReadEachWay(const char* path) {
  const int fd = open(path, O_RDONLY);
  for (int i = 0; i < 40; ++i)
    if (read(fd, buffer, sizeof buffer) <= 0) break;
  const int copy = dup(fd);
  close(fd);
  for (long at = 50L << 16; at >= 0; at -= (long)sizeof buffer)
    if (pread(copy, buffer, sizeof buffer, at) < 0) exit(3);
  for (long at = 0; at < 40; ++at)
    if (pread(copy, buffer, 4096, at << 17) < 0) exit(3);
  void* bytes = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, copy, 0);
  close(copy);
  if (bytes != MAP_FAILED) munmap(bytes, 1 << 20);
  FILE* stream = fopen(path, "r");
  while (fread(buffer, 1, 30000, stream) > 0) continue;
  fclose(stream);
  if (fork() == 0) {
    const int inner = open(path, O_RDONLY);
    _exit(read(inner, buffer, sizeof buffer) <= 0);
  }
  int status = 0;
  wait(&status);
  printf("child %d\n", status);
}

static void PrintInotify(int watch) {
  char events[65536];
  for (long got; (got = read(watch, events, sizeof events)) > 0;) {
    for (const char* at = events; at < events + got;) {
      const struct inotify_event* event = (const struct inotify_event*)(const void*)at;
      printf("inotify %x\n", event->mask);
      at += sizeof *event + event->len;
    }
  }
  printf("inotify errno %d\n", errno);
}

static void PrintFanotify(int watch) {
  struct fanotify_event_metadata events[512];
  const pid_t self = getpid();
  for (long got; (got = read(watch, events, sizeof events)) > 0;) {
    const struct fanotify_event_metadata* event = events;
    for (; FAN_EVENT_OK(event, got); event = FAN_EVENT_NEXT(event, got)) {
      printf("fanotify %llx by %s\n", (unsigned long long)event->mask, event->pid == self ? "itself" : "its child");
      if (event->fd >= 0) close(event->fd);
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int inotify = inotify_init1(IN_NONBLOCK);
  Show("inotify_add_watch", inotify_add_watch(inotify, argv[1], IN_ALL_EVENTS), NULL);
  const int fanotify = fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK, O_RDONLY);
  if (fanotify >= 0) {
    Show("fanotify_mark",
         fanotify_mark(fanotify, FAN_MARK_ADD, FAN_OPEN | FAN_CLOSE | FAN_ACCESS | FAN_MODIFY, AT_FDCWD, argv[1]),
         NULL);
  }
  ReadEachWay(argv[1]);
  if (fanotify >= 0) PrintFanotify(fanotify);
  PrintInotify(inotify);
  return 0;
}
