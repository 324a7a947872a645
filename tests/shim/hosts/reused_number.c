// Reads file A backwards, puts file B on the same number by ways that no hook sees, and reads one page of B where A's
// next window would be due. Prints how many pages of B are then in the cache. Usage: reused_number A B
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buffer[1 << 16];
static unsigned char pages[1 << 16];

static void ForgetCached(int fd) { syscall(SYS_fadvise64, fd, 0L, 0L, POSIX_FADV_DONTNEED); }

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int fd = open(argv[1], O_RDONLY);
  struct stat now;
  fstat(fd, &now);
  ForgetCached(fd);
  long offset = now.st_size / (long)sizeof buffer * (long)sizeof buffer;
  for (int i = 0; i < 20; ++i) {
    offset -= (long)sizeof buffer;
    if (pread(fd, buffer, sizeof buffer, offset) != sizeof buffer) return 3;
  }
  syscall(SYS_close, fd);
  const int other = (int)syscall(SYS_openat, AT_FDCWD, argv[2], O_RDONLY);
  if (other != fd) return 4;
  ForgetCached(other);
  // The kernel's own guesses are not what is counted here.
  syscall(SYS_fadvise64, other, 0L, 0L, POSIX_FADV_RANDOM);
  if (pread(fd, buffer, 4096, offset - (768 << 10)) != 4096) return 5;
  fstat(other, &now);
  void* mapped = (void*)syscall(SYS_mmap, 0L, now.st_size, PROT_READ, MAP_SHARED, other, 0L);
  if (mapped == MAP_FAILED || mincore(mapped, (size_t)now.st_size, pages) != 0) return 6;
  long resident = 0;
  for (long i = 0; i < now.st_size / 4096; ++i) resident += pages[i] & 1;
  printf("resident pages %ld\n", resident);
  return 0;
}
