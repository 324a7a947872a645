// Moves data and descriptors in the ways that are neither read nor open: from file to file, by numbers that are closed
// in bulk, by files that make their own names, by mappings that move. Prints results, errno and sums.
// Usage: moves FILE FOLDER
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "tests/shim/hosts/reading.h"

// Second names of libc's, which no header declares.
extern int __open(const char*, int, ...);
extern int __open64(const char*, int, ...);
extern int __close(int);
extern int __dup2(int, int);
extern int __fcntl(int, int, ...);
extern ssize_t __read(int, void*, size_t);
extern ssize_t __pread64(int, void*, size_t, off_t);
extern off_t __lseek(int, off_t, int);

static char scratch[4096];

static void Show(const char* what, long result) {
  Say("%s: %ld %d\n", what, result, result < 0 ? errno : 0);
  errno = 0;
}

static int OpenScratch(const char* folder) {
  snprintf(scratch, sizeof scratch, "%s/moved", folder);
  return open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void FromFileToFile(const char* path, const char* folder) {
  const int in = open(path, O_RDONLY);
  const int out = OpenScratch(folder);
  off_t offset = 1000;
  Show("sendfile", sendfile(out, in, &offset, 200000));
  Show("offset", offset);
  Show("sendfile at the offset", sendfile(out, in, NULL, 300000));
  Show("position", lseek(in, 0, SEEK_CUR));
  while (sendfile64(out, in, NULL, 100000) > 0) continue;
  Show("position", lseek(in, 0, SEEK_CUR));
  Show("sendfile at a bad address", sendfile(out, in, (off_t*)8, 10));
  offset = -5;
  Show("sendfile from below", sendfile(out, in, &offset, 10));
  Show("sendfile of nothing", sendfile(out, -1, NULL, 10));
  off_t from = 5000;
  off_t to = 0;
  Show("copy_file_range", copy_file_range(in, &from, out, &to, 100000, 0));
  Show("from", from);
  Show("copy_file_range at a bad address", copy_file_range(in, (off_t*)8, out, NULL, 10, 0));
  lseek(in, 0, SEEK_SET);
  Show("copy_file_range at the offset", copy_file_range(in, NULL, out, NULL, 100000, 0));
  int ends[2];
  if (pipe(ends) != 0) exit(3);
  from = 70000;
  const long spliced = splice(in, &from, ends[1], NULL, 30000, 0);
  Show("splice", spliced);
  Show("from", from);
  Show("splice out", splice(ends[0], NULL, out, NULL, (size_t)spliced, 0));
  Show("splice of a pipe at an offset", splice(ends[0], &from, out, NULL, 10, 0));
  lseek(out, 0, SEEK_SET);
  Say("moved %lx\n", SumOfNext(out, 1L << 40));
  close(ends[0]);
  close(ends[1]);
  close(in);
  close(out);
}

static void ClosedInBulk(const char* path) {
  const int first = open(path, O_RDONLY);
  for (int i = 1; i < 20; ++i) SumOfNext(dup(first), 5000);
  Show("close_range of the middle", close_range((unsigned)first + 5, (unsigned)first + 9, 0));
  Show("read of a closed one", read(first + 7, scratch, 10));
  Show("close_range that only marks", close_range((unsigned)first, ~0u, CLOSE_RANGE_CLOEXEC));
  Say("rest %lx\n", SumOfNext(first + 2, 10000));
  Show("close_range from above", close_range(9, 5, 0));
  Show("close_range with odd flags", close_range(900, 901, 1 << 10));
  closefrom(first + 1);
  Show("read of a closed one", read(first + 2, scratch, 10));
  Say("first %lx\n", SumOfNext(first, 10000));
  const int again = open(path, O_RDONLY);
  Show("lowest number", again - first);
  Say("again %lx\n", SumOfNext(again, 300000));
  closefrom(first);
  Show("close after that", close(first));
}

static void FilesWithNamesOfTheirOwn(const char* folder) {
  const char* const suffixes[] = {"", "", ".txt", ".txt"};
  for (int i = 0; i < 4; ++i) {
    snprintf(scratch, sizeof scratch, "%s/madeXXXXXX%s", folder, suffixes[i]);
    const int length = (int)strlen(suffixes[i]);
    const int fd = i == 0   ? mkstemp(scratch)
                   : i == 1 ? mkostemp(scratch, O_APPEND)
                   : i == 2 ? mkstemps(scratch, length)
                            : mkostemps(scratch, length, O_APPEND);
    Show("made", fd >= 0 ? 0 : -1);
    if (write(fd, "hello\n", 6) != 6) exit(4);
    lseek(fd, 0, SEEK_SET);
    Say("read %lx\n", SumOfNext(fd, 100));
    close(fd);
    unlink(scratch);
  }
  char bad[] = "no pattern";
  Show("mkstemp without a pattern", mkstemp(bad));
  FILE* file = tmpfile();
  fputs("line one\nline two\n", file);
  rewind(file);
  while (fgets(scratch, 100, file) != NULL) Say("%s", scratch);
  fclose(file);
  FILE* command = popen("echo from a command", "r");
  while (fgets(scratch, 100, command) != NULL) Say("%s", scratch);
  Show("pclose", pclose(command));
}

static void MappingsThatMove(const char* path) {
  const int fd = open(path, O_RDONLY);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* map = mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  Show("posix_madvise", posix_madvise(map, 4 * page, POSIX_MADV_RANDOM));
  Show("posix_madvise of nothing", posix_madvise(map + 1, page, POSIX_MADV_WILLNEED));
  Show("madvise", madvise(map, 4 * page, MADV_SEQUENTIAL));
  unsigned long sum = Add(1, map, (long)(4 * page));
  map = mremap(map, 4 * page, 40 * page, MREMAP_MAYMOVE);
  Show("mremap", map == MAP_FAILED ? -1 : 0);
  Show("madvise", madvise(map, 40 * page, MADV_WILLNEED));
  sum = Add(sum, map, (long)(40 * page));
  void* const place = mmap(NULL, 40 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const moved = mremap(map, 40 * page, 40 * page, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  Show("mremap to a place", moved == place ? 0 : -1);
  sum = Add(sum, moved, (long)(40 * page));
  Show("mremap of what is gone", mremap(map, page, page, 0) == MAP_FAILED ? -1 : 0);
  Show("munmap", munmap(moved, 40 * page));
  Say("mapped %lx\n", sum);
}

static void Listings(const char* folder) {
  DIR* listing = opendir(folder);
  long names = 0;
  for (struct dirent* entry; (entry = readdir(listing)) != NULL;) names += (long)strlen(entry->d_name);
  rewinddir(listing);
  for (struct dirent64* entry; (entry = readdir64(listing)) != NULL;) names += (long)strlen(entry->d_name);
  Show("names", names);
  Show("closedir", closedir(listing));
  Show("opendir", opendir("/nonexistent/x") == NULL ? -1 : 0);
  const int fd = open(folder, O_RDONLY | O_DIRECTORY);
  Show("getdents64", getdents64(fd, scratch, sizeof scratch) > 0);
  listing = fdopendir(fd);
  Show("fdopendir", listing != NULL);
  closedir(listing);
  Show("close after closedir", close(fd));
}

static void SecondNames(const char* path) {
  const int fd = __open(path, O_RDONLY);
  const int other = __open64(path, O_RDONLY);
  Show("__read", __read(fd, scratch, 100));
  Show("__lseek", __lseek(fd, 50, SEEK_CUR));
  Show("__pread64", __pread64(other, scratch, 100, 7));
  Show("__fcntl", __fcntl(fd, F_DUPFD, other) >= other);
  Show("__dup2", __dup2(fd, other) == other);
  Show("__read", __read(other, scratch, 100));
  Show("__close", __close(fd));
  Show("__close again", __close(fd));
  closefrom(3);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  FromFileToFile(argv[1], argv[2]);
  ClosedInBulk(argv[1]);
  FilesWithNamesOfTheirOwn(argv[2]);
  MappingsThatMove(argv[1]);
  Listings(argv[2]);
  SecondNames(argv[1]);
  return 0;
}
