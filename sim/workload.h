// What is replayed: files and the reads of them, in the order in which they began. Made from a trace (trace_workload.h)
// or from a pattern (patterns.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/access.h"
#include "core/units.h"

namespace ahead::sim {

struct WorkFile {
  std::string path;
  uint64_t device = 0;
  uint64_t inode = 0;
  ByteCount size;
  bool kernel_leads = false;  // as Facts::kernel_leads
};

struct WorkRead {
  uint32_t file = 0;    // index into Workload::files
  uint32_t reader = 0;  // open file description, below Workload::readers
  uint32_t thread = 0;  // below Workload::threads
  bool fresh = false;   // the reader's first
  HostAdvice advice = HostAdvice::kNormal;
  ByteRange range;      // asked for
  Nanos begin;          // when it was recorded
  Nanos end;
};

// Invariants: reads are in ascending order of `begin`; all reads of a reader are of one file.
struct Workload {
  std::vector<WorkFile> files;
  std::vector<WorkRead> reads;
  uint32_t readers = 0;
  uint32_t threads = 0;
};

// Returns the part of the read that the file has; empty beyond its end.
inline ByteRange Clipped(const Workload& work, const WorkRead& read) {
  ByteRange range = read.range;
  const ByteOffset size{work.files[read.file].size.value};
  if (range.end > size) range.end = size;
  if (range.begin > range.end) range.begin = range.end;
  return range;
}

}  // namespace ahead::sim
