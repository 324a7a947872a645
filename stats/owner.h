// Who uses a block of the shared segment, and whether that process still exists. A process number alone does not say
// so, because numbers are used again: the time of the claim tells the first bearer from the second.
//
// Runs inside the host: no allocation, async-signal-safe, kernel calls made directly.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ahead {

// One word of 64 bits, so that it changes as a whole. 0: free, never used.
struct Owner {
  enum class State : uint8_t { kFree, kLive, kClaiming };

  State state = State::kFree;
  pid_t pid = 0;
  // Clock ticks (1/100 s, as in /proc/PID/stat) from boot to the claim.
  uint64_t claimed_ticks = 0;

  static Owner Decode(uint64_t word);
  uint64_t Encode() const;
  bool operator==(const Owner&) const = default;
};

// Ticks from boot until now.
uint64_t NowTicks();

// Ticks from boot to the start of the process behind `stat_path`, a /proc/PID/stat; 0 when that cannot be read.
// An exec does not change it.
uint64_t StartTicks(const char* stat_path);

// Says that no process has the owner's number, or that the claim was made before this boot.
// Cost: at most one system call. May change errno.
bool HasEnded(const Owner& owner);

// HasEnded, or its number belongs to a process that started after the claim.
// Cost: four more system calls for a process that lives. May change errno.
bool IsGone(const Owner& owner);

}  // namespace ahead
