// What of a trace can be performed again? Its completed reads, of files told apart by identity and path, with the
// descriptions and threads they went through; and, where that is wanted, what else happened to the files.
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

enum class Taken : uint8_t {
  kReads,       // kRead alone: what is performed on real files
  kEverything,  // for a simulation
};

// With kEverything the first read of a description that was opened there is fresh also where nobody watched it, unless
// it takes all of the file, which the shim passes by. A mapping of which the trace has no touches is taken to be read
// once, in order and at once, by the thread that made it: touches of 64 KiB, what the kernel maps around a fault,
// follow its kMap.
TraceWorkload WorkloadFrom(const TraceContents& trace, Taken taken = Taken::kReads);

}  // namespace ahead::sim
