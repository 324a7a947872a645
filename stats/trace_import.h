// Traces from what other tools recorded: the output of strace and of darshan-dxt-parser. What a line does not say is
// not invented: there are no decisions, and what could not be understood is counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "stats/trace_reader.h"

namespace ahead {

struct TraceImport {
  TraceContents contents;
  uint64_t lines = 0;
  uint64_t misread_lines = 0;       // of no known form
  uint64_t first_misread_line = 0;  // its number, from 1; 0: there is none
  // Reads that are not in `contents`:
  uint64_t unknown_reads = 0;   // of descriptors whose opening was not seen; pipes and sockets among them
  uint64_t unplaced_reads = 0;  // where in the file is not known
  uint64_t special_reads = 0;   // of devices, pipes, /proc
  uint64_t other_records = 0;   // DXT: writes, and what MPI-IO did, which POSIX did again below it
  // Files named by a path that is not absolute, because the folder is not known.
  uint64_t relative_paths = 0;
};

// Takes the output of `strace -f -ttt -T`: also of -tt, without -T, without -f, or from stderr; best with -y, which
// names folders and descriptors that were inherited. Offsets are followed through open, lseek, dup, fork and exec.
// Sizes are what stat calls say, and at least what was read. Times begin with 0 at the first line.
TraceImport ImportStrace(std::string_view text);

// Takes the output of darshan-dxt-parser. Each file of each rank is one description, each rank a process. DXT tells
// neither opens nor seeks; a file is as large as what was read and written of it.
TraceImport ImportDxt(std::string_view text);

}  // namespace ahead
