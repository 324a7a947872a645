// How the hosts that read odd files say what they got: a result, errno, and a sum of the bytes.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>

static inline unsigned Hash(const char* bytes, long count) {
  unsigned hash = 2166136261u;
  for (long i = 0; i < count; ++i) hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
  return hash;
}

// Prints what a call returned and what it read; for a failure, why. Goes on with errno 0.
static inline void Show(const char* what, long result, const char* bytes) {
  if (result < 0)
    printf("%-24s %ld errno %d\n", what, result, errno);
  else
    printf("%-24s %ld %08x\n", what, result, bytes == NULL ? 0 : Hash(bytes, result));
  errno = 0;
}
