// Closes every descriptor, puts a file of its own on all the numbers, and looks whether anybody wrote to it; then
// re-executes itself and lists what is open. Case A4. Usage: close_everything FILE SCRATCH [EXECS]
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buffer[1 << 17];

static long ReadAll(const char* path) {
  const int fd = open(path, O_RDONLY);
  long total = 0;
  long got;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) total += got;
  close(fd);
  return total;
}

static void ListDescriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.') printf(" %s", entry->d_name);
  printf("\n");
  closedir(folder);
}

static void CloseAll(const char* path, const char* scratch) {
  printf("%ld\n", ReadAll(path));
  fflush(stdout);
  if (syscall(SYS_close_range, 3, ~0u, 0) != 0) exit(3);
  const int out = open(scratch, O_CREAT | O_TRUNC | O_RDWR, 0600);
  printf("first free %d\n", out);
  if (write(out, "AAAAAAAAAA", 10) != 10) exit(4);
  for (int fd = 4; fd < 40; ++fd) dup2(out, fd);
  printf("%ld\n", ReadAll(path));
  for (int fd = 4; fd < 40; ++fd) close(fd);
  printf("%ld\n", ReadAll(path));
  const long left = pread(out, buffer, 1000, 0);
  printf("scratch %ld %.10s\n", left, buffer);
  for (int fd = 3; fd < 64; ++fd)
    if (close(fd) != 0 && errno != EBADF) printf("close %d: %d\n", fd, errno);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int execs = argc > 3 ? atoi(argv[3]) : 0;
  if (execs == 0) CloseAll(argv[1], argv[2]);
  const int inherited = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (read(inherited, buffer, sizeof buffer) <= 0) return 5;
  if (execs < 100) {
    char next[12];
    snprintf(next, sizeof next, "%d", execs + 1);
    fflush(stdout);
    execl("/proc/self/exe", argv[0], argv[1], argv[2], next, (char*)0);
    return 6;
  }
  close(inherited);
  ListDescriptors();
  return 0;
}
