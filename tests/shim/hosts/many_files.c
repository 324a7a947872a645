// Holds more files open than the library has places for, and reads them in turn. Usage: many_files FOLDER COUNT
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char buffer[65536];

int main(int argc, char** argv) {
  if (argc < 3 || chdir(argv[1]) != 0) return 2;
  const int count = atoi(argv[2]);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int* files = calloc((size_t)count, sizeof *files);
  for (int i = 0; i < count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "f%d", i);
    const int out = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int part = 0; part < 4; ++part) {
      for (size_t at = 0; at < sizeof buffer; ++at) buffer[at] = (char)(i + part);
      if (write(out, buffer, sizeof buffer) != sizeof buffer) return 3;
    }
    close(out);
    files[i] = open(name, O_RDONLY);
    if (files[i] < 0) return 4;
  }
  long wrong = 0;
  for (int part = 0; part < 4; ++part)
    for (int i = 0; i < count; ++i)
      wrong += read(files[i], buffer, sizeof buffer) != sizeof buffer || buffer[1000] != (char)(i + part);
  printf("wrong %ld\n", wrong);
  return 0;
}
