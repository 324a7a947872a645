// What of a trace can be replayed? Its completed reads, of files told apart by identity and path, with the descriptions
// and threads they went through.
#pragma once

#include <cstdint>

#include "sim/workload.h"
#include "stats/trace_reader.h"

namespace ahead::sim {

struct TraceWorkload {
  Workload work;
  uint64_t failed_reads = 0;    // left out: they ended in an error, or the trace does not say how
  uint64_t mapped_reads = 0;    // left out: faults of a mapping are not performed
  uint64_t pathless_reads = 0;  // left out: of files whose path could not be told
};

TraceWorkload WorkloadFrom(const TraceContents& trace);

}  // namespace ahead::sim
