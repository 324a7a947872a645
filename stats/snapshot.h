// What a segment held at one moment, in plain memory: the input of every printer and exporter.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stats/segment.h"

namespace ahead {

// One process and what it counted.
struct ProcessRecord {
  pid_t pid = 0;
  std::string command;
  bool is_running = false;
  Block counts;
};

struct Snapshot {
  Block total;  // all processes, also those that no longer have a record; `processes` says how many
  std::vector<ProcessRecord> processes;
  pid_t session_pid = 0;        // 0: a statistics file
  int64_t started_unix_ns = 0;  // 0: not known
  int64_t reset_unix_ns = 0;    // 0: never reset
  std::string options;          // "name=value", one a line
  // False for a text table: it does not tell the sum of squares, nor anything about processes.
  bool is_complete = true;
};

// Copies the counts. Each cell is exact; a set of cells is as close to one moment as copying allows, and a block whose
// counts are being moved to `retired` is waited for, briefly.
Snapshot ReadSnapshot(SegmentView segment);

// Takes the counts out, each exactly once: what is counted after it is in the next snapshot. Processes that live keep
// counting as processes.
Snapshot TakeSnapshot(SegmentView segment);

// As the two above, for the block of process `pid` alone; a process that has not counted yet has a snapshot of zeros.
Snapshot ReadSnapshot(SegmentView segment, pid_t pid);
Snapshot TakeSnapshot(SegmentView segment, pid_t pid);

// Returns what was counted between two snapshots of a segment, without the processes. A cell that was reset in between
// gives what it has counted since.
Snapshot Difference(const Snapshot& before, const Snapshot& after);

}  // namespace ahead
