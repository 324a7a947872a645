// Prints the peaks of memory and address space after a read through a high descriptor. Case A3. Usage: memory FILE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const int fd = open(argv[1], O_RDONLY);
  const int high = dup2(fd, limit.rlim_cur > 70000 ? 70000 : (int)limit.rlim_cur - 1);
  long total = 0;
  for (long got; (got = read(high, buffer, sizeof buffer)) > 0;) total += got;
  fprintf(stderr, "%ld\n", total);
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(buffer, sizeof buffer, status) != NULL)
    if (strncmp(buffer, "VmHWM", 5) == 0 || strncmp(buffer, "VmPeak", 6) == 0) fputs(buffer, stdout);
  return 0;
}
