// Which chunks does a trace in memory have? Raw or in zstd frames, damaged or still written to.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stats/trace_format.h"

namespace ahead {

// One chunk: its head, and the records that its owner published.
struct TraceChunkView {
  TraceChunk head{};
  const char* records = nullptr;
  size_t bytes = 0;
};

struct TraceChunks {
  TraceHeader header{};
  // In the order in which they were claimed.
  std::vector<TraceChunkView> chunks;
  // What came after the last whole frame, or was no chunk: as many pieces as were given up.
  uint64_t broken = 0;
  std::deque<std::string> unfolded;  // what views of frames point into
};

// Finds them. The views point into `bytes`, or into `unfolded`. Errors as ReadTrace (trace_reader.h).
absl::StatusOr<TraceChunks> FindChunks(const std::string& name, const char* bytes, size_t size);

// Returns how many bytes of a file of `size` with this header are worth reading: a raw one is mostly not filled yet.
size_t BytesInUse(const TraceHeader& header, size_t size);

// Packs whole chunks, one behind the other, into one frame. REQUIRES: at most kTraceMaxFrameBytes. Returns an empty
// string when there is no memory.
std::string PackFrame(const std::string& chunks);

// Returns the header of a trace in frames, as it stands at the beginning of its file.
std::string PackedHeader(TraceHeader header);

}  // namespace ahead
