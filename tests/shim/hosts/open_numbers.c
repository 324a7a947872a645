// Lists which descriptors and how many threads it has, before main and at every stage of reading: as many programs do
// that close what they do not know. Then closes all of them in each way there is. Case A4 of the field failures.
// Usage: open_numbers FILE
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

static const char* path;

static void List(const char* when) {
  char line[256] = "";
  DIR* folder = opendir("/proc/self/fd");
  const int own = folder == NULL ? -1 : dirfd(folder);
  for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == own || strlen(line) > 200) continue;
    strcat(strcat(line, " "), entry->d_name);
  }
  if (folder != NULL) closedir(folder);
  int threads = -2;
  folder = opendir("/proc/self/task");
  while (folder != NULL && readdir(folder) != NULL) ++threads;
  if (folder != NULL) closedir(folder);
  Say("%s:%s, threads %d\n", when, line, threads);
}

static pid_t thread_number;

static void* InThread(void* unused) {
  thread_number = (pid_t)syscall(SYS_gettid);
  SumOfFile(path, 1L << 40);
  List("thread");
  return unused;
}

// A thread that was joined is still listed until the kernel has done with it, which takes a while when it is traced.
static void AwaitEndOf(pid_t thread) {
  const pid_t process = getpid();
  for (int tries = 0; tries < 20000 && syscall(SYS_tgkill, process, thread, 0) == 0; ++tries) usleep(1000);
}

static void CloseOneByOne(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
}
static void CloseByFolder(void) {
  int numbers[64];
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL && count < 64;)
    if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(folder)) numbers[count++] = atoi(entry->d_name);
  closedir(folder);
  while (count > 0) close(numbers[--count]);
}
static void CloseRange(void) { Say("close_range %d\n", close_range(3, ~0u, 0)); }
static void CloseRangeRaw(void) { Say("close_range %ld\n", syscall(SYS_close_range, 3, ~0u, 0)); }
static void CloseOnExec(void) { Say("close_range %d\n", close_range(3, ~0u, CLOSE_RANGE_CLOEXEC)); }
static void CloseFrom(void) { closefrom(3); }
static void CloseByReplacing(void) {
  const int null = open("/dev/null", O_RDONLY);
  for (int fd = 3; fd < 40; ++fd) dup2(null, fd);
}

static void CloseBy(const char* name, void (*close_all)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    char scratch[] = "/tmp/ahead-open-numbers-XXXXXX";
    const int fd = open(path, O_RDONLY);
    const int half = open(path, O_RDONLY);
    SumOfNext(half, 100000);
    SumOfNext(fd, 1L << 40);
    close_all();
    const int next = open(path, O_RDONLY);
    Say("%s: next %d %lx, then %lx\n", name, next, SumOfNext(next, 1L << 40), SumOfNext(half, 1000));
    // What is written to the numbers that were closed stays as it is.
    const int out = mkstemp(scratch);
    unlink(scratch);
    if (write(out, "0123456789", 10) != 10) _exit(3);
    for (int copy = 5; copy < 30; ++copy) dup2(out, copy);
    const unsigned long again = SumOfFile(path, 1L << 40);
    char back[100];
    const long length = pread(out, back, sizeof back, 0);
    Say("%s: again %lx, scratch %.*s\n", name, again, (int)length, back);
    close_all();
    List(name);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Say("%s: ended %x\n", name, (unsigned)status);
}

__attribute__((constructor(101))) static void BeforeMain(void) { List("before main"); }

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  path = argv[1];
  const int fd = open(path, O_RDONLY);
  List("opened");
  SumOfNext(fd, 200000);
  List("read");
  FILE* file = fopen(path, "r");
  char line[100];
  if (fgets(line, sizeof line, file) == NULL) return 3;
  List("stdio");
  fclose(file);
  pthread_t thread;
  if (pthread_create(&thread, NULL, InThread, NULL) != 0) return 4;
  pthread_join(thread, NULL);
  AwaitEndOf(thread_number);
  close(fd);
  List("closed");
  CloseBy("one by one", CloseOneByOne);
  CloseBy("by folder", CloseByFolder);
  CloseBy("close_range", CloseRange);
  CloseBy("raw close_range", CloseRangeRaw);
  CloseBy("at exec", CloseOnExec);
  CloseBy("closefrom", CloseFrom);
  CloseBy("by dup2", CloseByReplacing);
  return 0;
}
