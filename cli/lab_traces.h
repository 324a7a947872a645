// Which workloads does the laboratory work on? Traces that were named, those of a folder, or the project's own.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/workload.h"

namespace ahead::cli {

// Invariant: names and works correspond; names are distinct.
struct LabTraces {
  std::vector<std::string> names;  // file names without .trace
  std::vector<sim::Workload> works;
  // Traces that an engine can foresee, as the file predictable.txt beside them says, one name a line; where there is no
  // such file, all.
  std::vector<bool> is_predictable;
  std::vector<std::string> remarks;  // one line each: what is missing of a trace
};

// Loads the traces in `paths`, files and folders of *.trace; without any, those of bench/traces above the program.
// Errors, one line that names the path: what cannot be read; NotFound when there is none; InvalidArgument for a trace
// without reads.
absl::StatusOr<LabTraces> LoadTraces(const std::vector<std::string>& paths);

}  // namespace ahead::cli
