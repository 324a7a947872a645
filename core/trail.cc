#include "core/trail.h"

namespace ahead {

TrailMatch Trail::Enter(ByteRange read, ByteCount slack) {
  TrailMatch match;
  ++tick_;
  Run* oldest = &runs_[0];
  Run* found = nullptr;
  for (Run& run : runs_) {
    if (run.tick < oldest->tick) oldest = &run;
    if (run.tick == 0) continue;
    const bool forward = read.begin <= run.end && run.end - read.begin <= slack && read.end > run.end &&
                         read.begin > run.begin && run.kind != TrailMatch::Kind::kBackward;
    const bool backward = read.end >= run.begin && read.end - run.begin <= slack && read.begin < run.begin &&
                          read.end < run.end + slack && run.kind != TrailMatch::Kind::kForward;
    if (!forward && !backward) continue;
    if (found != nullptr && run.tick < found->tick) continue;
    found = &run;
    match.kind = forward ? TrailMatch::Kind::kForward : TrailMatch::Kind::kBackward;
  }
  if (found == nullptr) {
    score_ -= score_ > 0 ? 1 : 0;
    *oldest = {read.begin, read.end, 0, TrailMatch::Kind::kNone, tick_, {}};
    return match;
  }
  score_ = score_ + 2 < kTopScore ? score_ + 2 : kTopScore;
  match.immediate = found->tick + 1 == tick_;
  match.hits = ++found->hits;
  found->kind = match.kind;
  found->tick = tick_;
  if (match.kind == TrailMatch::Kind::kForward)
    found->end = read.end;
  else
    found->begin = read.begin;
  match.appetite = found->appetite;
  match.run_begin = found->begin;
  match.run_end = found->end;
  return match;
}

void Trail::End(ByteRange read, Nanos now, Nanos waited) {
  for (Run& run : runs_)
    if (run.tick != 0 && (run.end == read.end || run.begin == read.begin)) run.appetite.OnEnd(now, waited);
}

void Trail::Remove(ByteRange read) {
  for (Run& run : runs_)
    if (run.tick != 0 && (run.end == read.end || run.begin == read.begin)) run = {};
}

}  // namespace ahead
