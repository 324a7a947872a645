// The hot-path filter: may this read pass without a decision? Shared by the shim and the simulator, so that a replay
// takes the same path as the program did. One filter belongs to one open file description.
//
// The policy arms the filter after each decision with what the stream is expected to do next; as long as the host does
// just that, nobody needs to look. The filter remembers how far the host went, and the policy settles that later.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/decision.h"
#include "core/facts.h"
#include "core/places.h"
#include "core/relaxed.h"
#include "core/units.h"

namespace ahead {

// Thread safety: Passes and Absorb may run in any thread at any time, without a lock. A race between two readers of one
// description loses a step, and the next read then simply does not pass. Arm and Settle need the file's lock.
class Filter {
 public:
  enum class Mode : uint8_t {
    kClosed,     // nothing passes
    kForward,    // reads that continue at `expected` and end at or before `limit`
    kBackward,   // reads that end at `expected` and begin at or after `limit`
    kStride,     // reads at `expected`, then one `step` further, of at most `length`; up to `limit` of them
    kPass,       // any read, until `limit` calls were made: the file is known to be cached
    kScattered,  // the same of reads at random: not one that goes on from one before, or lies beside it
  };

  // How many scattered reads pass before one is looked at: it tells whether the file is cached by now. To look at a
  // read takes some 4 us where the processor was elsewhere meanwhile.
  static constexpr int64_t kScatteredReads = 64;
  // Longer ones are looked at.
  static constexpr ByteCount kLongestScattered{64 << 10};

  // What the host did since the filter was armed.
  struct Run {
    Mode mode = Mode::kClosed;
    StreamId stream;
    ByteOffset anchor;    // where it was armed; kScattered: where the last read but one began
    ByteOffset expected;  // where the host is now; kScattered: where the last read began
    int64_t reads = 0;    // how many reads were absorbed
    bool broken = false;  // kPass only: the reads did not follow each other
  };

  // Returns whether a read of [begin, begin + count) may go ahead unobserved. Cost: a few loads.
  bool Passes(ByteOffset begin, ByteCount count) const {
    const int64_t expected = expected_.load(std::memory_order_relaxed);
    const int64_t limit = limit_.load(std::memory_order_relaxed);
    switch (mode_.load(std::memory_order_relaxed)) {
      case Mode::kForward:
        return begin.value == expected && count.value <= limit - expected;
      case Mode::kBackward:
        return begin.value == expected - count.value && begin.value >= limit;
      case Mode::kStride:
        return begin.value == expected && reads_.load(std::memory_order_relaxed) < limit &&
               count.value <= length_.load(std::memory_order_relaxed);
      case Mode::kPass:
        return reads_.load(std::memory_order_relaxed) < limit;
      case Mode::kScattered:
        return reads_.load(std::memory_order_relaxed) < limit && IsScattered(begin, count);
      case Mode::kClosed:
        break;
    }
    return false;
  }

  // Counts a read that passed and returned `count` bytes from `begin`. A read that returned nothing (count 0) is
  // counted as nothing; after one that failed (count < 0) nothing passes any more.
  void Absorb(ByteOffset begin, ByteCount count) {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (count.value <= 0) {
      if (count.value < 0) limit_.store(mode == Mode::kBackward ? INT64_MAX : 0, std::memory_order_relaxed);
      return;
    }
    reads_.store(reads_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    int64_t next = begin.value + count.value;
    if (mode == Mode::kBackward) next = begin.value;
    if (mode == Mode::kStride) next = begin.value + step_.load(std::memory_order_relaxed);
    if (mode == Mode::kPass && begin.value != expected_.load(std::memory_order_relaxed))
      broken_.store(true, std::memory_order_relaxed);
    if (mode == Mode::kScattered) places_.Add({begin, begin + count});
    expected_.store(next, std::memory_order_relaxed);
  }

  // Closes the filter and returns what passed since it was armed.
  Run Settle();

  // Makes it what it was when Settle returned `run`, so that what settles it next finds just that: for a record of what
  // was found, and for a replay of it.
  void Restore(const Run& run);

  // Closes it and forgets what passed, for another description.
  void Reset() { Arm(Mode::kClosed, {}, {}, 0); }

  void ArmForward(StreamId stream, ByteOffset expected, ByteOffset limit);
  void ArmBackward(StreamId stream, ByteOffset expected, ByteOffset limit);
  // Lets `reads` reads of at most `length` bytes pass, the first at `expected`, each `step` after the one before.
  void ArmStride(StreamId stream, ByteOffset expected, ByteCount step, ByteCount length, int64_t reads);
  // Lets `calls` reads pass, whatever they are; `stream` (or none) continues at `expected`.
  void ArmPass(StreamId stream, ByteOffset expected, int64_t calls);
  // Lets kScatteredReads reads pass that are at random, also beside `read`, the last one, and beside those that passed
  // when it was armed so before. Not one that lies in `window`, which may be empty.
  void ArmScattered(ByteRange read, ByteRange window);

 private:
  bool IsScattered(ByteOffset begin, ByteCount count) const {
    // Of the window the two places where a stride has its own.
    return count <= kLongestScattered && begin < ByteOffset{kLargestFile.value} &&
           (begin.value >= length_.load(std::memory_order_relaxed) ||
            begin.value + count.value <= step_.load(std::memory_order_relaxed)) &&
           !places_.IsNear({begin, begin + count});
  }
  void Arm(Mode mode, StreamId stream, ByteOffset expected, int64_t limit);

  std::atomic<Mode> mode_{Mode::kClosed};
  std::atomic<bool> broken_{false};
  std::atomic<int64_t> expected_{0};
  std::atomic<int64_t> limit_{0};
  std::atomic<int64_t> step_{0};
  std::atomic<int64_t> length_{0};
  std::atomic<int64_t> reads_{0};
  // Used under the file's lock, except that the description may have become another file's by then.
  Relaxed<int64_t> anchor_;
  Relaxed<StreamId> stream_;
  Places places_;
};

}  // namespace ahead
