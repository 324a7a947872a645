// A library that hosts load at run time, into whatever name space: it reads a file by its own libc's functions.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((visibility("default"))) unsigned long PluginSum(const char* path) {
  unsigned long sum = 1;
  char part[1000];
  const int fd = open(path, O_RDONLY);
  for (long got; (got = read(fd, part, sizeof part)) > 0;)
    for (long i = 0; i < got; ++i) sum = sum * 31 + (unsigned char)part[i];
  close(fd);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
    for (size_t i = 0; i < got; ++i) sum = sum * 31 + (unsigned char)part[i];
  fclose(file);
  return sum;
}

// Reads while the loader runs constructors and destructors and holds its lock.
static unsigned long early;
__attribute__((constructor)) static void Load(void) { early = PluginSum("/proc/self/comm"); }
__attribute__((destructor)) static void Unload(void) { early += PluginSum("/proc/self/comm"); }
