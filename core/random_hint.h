// Is a file read at random, so that what the kernel reads ahead by itself is for nothing? Says when its descriptions
// should carry FADV_RANDOM, and when that should end (methods/hint.cc).
#pragma once

#include <cstdint>

#include "core/units.h"

namespace ahead {

// Thread safety: none.
class RandomHint {
 public:
  static constexpr int32_t kFewReads = 32;
  static constexpr int32_t kMostReads = 1 << 20;
  // Reads in no stream that one in a stream outweighs: one read in ten, and nearly one in five, may be a scan's. With
  // 8, where one in nine is even, the advice came and went by chance: 29.2 to 36.2 MiB for a scan among nine times as
  // many random reads, 28.8 with 3 and 4, 28.4 with nothing read ahead (random_reads_test.cc).
  static constexpr int32_t kPerStreamRead = 4;
  // What the kernel fetches beside one read in sixteen is worth it: with 4 or 8 instead the look-ups of sqlite-lookup
  // take 1.077 and 1.015 times as long as bare on net-20ms, with 16 0.986 (ahead score). Reads in clusters of 16 pages,
  // of which one in ten goes on where another ended, are left to the kernel by that; with 4 they cost 26.9 MiB instead
  // of 37, and 1.04 times the time (random_reads_test.cc).
  static constexpr int32_t kPerFollowing = 16;

  void OnRandom(int64_t reads = 1) {
    reads_ = reads < needed_ - reads_ ? reads_ + static_cast<int32_t>(reads) : reads_ > needed_ ? reads_ : needed_;
    if (is_proved()) may_pass_ = true;
  }
  // A read in no stream that goes on where one of the last few hundred ended: of more readers than the trail can tell
  // apart, whom the kernel serves well.
  bool Follows(ByteRange read, ByteCount page) {
    const auto place = [&](int64_t offset) -> uint32_t& {
      return ends_[static_cast<uint64_t>(offset / page.value) * 0x9e3779b97f4a7c15 >> 56];
    };
    const auto mark = [&](int64_t offset) { return static_cast<uint32_t>(offset / page.value + 1); };
    const bool follows = read.begin.value > 0 && place(read.begin.value) == mark(read.begin.value);
    place(read.end.value) = mark(read.end.value);
    return follows;
  }
  void OnFollowing() { Lose(kPerFollowing); }
  // A read in a stream that the engine carries.
  void OnCarried() { Lose(kPerStreamRead); }
  // The same of one that only the kernel can be ahead of.
  void OnKernels() {
    reads_ = 0;
    is_given_ = may_pass_ = false;
  }

  bool is_proved() const { return reads_ >= needed_; }
  // Says whether reads at random need not be looked at. So it stays until some more in streams come: a scan among them
  // ends it no more than it ends the advice.
  bool may_pass() const { return may_pass_; }
  bool is_refuted() const { return reads_ == 0; }
  // Says whether the file was last found to be read at random.
  bool is_given() const { return is_given_; }

  // The advice is given. It is not taken back more slowly the second time.
  void OnGiven() {
    reads_ = kFewReads;
    is_given_ = may_pass_ = true;
  }
  void OnWithdrawn() {
    reads_ = 0;
    is_given_ = may_pass_ = false;
    needed_ = needed_ < kMostReads ? needed_ * 2 : kMostReads;
  }

 private:
  void Lose(int32_t reads) {
    reads_ = reads_ > reads ? reads_ - reads : 0;
    is_given_ = is_given_ && reads_ > 0;
    may_pass_ = may_pass_ && reads_ >= kFewReads / 2;
  }

  int32_t reads_ = 0;  // in no stream, less those that others outweigh
  int32_t needed_ = kFewReads;
  bool is_given_ = false;
  bool may_pass_ = false;
  uint32_t ends_[256] = {};  // pages where reads ended, plus one
};

}  // namespace ahead
