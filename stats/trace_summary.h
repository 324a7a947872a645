// What does a trace come to? The numbers of `ahead trace`: for all files together, and for each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "stats/access_pattern.h"
#include "stats/quantiles.h"
#include "stats/trace_reader.h"

namespace ahead {

// Upper bounds of the size histogram, exclusive but for the last: Darshan's.
inline constexpr size_t kSizeBucketCount = 10;
inline constexpr const char* kSizeBucketNames[kSizeBucketCount] = {"0-100", "100-1K", "1K-10K",   "10K-100K", "100K-1M",
                                                                   "1M-4M", "4M-10M", "10M-100M", "100M-1G",  "1G+"};
inline constexpr size_t kAccessKindCount = 5;
inline constexpr const char* kAccessKindNames[kAccessKindCount] = {"read", "pread", "stdio", "transfer", "mapped"};

// How often a value occurred.
struct CommonValue {
  int64_t value = 0;
  uint64_t count = 0;

  bool operator==(const CommonValue&) const = default;
};

struct SlowestRead {
  uint32_t file = 0;  // index into TraceSummary::files
  ByteRange range;
  Nanos duration;
};

// What was done to a file, or to all.
struct AccessSummary {
  uint64_t reads = 0;             // completed without error
  uint64_t empty_reads = 0;       // of these, at the end of the file
  uint64_t failed_reads = 0;      // beside them
  uint64_t unfinished_reads = 0;  // beside them: the process, or the trace, ended first
  ByteCount bytes;
  ByteCount again_bytes;                     // of these, read before by whomever
  std::array<uint64_t, kStepCount> steps{};  // by Step, of reads that are not empty
  uint64_t forward_reads = 0;                // what Darshan calls sequential: not below the end of the one before
  std::array<uint64_t, kSizeBucketCount> sizes{};
  std::array<uint64_t, kAccessKindCount> kinds{};  // of `reads`; and mappings that the engine decided about
  std::vector<CommonValue> common_strides;         // the four most frequent distances of reads that are not consecutive
  std::vector<CommonValue> common_sizes;           // the four most frequent sizes
  Quantiles run_bytes;                             // of runs of consecutive reads of a reader
  ByteOffset end;                                  // of what was read
  Nanos read_time;                                 // of all reads together
  SlowestRead slowest;
  uint64_t readers = 0;  // descriptions that were read
  uint64_t opens = 0;
  uint64_t closes = 0;
  uint64_t advice = 0;
  uint64_t seeks = 0;
  uint64_t mappings = 0;
  uint64_t unmappings = 0;
  uint64_t entries = 0;         // read from folders
  uint64_t other_events = 0;    // of kinds without a number here
  uint64_t absorbed_reads = 0;  // let pass by the engine's filter
  uint64_t unseen_reads = 0;    // that the engine did not look at
  uint64_t decisions = 0;       // that asked for something
  uint64_t asked_pieces = 0;
};

struct FileSummary {
  std::string path;  // empty: it could not be told
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;  // the largest seen
  AccessSummary access;
};

// How many reads were under way at a time.
struct Concurrency {
  uint64_t most = 0;
  Nanos busy;        // time with at least one
  Nanos concurrent;  // time with at least two
};

struct TraceSummary {
  AccessSummary all;
  std::vector<FileSummary> files;  // by bytes, the most first
  size_t processes = 0;
  size_t threads = 0;
  Nanos begin;      // of the first that is recorded
  Nanos end;        // of the last
  Quantiles think;  // between reads of a thread, nanoseconds
  Concurrency concurrency;
  uint64_t records = 0;
  uint64_t dropped_records = 0;
  uint64_t broken_records = 0;
  uint64_t unknown_records = 0;
};

// Cost: memory in proportion to the reads.
TraceSummary Summarize(const TraceContents& trace);

}  // namespace ahead
