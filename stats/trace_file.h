// Writes a trace from what one says: what was imported from elsewhere, or read and changed. What ReadTrace gives back
// of it is what was written.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "stats/trace_reader.h"

namespace ahead {

// Writes `contents` to the file `path`, 0600: beside it first, then in its place, so that it is whole or not there. Of
// outcomes the batches are written, not the sums.
// REQUIRES: reads and events name files that are there. Errors: as the system says, one line that names the path;
// InvalidArgument for contents that no trace can hold.
absl::Status WriteTrace(const std::string& path, const TraceContents& contents);

}  // namespace ahead
