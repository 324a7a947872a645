#include "core/methods/onseek.h"

namespace ahead {

ByteCount OnSeek::Observe(ByteRange read) {
  if (started_ && read.begin == run_end_) {
    run_end_ = read.end;
    return {};
  }
  if (started_) {
    runs_[2] = runs_[1];
    runs_[1] = runs_[0];
    runs_[0] = run_end_ - run_begin_;
  }
  started_ = true;
  run_begin_ = read.begin;
  run_end_ = read.end;
  const ByteCount newest = runs_[0];
  const bool alike = newest * 2 > runs_[1] && runs_[1] * 2 > runs_[2] && runs_[2] * 2 > newest && runs_[2].value > 0;
  if (!alike || read.size() >= newest) return {};
  return newest > runs_[1] ? newest : runs_[1];
}

}  // namespace ahead
