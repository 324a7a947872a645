// Prints the event tables as text, in the layout of the adaptive readahead events file. table_reader.h reads it back.
#pragma once

#include <string>

#include "stats/snapshot.h"
#include "stats/summary.h"

namespace ahead {

// Returns `[table requests]`, `[table pages]` and `[table summary]`, each followed by an empty line. Labels are 16
// wide, cells 10; a longer number keeps one space before it. `~` before pages of readahead: some of them could only be
// asked for, not confirmed. `-`: undefined. Style kV14 prints the old rows and columns and no `~`.
std::string FormatTables(const Snapshot& snapshot, TableStyle style = TableStyle::kAhead);

// Returns `[table processes]`: a line for all processes together and for those that read most, at most `max_lines` of
// them.
std::string FormatProcesses(const Snapshot& snapshot, size_t max_lines = 10);

}  // namespace ahead
