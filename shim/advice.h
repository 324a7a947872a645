// What does a number of the host's advice mean? The numbers differ between calls and machines.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <cstddef>

#include "core/access.h"

namespace ahead {

// The POSIX_FADV_ numbers in the order of HostAdvice.
inline constexpr int kFileAdvice[] = {POSIX_FADV_NORMAL,  POSIX_FADV_SEQUENTIAL, POSIX_FADV_RANDOM,
                                      POSIX_FADV_NOREUSE, POSIX_FADV_WILLNEED,   POSIX_FADV_DONTNEED};

constexpr int FileAdviceNumber(HostAdvice advice) { return kFileAdvice[static_cast<size_t>(advice)]; }

// Says whether a POSIX_FADV_ number is one that is known here, and what it means.
constexpr bool IsFileAdvice(int number, HostAdvice& advice) {
  for (size_t i = 0; i < sizeof(kFileAdvice) / sizeof(kFileAdvice[0]); ++i) {
    if (kFileAdvice[i] != number) continue;
    advice = static_cast<HostAdvice>(i);
    return true;
  }
  return false;
}

constexpr bool IsAboutRange(HostAdvice advice) {
  return advice == HostAdvice::kWillNeed || advice == HostAdvice::kDontNeed;
}

// Says whether a MADV_ number concerns the file behind the memory, and what it means there. MADV_DONTNEED only drops
// the process's view of the pages.
constexpr bool IsMemoryAdvice(int number, HostAdvice& advice) {
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, from 5.14; older headers do not have it
  switch (number) {
    case MADV_NORMAL:
      advice = HostAdvice::kNormal;
      return true;
    case MADV_RANDOM:
      advice = HostAdvice::kRandom;
      return true;
    case MADV_SEQUENTIAL:
      advice = HostAdvice::kSequential;
      return true;
    case MADV_WILLNEED:
    case kPopulateRead:
      advice = HostAdvice::kWillNeed;
      return true;
    case MADV_PAGEOUT:
      advice = HostAdvice::kDontNeed;
      return true;
    default:
      return false;
  }
}

}  // namespace ahead
