// Reads event tables back from their text: what `ahead stats` printed, or a kernel of the adaptive readahead days.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stats/snapshot.h"

namespace ahead {

// Lines that start with # and the tables summary and processes are skipped; rows and columns may be missing, and then
// count nothing. Errors: the line, what stands there and what is accepted; also where a total is not the sum of its
// columns, or where there is no table of requests or of pages.
absl::StatusOr<Snapshot> ParseTables(absl::string_view text);

}  // namespace ahead
