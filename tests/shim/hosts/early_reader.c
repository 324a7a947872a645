// Reads before any constructor has run, by descriptor and by stdio. Usage: early_reader FILE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static long totals[4];
static char buffer[65536];

static void ReadEarly(int argc, char** argv, char** environment) {
  (void)environment;
  if (argc < 2) return;
  const int fd = open(argv[1], O_RDONLY);
  for (long got; (got = read(fd, buffer, sizeof buffer)) > 0;) totals[0] += got;
  totals[1] = pread(fd, buffer, 100, 7);
  const int copy = dup(fd);
  totals[2] = lseek(copy, 3, SEEK_SET);
  close(copy);
  void* mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped != MAP_FAILED) munmap(mapped, 4096);
  close(fd);
  FILE* file = fopen(argv[1], "r");
  for (size_t got; (got = fread(buffer, 1, 1000, file)) > 0;) totals[3] += (long)got;
  fclose(file);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char**, char**) = ReadEarly;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  printf("%ld %ld %ld %ld\n", totals[0], totals[1], totals[2], totals[3]);
  ReadEarly(argc, argv, NULL);
  printf("%ld %ld %ld %ld\n", totals[0], totals[1], totals[2], totals[3]);
  return 0;
}
