// Follows a file that other processes append numbered records to, as tail -f does: what has come is read to the end,
// again and again, by read, pread, stdio and lines. Each follower must get each record once and whole. Case A15.
// Usage: follower FILE_TO_READ FILE_TO_CHANGE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/hosts/show.h"

enum { kRecord = 32, kRecords = 120000, kFollowers = 4 };

static char buffer[1 << 16];
static char rest[kFollowers][kRecord];
static size_t rest_size[kFollowers];
static long next[kFollowers];
static long gaps[kFollowers];

static void Append(const char* path, int told) {
  const int out = open(path, O_WRONLY | O_APPEND);
  static char block[kRecord * 4096 + 1];
  for (long record = 0; record < kRecords;) {
    const long count = 1 + record * 7 % 4096 < kRecords - record ? 1 + record * 7 % 4096 : kRecords - record;
    for (long i = 0; i < count; ++i) snprintf(block + i * kRecord, kRecord + 1, "record %024ld\n", record + i);
    // Not by whole records, so that an end is met in the middle of one.
    for (long at = 0; at < count * kRecord;) {
      const long part = count * kRecord - at < 50001 ? count * kRecord - at : 50001;
      if (write(out, block + at, (size_t)part) != part) _exit(3);
      if (write(told, "x", 1) != 1) _exit(4);
      at += part;
    }
    record += count;
  }
  _exit(0);
}

static void Check(int follower, const char* record) {
  gaps[follower] += record[kRecord - 1] != '\n' || atol(record + 7) != next[follower];
  ++next[follower];
}

// Takes what a follower has read, record by record; a piece of one waits for the rest.
static void Take(int follower, const char* bytes, long count) {
  while (count > 0) {
    size_t part = kRecord - rest_size[follower];
    if ((long)part > count) part = (size_t)count;
    memcpy(rest[follower] + rest_size[follower], bytes, part);
    rest_size[follower] += part;
    bytes += part;
    count -= (long)part;
    if (rest_size[follower] < kRecord) return;
    Check(follower, rest[follower]);
    rest_size[follower] = 0;
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  close(open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600));
  const int by_read = open(argv[1], O_RDONLY);
  const int by_pread = open(argv[1], O_RDONLY);
  FILE* by_fread = fopen(argv[1], "r");
  FILE* by_line = fopen(argv[1], "r");
  int news[2];
  if (by_read < 0 || by_pread < 0 || by_fread == NULL || by_line == NULL || pipe(news) != 0) return 5;
  const pid_t writer = fork();
  if (writer == 0) Append(argv[2], news[1]);
  close(news[1]);

  long place = 0;
  char* line = NULL;
  size_t room = 0;
  char one;
  // The writer closes its end of the pipe after its last record: then all is there, and a last round finds it.
  for (int ended = 0; !ended;) {
    long got;
    ended = read(news[0], &one, 1) != 1;
    while ((got = read(by_read, buffer, sizeof buffer)) > 0) Take(0, buffer, got);
    for (; (got = pread(by_pread, buffer, 10000, place)) > 0; place += got) Take(1, buffer, got);
    while ((got = (long)fread(buffer, 1, 5000, by_fread)) > 0) Take(2, buffer, got);
    clearerr(by_fread);
    while ((got = getline(&line, &room, by_line)) > 0) Take(3, line, got);
    clearerr(by_line);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  printf("writer %d\n", status);
  for (int follower = 0; follower < kFollowers; ++follower)
    printf("follower %d: records %ld gaps %ld\n", follower, next[follower], gaps[follower]);
  return 0;
}
