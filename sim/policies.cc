#include "sim/policies.h"

#include <algorithm>

namespace ahead::sim {

void FixedPolicy::Before(Machine& machine, size_t index) {
  const WorkStep& read = work_.steps[index];
  const ByteCount piece = machine.disk().parameters().max_request;
  ByteRange& advised = advised_[read.reader];
  if (read.range.begin < advised.begin || read.range.begin > advised.end)
    advised = {read.range.begin, read.range.begin};
  const ByteOffset size{work_.files[read.file].size.value};
  const ByteOffset end = std::min(read.range.end + window_, size);
  // A whole piece at a time, unless it is the last.
  while (advised.end < end && (advised.end + piece <= end || end == size)) {
    const ByteRange next{advised.end, std::min(advised.end + piece, size)};
    machine.Advise(read.file, next, false);
    advised.end = next.end;
  }
}

void AheadPolicy::Before(Machine& machine, size_t index) {
  const WorkStep& read = work_.steps[index];
  pending_ = driver_.Before(
      read, [&](ByteRange piece, bool look, bool ask) { return machine.Advise(read.file, piece, look, ask); },
      [&] { return machine.now(); });
}

void OraclePolicy::Fetch(Machine& machine, size_t required) {
  while (next_ < plan_.pieces.size()) {
    const FetchPiece& wanted = plan_.pieces[next_];
    const Nanos when = machine.disk().FreeAt(time_);
    is_full_ = outstanding_ + wanted.range.size() > ahead_;
    if (next_ >= required && (is_full_ || when > machine.now())) return;
    arrivals_[next_++] = machine.FetchAside(wanted.file, wanted.range, when);
    outstanding_ += wanted.range.size();
    time_ = when;
  }
}

void OraclePolicy::Consume(Machine& machine, size_t piece) {
  if (consumed_[piece]) return;
  consumed_[piece] = true;
  outstanding_ = outstanding_ - plan_.pieces[piece].range.size();
  if (is_full_) time_ = std::max(time_, machine.now());
}

void OraclePolicy::Before(Machine& machine, size_t index) {
  for (const uint32_t piece : plan_.NeededBy(index)) {
    Fetch(machine, size_t{piece} + 1);
    machine.WaitUntil(arrivals_[piece]);
    Fetch(machine, 0);
    Consume(machine, piece);
  }
  Fetch(machine, 0);
}

}  // namespace ahead::sim
