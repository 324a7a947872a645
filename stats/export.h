// Writes a snapshot for other programs: JSON, CSV and OpenMetrics. Keys are the names of rows, columns and counters in
// the .def files and do not change; docs/events.md describes the forms.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"
#include "stats/snapshot.h"
#include "stats/summary.h"

namespace ahead {

// Returns {"requests": {row: {column: n}}, "pages": ..., "summary": {row: {column: number or null}}, ...}; of a
// complete snapshot also "counters", "processes" and when it began.
nlohmann::ordered_json ToJson(const Snapshot& snapshot, TableStyle style = TableStyle::kAhead);

// Returns lines of table,row,class,value without a header; `prefix` goes before each line. An undefined cell is empty.
std::string FormatCsv(const Snapshot& snapshot, TableStyle style = TableStyle::kAhead, const std::string& prefix = "");

// The header of FormatCsv.
inline constexpr char kCsvHeader[] = "table,row,class,value\n";

// Returns the text of an OpenMetrics exposition, ending in # EOF. Totals are left to the reader of the metrics.
std::string FormatOpenMetrics(const Snapshot& snapshot);

}  // namespace ahead
