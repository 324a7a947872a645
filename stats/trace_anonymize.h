// A trace that may be given away: what it says about names is replaced, what a simulation needs is kept.
#pragma once

#include "stats/trace_reader.h"

namespace ahead {

// Replaces in `trace`
// - each part of a path by a letter and the number of its appearance: d1/d2/f3.txt. Equal paths stay equal, the depth,
//   who lies in one folder and an ending of one to four letters or digits that is common enough to tell nothing stay;
// - devices and inodes by numbers that keep the order, because a disk with an arm finds files by them; the distances
//   between them go;
// - process and thread numbers by 1, 2, ... in the order of appearance.
// Times begin with 0, the time of day goes. Offsets, lengths, sizes, durations, options and decisions stay. There is no
// key: what was replaced is not in the result.
void Anonymize(TraceContents& trace);

}  // namespace ahead
