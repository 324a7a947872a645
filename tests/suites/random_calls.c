// Makes calls on files at random, and prints what each returned: a program that no one would write, whose runs are all
// the same for the same seed. Result, errno, position and contents are in the printed line, descriptor numbers too.
//
// Usage: random_calls SEED STEPS; works on the files of the current folder that reading.py made, and on one of its own.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kFds = 6, kStreams = 4, kBuffer = 1 << 18, kErrno = 4321 };

static uint64_t state;
static int fds[kFds];
static FILE* streams[kStreams];
static char buffer[kBuffer + 1];
static const char* const kNames[] = {"large", "text", "small", "page", "empty", "sparse", "own", ".", "missing"};

static uint64_t Random(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % below;
}

static const char* Name(void) { return kNames[Random(sizeof kNames / sizeof *kNames)]; }

static size_t Count(void) {
  static const size_t kCounts[] = {0, 1, 7, 100, 512, 4096, 5000, 65536, 131072, kBuffer};
  return Random(4) == 0 ? Random(kBuffer) : kCounts[Random(sizeof kCounts / sizeof *kCounts)];
}

static off_t Offset(void) {
  static const off_t kOffsets[] = {0, 4096, 800000, 3000000, 3000001, 5000000, -1, 1LL << 40, INT64_MAX};
  return Random(3) == 0 ? kOffsets[Random(sizeof kOffsets / sizeof *kOffsets)] : (off_t)Random(3100000);
}

// Prints one step. `content`: bytes at `buffer` that belong to the result.
static void Say(const char* call, int64_t result, ssize_t content) {
  const int error = errno;
  uint64_t sum = 14695981039346656037u;
  for (ssize_t i = 0; i < content; ++i) sum = (sum ^ (unsigned char)buffer[i]) * 1099511628211u;
  printf("%s %" PRId64 " %d %" PRIx64 "\n", call, result, error, sum);
}

static int* AnyFd(void) {
  errno = kErrno;
  return &fds[Random(kFds)];
}

static int Flags(void) {
  static const int kFlags[] = {O_RDONLY, O_RDONLY, O_RDONLY, O_RDWR, O_RDWR | O_APPEND, O_RDONLY | O_CLOEXEC, O_PATH};
  return kFlags[Random(sizeof kFlags / sizeof *kFlags)];
}

static void OnDescriptor(void) {
  int* const fd = AnyFd();
  const size_t count = Count();
  struct iovec parts[3] = {{buffer, count / 3}, {buffer + count / 3, 0}, {buffer + count / 3, count - count / 3}};
  ssize_t got = 0;
  switch (Random(14)) {
    case 0:
      Say("close", close(*fd), 0);
      *fd = -1;
      break;
    case 1:
    case 2:
      if (*fd >= 0) close(*fd);
      errno = kErrno;
      *fd = open(Name(), Flags());
      Say("open", *fd, 0);
      break;
    case 3:
    case 4:
      got = read(*fd, buffer, count);
      Say("read", got, got);
      break;
    case 5:
      got = pread(*fd, buffer, count, Offset());
      Say("pread", got, got);
      break;
    case 6:
      got = readv(*fd, parts, 3);
      Say("readv", got, got);
      break;
    case 7:
      got = Random(2) ? preadv(*fd, parts, 3, Offset()) : preadv2(*fd, parts, 3, Random(2) ? -1 : Offset(), 0);
      Say("preadv", got, got);
      break;
    case 8:
      Say("lseek", lseek(*fd, Offset(), (int)Random(6)), 0);
      break;
    case 9: {
      int* const other = AnyFd();
      if (other == fd) break;
      if (*other >= 0) close(*other);
      errno = kErrno;
      *other = Random(2) ? dup(*fd) : fcntl(*fd, F_DUPFD_CLOEXEC, 10);
      Say("dup", *other, 0);
      break;
    }
    case 10:
      Say("fadvise", posix_fadvise(*fd, Offset(), (off_t)Count(), (int)Random(7)), 0);
      break;
    case 11:
      Say("readahead", readahead(*fd, Offset(), count), 0);
      break;
    case 12: {
      const pid_t child = fork();
      if (child == 0) _exit((int)(read(*fd, buffer, count) & 63));
      int status = 0;
      waitpid(child, &status, 0);
      errno = kErrno;
      Say("fork", status, 0);
      Say("after", lseek(*fd, 0, SEEK_CUR), 0);
      break;
    }
    default: {
      void* const map = mmap(NULL, 1 << 16, PROT_READ, Random(2) ? MAP_SHARED : MAP_PRIVATE, *fd, 0);
      Say("mmap", map == MAP_FAILED, 0);
      struct stat file;
      if (map != MAP_FAILED && fstat(*fd, &file) == 0 && file.st_size >= 1 << 16) {
        memcpy(buffer, map, 1 << 16);
        Say("mapped", madvise(map, 1 << 16, (int)Random(5)), 1 << 16);
      }
      if (map != MAP_FAILED) munmap(map, 1 << 16);
    }
  }
}

static void Between(void) {
  const int from = *AnyFd(), to = *AnyFd();
  const size_t count = Count();
  off_t offset = Offset();
  int64_t moved = 0;
  switch (Random(3)) {
    case 0:
      moved = sendfile(to, from, Random(2) ? NULL : &offset, count);
      Say("sendfile", moved, 0);
      break;
    case 1:
      moved = copy_file_range(from, Random(2) ? NULL : &offset, to, NULL, count, 0);
      Say("copy_file_range", moved, 0);
      break;
    default: {
      int ends[2];
      if (pipe(ends) != 0) break;
      moved = splice(from, Random(2) ? NULL : &offset, ends[1], NULL, count & 0x7fff, 0);
      Say("splice", moved > 0 ? read(ends[0], buffer, (size_t)moved) : moved, moved);
      close(ends[0]);
      close(ends[1]);
    }
  }
  Say("offset", offset, 0);
}

static void Write(void) {
  const int fd = *AnyFd();
  const size_t count = Count() % 20000;
  memset(buffer, (int)Random(256), count);
  switch (Random(3)) {
    case 0:
      Say("write", write(fd, buffer, count), 0);
      break;
    case 1:
      Say("pwrite", pwrite(fd, buffer, count, (off_t)Random(300000)), 0);
      break;
    default:
      Say("truncate", truncate("own", (off_t)Random(300000)), 0);
  }
}

static void OnStream(void) {
  const uint64_t which = Random(kStreams);
  FILE* file = streams[which];
  errno = kErrno;
  if (file == NULL || Random(30) == 0) {
    static const char* const kModes[] = {"r", "r", "re", "r+", "rm", "a+"};
    const char* const mode = kModes[Random(6)];
    // A mapped stream dies of a file that shrinks, and only "own" does.
    const char* const name = mode[1] == 'm' ? kNames[Random(6)] : Name();
    if (file != NULL) {
      file = freopen(name, mode, file);
    } else if (Random(3) == 0) {
      const int fd = dup(*AnyFd());
      file = fd < 0 ? NULL : fdopen(fd, mode[1] == 'm' ? "r" : mode);
      if (file == NULL && fd >= 0) close(fd);
    } else {
      file = fopen(name, mode);
    }
    streams[which] = file;
    Say("fopen", file == NULL ? -1 : fileno(file), 0);
    if (file != NULL && Random(3) == 0) Say("setvbuf", setvbuf(file, NULL, Random(2) ? _IOFBF : _IONBF, Count()), 0);
    return;
  }
  const size_t count = Count();
  int64_t got = 0;
  char* line = NULL;
  size_t room = 0;
  switch (Random(17)) {
    case 0:
      got = (int64_t)fread(buffer, 1, count, file);
      Say("fread", got, got);
      break;
    case 1:
      // The function: not what a macro makes of it.
      got = (int64_t)(fread_unlocked)(buffer, 1 + Random(100), count / 128, file);
      Say("fread_unlocked", got, 0);
      break;
    case 2:
      buffer[0] = 0;
      Say("fgets", fgets(buffer, (int)(count + 1), file) != NULL, (ssize_t)strlen(buffer));
      break;
    case 3:
      buffer[0] = 0;
      Say("fgets_unlocked", fgets_unlocked(buffer, (int)(count + 1), file) != NULL, (ssize_t)strlen(buffer));
      break;
    case 4:
    case 5:
      got = Random(2) ? getline(&line, &room, file) : getdelim(&line, &room, (int)Random(256), file);
      if (got > 0 && got <= kBuffer) memcpy(buffer, line, (size_t)got);
      Say("getline", got, got <= kBuffer ? got : 0);
      free(line);
      break;
    case 6:
      for (size_t i = 0; i < (count & 1023); ++i)
        got = (got * 31 + (Random(2) ? getc(file) : getc_unlocked(file))) % 1000003;
      Say("getc", got, 0);
      break;
    case 7:
      got = getc(file);
      Say("ungetc", got == EOF ? EOF : ungetc((int)got, file), 0);
      break;
    case 8:
      Say("fseek", Random(2) ? fseeko(file, Offset(), (int)Random(3)) : fseek(file, -(long)Random(9000), SEEK_CUR), 0);
      break;
    case 9:
      rewind(file);
      Say("rewind", 0, 0);
      break;
    case 10:
      Say("fflush", fflush(file), 0);
      break;
    case 11:
      Say("fclose", fclose(file), 0);
      streams[which] = NULL;
      return;
    case 12:
      Say("beside", lseek(fileno(file), (off_t)Random(3000000), SEEK_SET), 0);
      break;
    case 13:
      Say("fpurge", (__fpurge(file), clearerr(file), 0), 0);
      break;
    case 14: {
      fpos_t place;
      got = fgetpos(file, &place);
      Say("fgetpos", got, 0);
      got = got == 0 ? (int64_t)fread(buffer, 1, count, file) : 0;
      Say("fread", got, got);
      Say("fsetpos", fsetpos(file, &place), 0);
      break;
    }
    case 15:
      got = fscanf(file, "%4000s", buffer);
      Say("fscanf", got, got == 1 ? (ssize_t)strlen(buffer) : 0);
      break;
    default:
      if (__fwritable(file)) Say("fwrite", (int64_t)fwrite(buffer, 1, count & 0xfff, file), 0);
  }
  Say("state", ftello(file), 0);
  Say("flags", feof(file) != 0 ? 2 + (ferror(file) != 0) : ferror(file) != 0, 0);
  Say("fd", lseek(fileno(file), 0, SEEK_CUR), 0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
  // Or a write at an offset that was sought at random makes a file without an end.
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){8 << 20, 8 << 20});
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < kFds; ++i) fds[i] = -1;
  for (long step = strtol(argv[2], NULL, 10); step > 0; --step) {
    const uint64_t kind = Random(20);
    if (kind < 8) OnDescriptor();
    if (kind >= 8 && kind < 18) OnStream();
    if (kind == 18) Between();
    if (kind == 19) Write();
    fflush(stdout);  // a child must not have it, too
  }
  return 0;
}
