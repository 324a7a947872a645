// Changes a file under its readers, which were in the middle of it: cut short, grown again, written over, deleted,
// replaced by another one. What each reader gets is printed. Case A15.
// Usage: changing_file FILE_TO_READ FILE_TO_CHANGE (the same file, perhaps by another name)
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

enum { kBlock = 1 << 16, kBlocks = 64 };

static char buffer[kBlock];
static const char* to_read;
static const char* to_change;

// Block `number` of the file in its `life`.
static void Fill(int number, int life) {
  for (int i = 0; i < kBlock; ++i) buffer[i] = (char)(i * 7 + number * 13 + life * 101 + (i >> 8));
}

static void Write(int fd, int first, int blocks, int life) {
  for (int number = first; number < first + blocks; ++number) {
    Fill(number, life);
    if (pwrite(fd, buffer, kBlock, (off_t)number * kBlock) != kBlock) exit(3);
  }
}

static int Open(const char* path, int flags) {
  const int fd = open(path, flags, 0600);
  if (fd < 0) exit(4);
  return fd;
}

static void ReadBlocks(const char* what, int fd, int blocks) {
  for (int i = 0; i < blocks; ++i) Show(what, read(fd, buffer, kBlock), buffer);
}

// A reader by each way, all of them well into the file.
struct Readers {
  int forwards;
  int backwards;
  long place;
  FILE* stream;
};

static void Begin(struct Readers* readers) {
  readers->forwards = Open(to_read, O_RDONLY);
  readers->backwards = Open(to_read, O_RDONLY);
  readers->stream = fopen(to_read, "r");
  readers->place = (long)kBlocks * kBlock;
  if (readers->stream == NULL) exit(5);
}

static void Step(const char* what, struct Readers* readers, int blocks) {
  printf("%s\n", what);
  ReadBlocks("read", readers->forwards, blocks);
  for (int i = 0; i < blocks; ++i) {
    readers->place -= kBlock / 2;
    Show("pread backwards", pread(readers->backwards, buffer, kBlock / 2, readers->place), buffer);
    Show("fread", (long)fread(buffer, 1, 40000, readers->stream), buffer);
    if (feof(readers->stream)) printf("end of stream\n");
    clearerr(readers->stream);
  }
  struct stat now;
  if (fstat(readers->forwards, &now) == 0) printf("size %ld links %d\n", (long)now.st_size, (int)now.st_nlink > 0);
}

static void End(struct Readers* readers) {
  close(readers->forwards);
  close(readers->backwards);
  fclose(readers->stream);
}

static void CutAndGrow(void) {
  const int out = Open(to_change, O_RDWR | O_CREAT | O_TRUNC);
  Write(out, 0, kBlocks, 1);
  struct Readers readers;
  Begin(&readers);
  Step("whole", &readers, 6);
  if (ftruncate(out, 12 * kBlock + 1000) != 0) exit(6);
  Step("cut", &readers, 8);
  Write(out, 12, 20, 2);
  Step("grown", &readers, 8);
  if (ftruncate(out, 0) != 0) exit(6);
  Step("empty", &readers, 2);
  if (ftruncate(out, (off_t)kBlocks * kBlock) != 0) exit(6);
  lseek(readers.forwards, 0, SEEK_SET);
  Step("zeroes", &readers, 8);
  Write(out, 0, kBlocks, 3);
  lseek(readers.forwards, 0, SEEK_SET);
  rewind(readers.stream);
  Step("written over", &readers, 8);
  End(&readers);
  close(out);
}

static void Delete(void) {
  struct Readers readers;
  Begin(&readers);
  Step("before it is deleted", &readers, 6);
  if (unlink(to_change) != 0) exit(7);
  Step("deleted", &readers, 8);
  Show("open", open(to_read, O_RDONLY), NULL);
  End(&readers);
}

static void Replace(void) {
  int out = Open(to_change, O_RDWR | O_CREAT | O_TRUNC);
  Write(out, 0, kBlocks, 4);
  close(out);
  struct Readers readers;
  Begin(&readers);
  Step("the first", &readers, 6);
  char name[4096];
  snprintf(name, sizeof name, "%s.new", to_change);
  out = Open(name, O_RDWR | O_CREAT | O_TRUNC);
  Write(out, 0, kBlocks / 2, 5);
  close(out);
  if (rename(name, to_change) != 0) exit(8);
  Step("the first, replaced", &readers, 8);
  struct Readers second;
  Begin(&second);
  Step("the second", &second, 8);
  Step("the first again", &readers, 8);
  End(&second);
  End(&readers);
}

// What is mapped is read first; what is beyond a new end is not touched.
static void CutUnderMapping(void) {
  const int out = Open(to_change, O_RDWR | O_CREAT | O_TRUNC);
  Write(out, 0, kBlocks, 6);
  const int fd = Open(to_read, O_RDONLY);
  const char* bytes = mmap(NULL, (size_t)kBlocks * kBlock, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) {
    Show("mmap", -1, NULL);
  } else {
    for (int i = 0; i < 4; ++i) Show("mapped", kBlock, bytes + i * kBlock);
    if (ftruncate(out, 8 * kBlock) != 0) exit(6);
    Show("madvise", madvise((void*)bytes, (size_t)kBlocks * kBlock, MADV_WILLNEED), NULL);
    for (int i = 4; i < 8; ++i) Show("mapped, cut", kBlock, bytes + i * kBlock);
    ReadBlocks("read", fd, 10);
    munmap((void*)bytes, (size_t)kBlocks * kBlock);
  }
  close(fd);
  close(out);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  to_read = argv[1];
  to_change = argv[2];
  CutAndGrow();
  Delete();
  Replace();
  CutUnderMapping();
  return 0;
}
