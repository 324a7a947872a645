// By how much do the readers of a stream overtake each other? Threads that take the blocks of one sequence in turn come
// to them out of order: what one has left out, another is about to read. Such blocks are the stream's, although they
// lie behind it, or a little beyond what was fetched for it.
//
// Only a stream whose reads were under way at the same time has several readers; and one of them that looks things up
// at random, and so now and then behind the others, does not yet make a sequence read out of order: a part of what is
// read has to come so.
// Source: zfs's prefetcher keeps blocks that come within zfetch_max_reorder of a stream as that stream's
// (module/zfs/dmu_zfetch.c). Here the distance is as far as was seen, for it is also as far as two readers may be apart
// and be taken for one.
#pragma once

#include <cstdint>

namespace ahead {

// Thread safety: none.
class Overtaking {
 public:
  // A read of the stream begins.
  void OnBegin() {
    is_shared_ = is_shared_ || under_way_ > 0;
    ++under_way_;
  }
  // It is over. Who never comes to that leaves the stream shared.
  void OnEnd() { under_way_ -= under_way_ > 0 ? 1 : 0; }

  // So many slots were read, in order.
  void OnInOrder(int64_t slots) {
    Note(slots, 0);
    ahead_ = ahead_ > slots ? ahead_ - slots : 0;
  }
  // So many slots are read, of the `span` that end with them and begin with the first not read. Returns whether the
  // foremost reader is there now: enough of the span was read.
  bool OnAhead(int64_t slots, int64_t span) {
    Note(slots, 0);
    if (!is_shared_) return true;
    ahead_ += slots;
    if (ahead_ * kFill < span) return false;
    ahead_ = 0;
    return true;
  }
  // So many slots were read that had been fetched for the stream and lay `behind` slots behind its foremost reader.
  void OnBehind(int64_t slots, int64_t behind) {
    if (!is_shared_) return;
    Note(slots, slots);
    if (behind > farthest_) farthest_ = behind < kMost ? behind : kMost;
  }

  // Returns whether several readers were in the stream at the same time.
  bool was_shared() const { return is_shared_; }
  // Returns that, or whether one is and another comes now.
  bool is_shared() const { return is_shared_ || under_way_ > 0; }
  // Returns how far apart they may be, in slots; 0 while they come in order.
  int64_t reach() const { return behind_ * kPart >= all_ ? farthest_ : 0; }

 private:
  // Of 16 threads that take blocks in turn half of the blocks come behind another; of a scan beside random reads, a
  // hundredth.
  static constexpr int64_t kPart = 8;
  // Slots that evidence lasts for; of pages, 1 MiB.
  static constexpr int64_t kMemory = 256;
  static constexpr int64_t kMost = 1024;
  static constexpr int64_t kFill = 4;  // zfs's zfetch_hole_shift is 2: a quarter

  void Note(int64_t slots, int64_t behind) {
    if (slots <= 0) return;
    all_ += slots < kMemory ? slots : kMemory;
    behind_ += behind < kMemory ? behind : kMemory;
    if (all_ < kMemory) return;
    all_ /= 2;
    behind_ /= 2;
  }

  int32_t under_way_ = 0;  // reads that began and are not over, as far as is seen
  bool is_shared_ = false;
  int64_t all_ = 0;  // slots read of late, and how many of them behind
  int64_t behind_ = 0;
  int64_t farthest_ = 0;
  int64_t ahead_ = 0;  // slots read beyond the first that is not
};

}  // namespace ahead
