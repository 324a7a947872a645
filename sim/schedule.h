// In which order do threads perform the reads of a workload, so that what followed in the recording follows again?
//
// Each recorded thread performs its reads in order. Its first read waits until all reads that had ended by then in the
// recording are done; after that threads run freely, because what a thread waited for is not in the trace, and holding
// it to the recorded order would slow a faster policy down to the recorded one. So 1,000 processes that followed each
// other do so again, and 16 threads that ran side by side run side by side. Threads that followed each other share a
// lane, which is a thread of the replay.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload.h"

namespace ahead::sim {

// The first read of a recorded thread.
struct Gate {
  uint32_t read = 0;                 // position in the lane
  std::vector<uint32_t> done_reads;  // that must be done before, by lane; lanes beyond the end: none
};

struct Lane {
  std::vector<uint32_t> reads;  // indices into Workload::reads
  std::vector<Gate> gates;      // ascending
};

std::vector<Lane> MakeLanes(const Workload& work);

// Returns, for each read, how long its thread did something else before: since the read before, or for a thread's first
// since the last read that had ended by then; 0 for the first of all.
std::vector<Nanos> ThinkTimes(const Workload& work);

}  // namespace ahead::sim
