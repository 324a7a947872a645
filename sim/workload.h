// What a program did to its files, by whatever means we know: a trace (trace_workload.h) or a pattern (patterns.h).
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
  uint64_t inode = 0;  // also where a disk with an arm keeps it (devices/placement.h)
  ByteCount size;
  bool kernel_leads = false;  // as Facts::kernel_leads
};

enum class StepKind : uint8_t {
  kRead,    // a read by any call
  kTouch,   // memory of a mapping was touched: the kernel reads, the engine does not see it
  kOpen,    // a description came to be known
  kClose,   // and went
  kAdvise,  // the program gave advice of its own
  kMap,     // a range was mapped
};

struct WorkStep {
  StepKind kind = StepKind::kRead;
  uint32_t file = 0;    // index into Workload::files
  uint32_t reader = 0;  // open file description, below Workload::readers
  uint32_t thread = 0;  // below Workload::threads
  bool fresh = false;   // kRead: the reader's first
  // kRead: standing for the description. kAdvise: what was given.
  HostAdvice advice = HostAdvice::kNormal;
  ByteRange range;  // asked for
  Nanos begin;      // when it was recorded
  Nanos end;
};

// Invariants: steps are in ascending order of `begin`; all steps of a reader are of one file and one process.
struct Workload {
  std::vector<WorkFile> files;
  std::vector<WorkStep> steps;
  uint32_t readers = 0;
  uint32_t threads = 0;
  // By thread: which process it is of, below `processes`. Empty: all are of one.
  std::vector<uint32_t> process_of;
  uint32_t processes = 1;

  uint32_t ProcessOf(uint32_t thread) const { return process_of.empty() ? 0 : process_of[thread]; }
};

// Says whether data of the file are wanted.
constexpr bool Reads(const WorkStep& step) { return step.kind == StepKind::kRead || step.kind == StepKind::kTouch; }

// Returns the part of the step's range that the file has; empty beyond its end.
inline ByteRange Clipped(const Workload& work, const WorkStep& step) {
  ByteRange range = step.range;
  const ByteOffset size{work.files[step.file].size.value};
  if (range.end > size) range.end = size;
  if (range.begin > range.end) range.begin = range.end;
  return range;
}

}  // namespace ahead::sim
