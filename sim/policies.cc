#include "sim/policies.h"

#include <algorithm>

namespace ahead::sim {

void FixedPolicy::Plan(Runner&, const WorkStep& read) {
  ByteRange& advised = advised_[read.reader];
  if (read.range.begin < advised.begin || read.range.begin > advised.end)
    advised = {read.range.begin, read.range.begin};
}

bool FixedPolicy::NextPiece(Runner& runner, PieceOrder& order) {
  const WorkStep& read = *runner.step;
  if (read.kind != StepKind::kRead) return false;
  ByteRange& advised = advised_[read.reader];
  const ByteOffset size{work_.files[read.file].size.value};
  const ByteOffset end = std::min(std::min(read.range.end, size) + window_, size);
  // A whole piece at a time, unless it is the last.
  if (advised.end >= end || (advised.end + piece_ > end && end != size)) return false;
  order = {{advised.end, std::min(advised.end + piece_, size)}, false, true};
  advised.end = order.range.end;
  return true;
}

}  // namespace ahead::sim
