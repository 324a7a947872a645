#include "core/filter.h"

namespace ahead {

Filter::Run Filter::Settle() {
  Run run;
  run.mode = mode_.load(std::memory_order_relaxed);
  mode_.store(Mode::kClosed, std::memory_order_relaxed);
  run.stream = stream_;
  run.anchor = {anchor_};
  run.expected = {expected_.load(std::memory_order_relaxed)};
  run.reads = reads_.load(std::memory_order_relaxed);
  run.broken = broken_.load(std::memory_order_relaxed);
  if (run.mode == Mode::kScattered) {
    run.anchor = places_.before();
    run.expected = places_.last();
  }
  reads_.store(0, std::memory_order_relaxed);
  return run;
}

void Filter::Restore(const Run& run) {
  stream_ = run.stream;
  anchor_ = run.anchor.value;
  expected_.store(run.expected.value, std::memory_order_relaxed);
  if (run.mode == Mode::kScattered) places_.Restore(run.anchor, run.expected);
  reads_.store(run.reads, std::memory_order_relaxed);
  broken_.store(run.broken, std::memory_order_relaxed);
  mode_.store(run.mode, std::memory_order_relaxed);
}

void Filter::ArmForward(StreamId stream, ByteOffset expected, ByteOffset limit) {
  Arm(Mode::kForward, stream, expected, limit.value);
}

void Filter::ArmBackward(StreamId stream, ByteOffset expected, ByteOffset limit) {
  Arm(Mode::kBackward, stream, expected, limit.value);
}

void Filter::ArmStride(StreamId stream, ByteOffset expected, ByteCount step, ByteCount length, int64_t reads) {
  step_.store(step.value, std::memory_order_relaxed);
  length_.store(length.value, std::memory_order_relaxed);
  Arm(Mode::kStride, stream, expected, reads);
}

void Filter::ArmPass(StreamId stream, ByteOffset expected, int64_t calls) { Arm(Mode::kPass, stream, expected, calls); }

void Filter::ArmScattered(ByteRange read, ByteRange window) {
  places_.Add(read);
  step_.store(window.begin.value, std::memory_order_relaxed);
  length_.store(window.end.value, std::memory_order_relaxed);
  Arm(Mode::kScattered, {}, read.end, kScatteredReads);
}

void Filter::Arm(Mode mode, StreamId stream, ByteOffset expected, int64_t limit) {
  stream_ = stream;
  anchor_ = expected.value;
  expected_.store(expected.value, std::memory_order_relaxed);
  limit_.store(limit, std::memory_order_relaxed);
  reads_.store(0, std::memory_order_relaxed);
  broken_.store(false, std::memory_order_relaxed);
  mode_.store(mode, std::memory_order_relaxed);
}

}  // namespace ahead
