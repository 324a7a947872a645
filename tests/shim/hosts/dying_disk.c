// Reads a file on a disk that dies under it, and prints what it is told then: what it had read stays, what it had not
// is ENOTCONN, once and for all. Usage: dying_disk FILE COMMAND   COMMAND: kills the disk
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int fd = open(argv[1], O_RDONLY);
  FILE* stream = fopen(argv[1], "r");
  if (fd < 0 || stream == NULL) return 3;
  for (int i = 0; i < 20; ++i) Show("read", read(fd, buffer, sizeof buffer), buffer);
  for (int i = 0; i < 20; ++i) Show("fread", (long)fread(buffer, 1, 50000, stream), buffer);
  fflush(stdout);
  if (system(argv[2]) != 0) return 4;
  Show("what was read", pread(fd, buffer, sizeof buffer, 5 * sizeof buffer), buffer);
  // How much had been fetched for the reader is its own affair; where that ends, all ends.
  while (read(fd, buffer, sizeof buffer) > 0) continue;
  for (int i = 0; i < 10; ++i) Show("read", read(fd, buffer, sizeof buffer), NULL);
  for (long at = 20L << 20; at > 10L << 20; at -= 1 << 16) Show("backwards", pread(fd, buffer, 1 << 16, at), NULL);
  while (fread(buffer, 1, 50000, stream) > 0) continue;
  printf("stream error %d end %d errno %d\n", ferror(stream) != 0, feof(stream) != 0, errno);
  errno = 0;
  struct stat now;
  Show("open", open(argv[1], O_RDONLY), NULL);
  Show("stat", stat(argv[1], &now), NULL);
  Show("readahead", readahead(fd, 20L << 20, 4096), NULL);
  Show("close", close(fd), NULL);
  Show("fclose", fclose(stream), NULL);
  return 0;
}
