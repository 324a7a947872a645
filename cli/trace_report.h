// A summary of a trace, for people and for programs.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "stats/trace_summary.h"

namespace ahead::cli {

// Returns lines for all files together and a table of the `files` files with the most bytes.
std::string DescribeTrace(const TraceSummary& summary, size_t files);

// The same; times in nanoseconds, and every counter there is.
nlohmann::ordered_json JsonOfTrace(const TraceSummary& summary, size_t files);

}  // namespace ahead::cli
