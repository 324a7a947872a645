// A trace in forms that other tools read: one line an access, in the order of time.
#pragma once

#include <functional>
#include <string>

#include "stats/trace_reader.h"

namespace ahead::cli {

// Takes a piece of the output; returns false when it cannot be written, which ends the export.
using Sink = std::function<bool(const std::string&)>;

// Writes the reads as CSV with a head line, RFC 4180. Returns what the sink said last.
bool ExportCsv(const TraceContents& trace, const Sink& sink);

// Writes reads and events, one JSON object a line; "kind" tells them apart. A path that is not UTF-8 is mended with
// replacement characters.
bool ExportJsonLines(const TraceContents& trace, const Sink& sink);

}  // namespace ahead::cli
