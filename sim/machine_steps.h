// What the threads of a simulated machine do at each step: the second half of machine.h. Between two actions that take
// time a thread returns, so that whatever happens elsewhere in the meantime happens first.
#pragma once

#include "sim/machine.h"

namespace ahead::sim {

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::NextStep(Runner& runner) {
  const Lane& lane = *runner.lane;
  if (runner.at == lane.reads.size()) {
    runner.stage = Stage::kOver;
    return Then::kWait;
  }
  if (runner.gate < lane.gates.size() && lane.gates[runner.gate].read == runner.at) {
    if (!IsGateOpen(runner)) {
      gated_.push_back(runner.index);
      return Then::kWait;
    }
    ++runner.gate;
  }
  runner.step_index = lane.reads[runner.at];
  runner.step = &work_.steps[runner.step_index];
  runner.now = runner.now + schedule_.think[runner.step_index];
  runner.stage = Stage::kBegin;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::BeginStep(Runner& runner) {
  const WorkStep& step = *runner.step;
  runner.range = Clipped(work_, step);
  runner.pages = PagesOf(work_, step);
  runner.page = runner.ready = runner.pages.begin;
  runner.asked = runner.is_faulting = runner.has_waited = false;
  switch (step.kind) {
    case StepKind::kOpen:
      policy_.Open(runner, step);
      return EndStep(runner);
    case StepKind::kClose:
      policy_.Close(step);
      return EndStep(runner);
    case StepKind::kAdvise:
      policy_.Advise(step);
      return Advise(runner);
    case StepKind::kMap:
      policy_.PlanMapping(runner, step);
      break;
    case StepKind::kTouch:
      runner.read_begin = runner.now;
      runner.stage = Stage::kRead;
      return Then::kGoOn;
    case StepKind::kRead:
      if (step.advice != standing_[step.reader]) Stand(step.reader, step.advice);
      policy_.Plan(runner, step);
      Heed(policy_.HintOf(runner), states_[step.reader]);
      break;
  }
  runner.stage = Stage::kPieces;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::NextPiece(Runner& runner) {
  if (policy_.NextPiece(runner, runner.piece)) {
    runner.before_pages = 0;
    if (runner.piece.look) {
      runner.before_pages = CountPresent(runner.step->file, runner.piece.range);
      runner.now = runner.now + costs_.look;
    }
    runner.stage = Stage::kAsk;
    return Then::kGoOn;
  }
  if (runner.step->kind == StepKind::kMap) return EndStep(runner);
  runner.read_begin = runner.now;
  runner.stage = Stage::kRead;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::AskForPiece(Runner& runner) {
  const int64_t begin = runner.piece.range.begin.value / kPageBytes;
  const int64_t count = (runner.piece.range.end.value - 1) / kPageBytes + 1 - begin;
  PieceOutcome outcome;
  outcome.sure = true;
  runner.stage = Stage::kPieces;
  if (runner.piece.look && runner.before_pages == count) {
    outcome.state = PieceOutcome::State::kResident;
    policy_.TookPiece(runner, outcome);
    return Then::kGoOn;
  }
  if (!runner.piece.ask) {
    policy_.TookPiece(runner, outcome);
    return Then::kGoOn;
  }
  runner.call_begin = runner.now;
  runner.stage = Stage::kPieceSent;
  ReaderState& state = states_[runner.step->reader];
  return Order(runner, ForcedOrder(state, mount_.limits(), begin, count), &state, costs_.advise);
}

// What was taken shows as cached at once.
template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::PieceSent(Runner& runner) {
  const int64_t after = CountPresent(runner.step->file, runner.piece.range);
  PieceOutcome outcome;
  outcome.sure = runner.piece.look;
  outcome.fresh_pages = static_cast<int32_t>(std::max<int64_t>(0, after - runner.before_pages));
  outcome.state = outcome.fresh_pages > 0 ? PieceOutcome::State::kIssued : PieceOutcome::State::kDropped;
  outcome.blocked = runner.now - runner.call_begin;
  policy_.TookPiece(runner, outcome);
  runner.stage = Stage::kPieces;
  return Then::kGoOn;
}

// As filemap_get_pages: what is absent is asked for; else pages are taken up to one that is marked or on its way.
template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Read(Runner& runner) {
  if (runner.page < runner.pages.end) {
    if (cache_.IsPresent(runner.pages.file, runner.page)) return ReadPresent(runner);
    return Miss(runner);
  }
  runner.now = runner.now + costs_.read;
  runner.stage = Stage::kReadOver;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Miss(Runner& runner) {
  const uint32_t file = runner.pages.file;
  ReaderState& state = states_[runner.step->reader];
  const int64_t index = runner.page;
  // The kernel's readahead may have taken nothing: then the page is read alone.
  if (runner.asked) return Order(runner, {index, 1, 0}, nullptr, {});
  runner.asked = true;
  PageOrder order;
  if constexpr (!Policy::kKernelReadsAhead) {
    order = policy_.OrderFor(runner, mount_);
    return Order(runner, order, nullptr, {});
  } else if (runner.step->kind == StepKind::kTouch) {
    order = OnFault(state, index);
  } else {
    const int64_t request = (runner.step->range.end.value - 1) / kPageBytes + 1 - index;
    order = OnMiss(state, mount_.limits(), index, request, [&](int64_t page) { return cache_.IsPresent(file, page); });
  }
  return Order(runner, order, &state, {});
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::ReadPresent(Runner& runner) {
  const uint32_t file = runner.pages.file;
  ReaderState& state = states_[runner.step->reader];
  runner.asked = false;
  uint16_t flags = 0;
  // What was found there stays where memory is not bounded: a read of a gibibyte, as of copy_file_range, is not looked
  // through again for each request that it waits for.
  if (runner.ready < runner.page || cache_.lists() != nullptr || runner.drops != cache_.drops() ||
      !cache_.IsPresent(file, runner.ready))
    runner.ready = runner.page;
  const int64_t end = cache_.ReadyUntil(file, runner.ready, runner.pages.end, flags);
  const int64_t last = end - 1;
  runner.ready = last;
  runner.drops = cache_.drops();
  if ((flags & page::kMarked) != 0) {
    return MeetMark(runner, last, (runner.step->range.end.value - 1) / kPageBytes + 1 - last);
  }
  if ((flags & page::kThere) == 0) {
    runner.awaited = last;
    return Await(runner);
  }
  // A page that the last read ended in is not touched again.
  const bool again =
      runner.page == runner.pages.begin && (state.prev_pos - 1) / kPageBytes == runner.page && state.prev_pos > 0;
  cache_.Read(file, runner.page, end, !again);
  runner.now = runner.now + costs_.copy_page * (end - runner.page);
  runner.page = end;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::MeetMark(Runner& runner, int64_t index, int64_t request) {
  const uint32_t file = runner.pages.file;
  cache_.ClearFlags(file, index, page::kMarked);
  if constexpr (Policy::kKernelReadsAhead) {
    ReaderState& state = states_[runner.step->reader];
    const PageOrder order =
        OnMark(state, mount_.limits(), index, request, [&](int64_t page) { return cache_.IsPresent(file, page); });
    if (order.count > 0) return Order(runner, order, &state, {});
  }
  return Then::kGoOn;
}

// As do_read_fault: what is cached around the page is mapped with it. Where the page itself cannot be, because it is
// absent, marked or on its way, filemap_fault sees to that, waits, and has the fault tried again.
template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Touch(Runner& runner) {
  const uint32_t file = runner.pages.file;
  for (; runner.page < runner.pages.end; ++runner.page, runner.asked = runner.is_faulting = false) {
    const uint16_t flags = cache_.Flags(file, runner.page);
    const bool is_ready = (flags & (page::kThere | page::kMarked)) == page::kThere;
    if ((flags & page::kMapped) != 0) {
      cache_.TouchMapped(file, runner.page);
    } else if (is_ready) {
      MapAround(runner);
      runner.now = runner.now + costs_.read;
      return Then::kGoOn;
    } else {
      return Fault(runner, flags);
    }
  }
  runner.stage = Stage::kReadOver;
  return Then::kGoOn;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Fault(Runner& runner, uint16_t flags) {
  ReaderState& state = states_[runner.step->reader];
  if (!std::exchange(runner.is_faulting, true)) {
    if ((flags & page::kThere) != 0 && state.mmap_miss > 0) --state.mmap_miss;
    runner.now = runner.now + costs_.read;
    return Then::kGoOn;
  }
  if ((flags & page::kPresent) == 0) return Miss(runner);
  if ((flags & page::kMarked) != 0) {
    return MeetMark(runner, runner.page, state.ra_pages);
  }
  runner.awaited = runner.page;
  return Await(runner);
}

template <typename Policy>
void Machine<Policy>::MapAround(Runner& runner) {
  constexpr int64_t kAround = 16;
  const uint32_t file = runner.pages.file;
  ReaderState& state = states_[runner.step->reader];
  const int64_t begin = runner.page - runner.page % kAround;
  const int64_t end = std::min(begin + kAround, cache_.PagesOf(file));
  for (int64_t page = begin; page < end; ++page) {
    const uint16_t flags = cache_.Flags(file, page);
    if ((flags & (page::kThere | page::kMarked | page::kMapped)) != page::kThere) continue;
    cache_.SetFlags(file, page, page::kMapped | page::kYoung);
    if ((flags & page::kWorkingSet) == 0 && state.mmap_miss > 0) --state.mmap_miss;
  }
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Advise(Runner& runner) {
  const WorkStep& step = *runner.step;
  ReaderState& state = states_[step.reader];
  runner.stage = Stage::kAdviceSent;
  switch (step.advice) {
    case HostAdvice::kNormal:
    case HostAdvice::kSequential:
    case HostAdvice::kRandom:
    case HostAdvice::kNoReuse:
      Stand(step.reader, step.advice);
      return Then::kGoOn;
    case HostAdvice::kDontNeed: {
      const int64_t begin = (runner.range.begin.value + kPageBytes - 1) / kPageBytes;
      const bool to_end = runner.range.end.value == work_.files[step.file].size.value;
      cache_.Drop(step.file, begin, to_end ? runner.pages.end : runner.range.end.value / kPageBytes);
      return Then::kGoOn;
    }
    case HostAdvice::kWillNeed:
      break;
  }
  const int64_t count = runner.pages.end - runner.pages.begin;
  return Order(runner, ForcedOrder(state, mount_.limits(), runner.pages.begin, count), &state, costs_.advise);
}

template <typename Policy>
void Machine<Policy>::Stand(uint32_t reader, HostAdvice advice) {
  ReaderState& state = states_[reader];
  standing_[reader] = advice;
  if (advice == HostAdvice::kNormal) state.ra_pages = mount_.limits().window;
  if (advice == HostAdvice::kSequential) state.ra_pages = 2 * mount_.limits().window;
  if (advice == HostAdvice::kNormal || advice == HostAdvice::kSequential) state.is_random = false;
  if (advice == HostAdvice::kRandom) state.is_random = true;
}

// What the host advises later replaces it, and it does not replace what the host advised.
template <typename Policy>
void Machine<Policy>::Heed(Decision::Hint hint, ReaderState& state) {
  if (hint != Decision::Hint::kNone) state.is_random = hint == Decision::Hint::kRandom;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Order(Runner& runner, const PageOrder& order, ReaderState* state,
                                                      Nanos cost) {
  const Fetch like{{}, Reads(*runner.step) ? runner.pages : PageRange{}, state};
  const int64_t locked = mount_.Lock(runner.pages.file, order, like, runner.fetches);
  cost = cost + costs_.advise_page * locked;
  if (locked == 0) {
    runner.now = runner.now + cost;
    return Then::kGoOn;
  }
  const bool is_all = senders_.empty() && mount_.Send(runner.now, runner.fetches, runner.first_fetch);
  WakeDropped(runner.now);
  if (is_all) {
    runner.now = runner.now + cost;
    return Then::kGoOn;
  }
  runner.owed = cost;
  runner.has_waited = true;
  senders_.push_back(runner.index);
  return Then::kWait;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Await(Runner& runner) {
  runner.has_waited = true;
  // As the kernel holds on to the pages that a read has found, or two readers could evict each other's for ever.
  cache_.Pin(runner.pages.file, runner.page, runner.awaited + 1);
  waiting_.push_back(runner.index);
  return Then::kWait;
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::EndRead(Runner& runner) {
  constexpr Nanos kSecond{1'000'000'000};
  ++score_.reads;
  if (runner.has_waited) ++score_.waits;
  score_.read_bytes += runner.range.size();
  if (runner.now <= kSecond) score_.first_second_bytes += runner.range.size();
  if (runner.step->kind == StepKind::kRead) {
    if (!runner.range.empty()) states_[runner.step->reader].prev_pos = runner.range.end.value;
    policy_.After(runner, Completion{runner.range, runner.now, runner.now - runner.read_begin});
  }
  policy_.ReadIsOver(runner, mount_);
  return EndStep(runner);
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::EndStep(Runner& runner) {
  ++runner.at;
  runner.stage = Stage::kStep;
  score_.elapsed = std::max(score_.elapsed, runner.now);
  if (!gated_.empty()) OpenGates(runner.now);
  return Then::kGoOn;
}

template <typename Policy>
int64_t Machine<Policy>::CountPresent(uint32_t file, ByteRange piece) const {
  return cache_.CountPresent(file, piece.begin.value / kPageBytes, (piece.end.value - 1) / kPageBytes + 1);
}

}  // namespace ahead::sim
