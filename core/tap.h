// How much of what is fetched ahead is read? Closes the tap quickly and opens it slowly. One for each stream, one for
// each file and one for each process.
//
// What was fetched is settled page by page: used, or given up unread. The share given up is a moving average with two
// speeds: 256 wasted pages, one startup window, take it half of the way to 1, and it takes twice as many used ones to
// take it half of the way back. Up to two fifths nothing is held back; of a steady waste of 25 % it makes two fifths.
// Beyond four fifths nothing is fetched but what is certain, which is what a stream that has read a piece in a row may
// have (methods/proof.cc); that is also how the tap opens again: such windows are small, and read to their end.
// Narrower bounds, a quarter and three quarters at a speed of 1024 pages, cost sqlite-scan half of what it gains, which
// leaves parts out and comes back for them (ahead score: 0.94 -> 0.80 on net-2ms).
// Source: the share of prefetched and dropped buffers in Seastar's file streams; TCP's quick fall and slow rise.
#pragma once

#include <cstdint>

#include "core/relaxed.h"

namespace ahead {

// Thread safety: that of a process is used under different files' locks: a lost update costs one lesson.
class Tap {
 public:
  static constexpr int64_t kWhole = 1024;

  void OnUsed(int64_t pages) {
    const int64_t waste = waste_;
    waste_ = waste - Part(waste, pages, kFall);
    if (pages > 0) is_new_ = false;
  }
  void OnWasted(int64_t pages) {
    const int64_t waste = waste_;
    waste_ = waste + Part(kScale - waste, pages, kRise);
    if (pages > 0) is_new_ = false;
  }

  // Returns whether nothing was settled yet.
  bool is_new() const { return is_new_; }

  // Returns what of a guess may be fetched, in 1/kWhole: all of it while little is wasted, 0 when most is.
  int64_t opening() const {
    const int64_t waste = waste_;
    if (waste <= kScale * 2 / 5) return kWhole;
    if (waste >= kScale * 4 / 5) return 0;
    return (kScale * 4 / 5 - waste) * kWhole / (kScale * 2 / 5);
  }
  // Returns the share wasted, in 1/kWhole.
  int64_t waste() const { return waste_ / (kScale / kWhole); }

 private:
  static constexpr int64_t kScale = int64_t{1} << 30;
  static constexpr int64_t kRise = 256;
  static constexpr int64_t kFall = 512;
  // What `pages` settled pages take of `rest`, 1 - 1 / (1 + pages / speed): never more than all of it, however many.
  static int64_t Part(int64_t rest, int64_t pages, int64_t speed) {
    constexpr int64_t kMost = int64_t{1} << 30;
    if (pages <= 0) return 0;
    if (pages > kMost) pages = kMost;
    return rest * pages / (pages + speed);
  }

  Relaxed<int64_t> waste_ = 0;
  Relaxed<bool> is_new_ = true;
};

}  // namespace ahead
