// Performs the reads of a workload on the real files under one of four policies, and says how long that took.
//
// A thread a lane (schedule.h), plain preads at the recorded offsets, think times on demand. The clock begins
// when all files are open and all threads stand ready.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/options.h"
#include "core/units.h"
#include "sim/real_policies.h"
#include "sim/workload.h"

namespace ahead::sim {

enum class ReplayPolicy : uint8_t { kNone, kFixed, kAhead, kOracle };

struct ReplayOptions {
  ReplayPolicy policy = ReplayPolicy::kNone;
  ByteCount window{8 << 20};  // kFixed
  int in_flight = 12;         // kOracle: requests at a time
  ByteCount ahead{64 << 20};  // kOracle: most that is fetched and not yet read
  Options engine;             // kAhead
  bool think = false;         // wait as long between reads as the program did
  bool cold = false;          // take the files out of memory first
};

struct ReplayResult {
  int64_t reads = 0;
  ByteCount bytes;
  Nanos elapsed;
  ByteCount first_second_bytes;
  Nanos longest_read;        // including the wait for the oracle
  int64_t waited_reads = 0;  // took longer than kWait
  int64_t short_reads = 0;   // returned less than asked for, and less than the file has
  int64_t failed_reads = 0;
  size_t threads = 0;
  size_t files = 0;
  AheadCounts ahead;
};

// A cached read is shorter than this, a read of a disk longer.
inline constexpr Nanos kWait{100'000};

// Errors: as RealFiles; what goes wrong later is counted.
absl::StatusOr<ReplayResult> ReplayForReal(const Workload& work, const ReplayOptions& options);

}  // namespace ahead::sim
