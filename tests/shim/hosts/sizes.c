// Reads files of awkward sizes, in several ways, and one that grows and shrinks under the reader. Case A15.
// Usage: sizes FOLDER
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 16];

static void Read(const char* path, long size) {
  long by_read = 0;
  long by_stdio = 0;
  long by_pread = 0;
  long got;
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (ftruncate(fd, size) != 0) exit(3);
  // Sparse and large: the ends are what matters.
  const long begin = size > 1 << 24 ? size - (1 << 22) - 5 : 0;
  lseek(fd, begin, SEEK_SET);
  while ((got = read(fd, buffer, sizeof buffer)) > 0) by_read += got;
  while ((got = pread(fd, buffer, 9999, begin + by_pread)) > 0) by_pread += got;
  FILE* file = fopen(path, "r");
  fseek(file, begin, SEEK_SET);
  for (size_t items; (items = fread(buffer, 1, 12345, file)) > 0;) by_stdio += (long)items;
  fclose(file);
  printf("%ld: %ld %ld %ld\n", size, by_read, by_pread, by_stdio);
  close(fd);
}

static void Follow(const char* path) {
  const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in = open(path, O_RDONLY);
  unsigned long expected = 0;
  unsigned long next = 0;
  for (int round = 0; round < 40; ++round) {
    unsigned long numbers[8192];
    for (int i = 0; i < 8192; ++i) numbers[i] = next++;
    if (write(out, numbers, sizeof numbers) != sizeof numbers) exit(4);
    long got;
    while ((got = read(in, numbers, sizeof numbers)) > 0)
      for (long i = 0; i < got / 8; ++i)
        if (numbers[i] != expected++) printf("gap at %lu\n", expected), exit(5);
    if (got != 0) exit(6);
  }
  printf("followed %lu numbers\n", expected);
  if (ftruncate(out, 100000) != 0) exit(7);
  printf("after truncation %ld", (long)read(in, buffer, 100));
  printf(" %ld\n", (long)pread(in, buffer, sizeof buffer, 90000));
}

int main(int argc, char** argv) {
  if (argc < 2 || chdir(argv[1]) != 0) return 2;
  const long sizes[] = {0,      1,       4095,     4096,       4097,       131071,    131072,
                        131073, 1048577, 67108863, 2147483647, 2147483653, 4294967301};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) Read("sized", sizes[i]);
  Follow("followed");
  return 0;
}
