// Reads a file through every hooked way in, also by the names that fortified programs call. Case A10.
// Usage: entry_points FILE [O_FLAGS [BYTES]]
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// What compilers make of the plain names under _FORTIFY_SOURCE.
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off_t, size_t);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
int __underflow(FILE*);

static char buffer[65536];
static char other[65536];
static unsigned long sum;

static void Add(const char* bytes, long count) {
  for (long i = 0; i < count; ++i) sum = sum * 31 + (unsigned char)bytes[i];
}

static void Report(const char* what, long total) {
  printf("%-24s %ld %lx\n", what, total, sum);
  sum = 0;
}

static void Descriptors(const char* path, int flags, size_t size) {
  long total = 0;
  long got;
  // Large files have names of their own, and the same meaning on 64-bit machines.
  int fd = open64(path, flags);
  while ((got = read(fd, buffer, size)) > 0) Add(buffer, got), total += got;
  Report("open, read", total);
  for (total = 0; (got = pread(fd, buffer, size, total)) > 0; total += got) Add(buffer, got);
  Report("pread", total);
  struct iovec parts[2] = {{buffer, 1000}, {other, 30000}};
  lseek(fd, 0, SEEK_SET);
  for (total = 0; (got = readv(fd, parts, 2)) > 0; total += got) Add(buffer, got < 1000 ? got : 1000);
  Report("readv", total);
  for (total = 0; (got = preadv(fd, parts, 2, total)) > 0; total += got) Add(buffer, got < 1000 ? got : 1000);
  Report("preadv", total);
  lseek(fd, 0, SEEK_SET);
  for (total = 0; (got = preadv2(fd, parts, 2, -1, 0)) > 0; total += got) Add(buffer, got < 1000 ? got : 1000);
  Report("preadv2 at the offset", total);
  for (total = 0; (got = preadv64v2(fd, parts, 2, total, 0)) > 0; total += got) Add(buffer, got < 1000 ? got : 1000);
  Report("preadv2", total);
  for (total = 0; (got = pread64(fd, buffer, size, total)) > 0; total += got) Add(buffer, got);
  Report("pread64", total);
  for (total = 0; (got = preadv64(fd, parts, 2, total)) > 0; total += got) Add(buffer, got < 1000 ? got : 1000);
  Report("preadv64", total);
  const int copy = fcntl64(fd, F_DUPFD_CLOEXEC, 50);
  lseek64(copy, 5, SEEK_SET);
  Report("shared offset", lseek(fd, 0, SEEK_CUR));
  close(copy);
  close(fd);
  fd = openat64(AT_FDCWD, path, flags);
  for (total = 0; (got = read(fd, buffer, size)) > 0; total += got) Add(buffer, got);
  Report("openat, read", total);
  close(fd);
}

static void Streams(const char* path, size_t size) {
  long total = 0;
  size_t got;
  FILE* file = fopen64(path, "r");
  while ((got = fread(other, 1, size, file)) > 0) Add(other, (long)got), total += (long)got;
  Report("fread", total);
  rewind(file);
  for (total = 0; (got = (fread_unlocked)(other, 3, size / 3, file)) > 0; total += (long)got) Add(other, (long)got * 3);
  Report("fread_unlocked by 3", total);
  rewind(file);
  for (total = 0; fgets(other, (int)size, file) != NULL; ++total) Add(other, (long)strlen(other));
  Report("fgets", total);
  rewind(file);
  for (total = 0; fgets_unlocked(other, (int)size, file) != NULL; ++total) Add(other, (long)strlen(other));
  Report("fgets_unlocked", total);
  char* line = NULL;
  size_t room = 0;
  long length;
  fseek(file, 0, SEEK_SET);
  for (total = 0; (length = getline(&line, &room, file)) > 0; ++total) Add(line, length);
  Report("getline", total);
  fseeko(file, 0, SEEK_SET);
  for (total = 0; (length = getdelim(&line, &room, 'x', file)) > 0; ++total) Add(line, length);
  Report("getdelim", total);
  free(line);
  rewind(file);
  int c;
  for (total = 0; (c = getc_unlocked(file)) != EOF; ++total) sum = sum * 31 + (unsigned long)c;
  Report("getc_unlocked", total);
  file = freopen64(path, "r", file);
  for (total = 0; (got = fread(other, 1, size, file)) > 0; total += (long)got) Add(other, (long)got);
  Report("freopen, fread", total);
  fclose(file);
  file = fdopen(open(path, O_RDONLY), "r");
  for (total = 0; (got = fread(other, 1, size, file)) > 0; total += (long)got) Add(other, (long)got);
  Report("fdopen, fread", total);
  fclose(file);
}

static void Fortified(const char* path, int flags, size_t size) {
  long total = 0;
  long got;
  size_t items;
  int fd = __open_2(path, flags);
  while ((got = __read_chk(fd, buffer, size, sizeof buffer)) > 0) Add(buffer, got), total += got;
  Report("__open_2, __read_chk", total);
  close(fd);
  fd = __open64_2(path, flags);
  for (total = 0; (got = __pread_chk(fd, buffer, size, total, sizeof buffer)) > 0; total += got) Add(buffer, got);
  Report("__open64_2, __pread_chk", total);
  close(fd);
  fd = __openat_2(AT_FDCWD, path, flags);
  for (total = 0; (got = __pread64_chk(fd, buffer, size, total, sizeof buffer)) > 0; total += got) Add(buffer, got);
  Report("__openat_2, __pread64_chk", total);
  close(fd);
  FILE* file = fdopen(__openat64_2(AT_FDCWD, path, flags), "r");
  for (total = 0; (items = __fread_chk(other, sizeof other, 1, size, file)) > 0; total += (long)items)
    Add(other, (long)items);
  Report("__fread_chk", total);
  rewind(file);
  for (total = 0; (items = __fread_unlocked_chk(other, sizeof other, 1, size, file)) > 0; total += (long)items)
    Add(other, (long)items);
  Report("__fread_unlocked_chk", total);
  rewind(file);
  for (total = 0; __fgets_chk(other, sizeof other, (int)size, file) != NULL; ++total) Add(other, (long)strlen(other));
  Report("__fgets_chk", total);
  rewind(file);
  for (total = 0; __fgets_unlocked_chk(other, sizeof other, (int)size, file) != NULL; ++total)
    Add(other, (long)strlen(other));
  Report("__fgets_unlocked_chk", total);
  rewind(file);
  for (total = 0; __underflow(file) != EOF && total < 20000; ++total) sum = sum * 31 + (unsigned long)getc(file);
  Report("__underflow", total);
  fclose(file);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const size_t size = argc > 3 ? strtoul(argv[3], NULL, 0) : sizeof(buffer);
  Descriptors(argv[1], argc > 2 ? atoi(argv[2]) : O_RDONLY, size);
  Streams(argv[1], size);
  Fortified(argv[1], argc > 2 ? atoi(argv[2]) : O_RDONLY, size);
  return 0;
}
