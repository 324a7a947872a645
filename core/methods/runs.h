// What do a file's runs of reads say of the next one? A run is a row of reads that follow each other; between two runs
// lies a jump. Where the last runs had similar length, the next will (method onseek). Where distances and lengths
// repeat themselves, places and lengths of all that follow are known (cycle.h).
//
// Source of the first: Wu Fengguang, Adaptive readahead V15, seek based method, where runs were counted per open file
// by hits on fresh pages. The second is the delta correlation of Nesbit and Smith (HPCA 2004), over runs instead of
// misses.
#pragma once

#include "core/cycle.h"
#include "core/units.h"

namespace ahead {

// Thread safety: none.
class RunLog {
 public:
  // Takes each read of the file in turn. Returns whether it begins a new run. `page`: how far a read may overlap the
  // one that it continues.
  bool Observe(ByteRange read, ByteCount page);

  // Reads went by that were not told.
  void Interrupt() {
    known_ = 0;
    row_ = row_before_ = {};
  }

  // Returns whether the last read began a run.
  bool is_new() const { return is_new_; }

  // These concern the run that began last.

  // Returns how much to fetch from its begin on: with h1 the newest run before it, the shorter of h1 and h2 if h1 >
  // h2/2, h2 > h3/2 and h3 > h1/2; else 0.
  ByteCount AlikeLength() const;

  // The reader took what is known of it as fast as it could.
  void NoteHaste() { bursts_[newest_] = lengths_[newest_] < kMostBurst ? lengths_[newest_] : bursts_[newest_]; }

  // Returns whether the runs before it, three at the most, are all `least` or longer; and the most that was taken of
  // one of them in haste.
  bool AreLong(ByteCount least) const;
  ByteCount LongestBurst() const;

  // Returns the length of the longest of the three runs before it that are `least` or longer; 0 if none is.
  ByteCount LongestLength(ByteCount least) const;

  // Returns whether it goes on with a cycle that the runs before it went through once, and again for half of it or
  // `needed` runs, whichever is more, or for one where runs are long; where the read `is_covered` by a window of
  // another stream, which would explain it as well, four times `needed`. `cycle` then begins with this run.
  bool FindCycle(Cycle& cycle, bool is_covered, ByteCount page) const;

  // Returns whether it lies on a line of single reads of its size, each at most a page off its place. `cycle` then has
  // one run, as much longer and earlier as the reads lie apart. Only where that is at most a tenth of what is read.
  bool FindLine(Cycle& cycle, ByteCount page) const;

  // Returns whether it is the second of a row of runs that are alike and a constant distance apart, as were the many of
  // the row before it. `cycle` then goes through as many, and so on from row to row.
  bool FindRows(Cycle& cycle, ByteCount page) const;

  // A cycle found here did not come true; one did.
  void Doubt() { needed_ = needed_ < kMostNeeded ? needed_ * 2 : kMostNeeded; }
  void Trust() { needed_ = kNeeded; }

 private:
  static constexpr int32_t kNeeded = 2;
  static constexpr int32_t kMostNeeded = 16;
  static constexpr int32_t kRuns = 40;       // a cycle of 16 runs, and all of it again, and some
  static constexpr int32_t kLeastRow = 8;    // runs: fewer are soon found one by one
  static constexpr int64_t kLongPages = 32;  // no run that is this long is alike by chance

  static constexpr int32_t kMostBurst = (1 << 20) + (128 << 10);  // later ones are not a buffer that is filled first

  // Runs of one length a constant distance apart, of which the last one may go on.
  struct Row {
    int64_t begin = 0;
    int64_t last = 0;  // where the last of them begins
    int64_t step = 0;  // 0 while there is one
    int32_t length = 0;
    int32_t count = 0;
  };

  // Run `age` runs before the last one; age 0 is that itself.
  int64_t BeginOf(int32_t age) const { return begins_[(newest_ + kRuns - age) % kRuns]; }
  int64_t LengthOf(int32_t age) const { return lengths_[(newest_ + kRuns - age) % kRuns]; }
  int64_t BurstOf(int32_t age) const { return bursts_[(newest_ + kRuns - age) % kRuns]; }
  bool IsLong(int32_t age, ByteCount page) const { return LengthOf(age) >= kLongPages * page.value; }
  bool Repeats(int32_t period, int32_t needed, ByteCount page) const;
  void ExtendRow(int64_t begin);

  int64_t begins_[kRuns] = {};
  int32_t lengths_[kRuns] = {};
  int32_t bursts_[kRuns] = {};
  int32_t newest_ = 0;
  int32_t known_ = 0;  // runs, at most kRuns
  bool is_new_ = false;
  int32_t needed_ = kNeeded;
  ByteOffset end_;  // of the last run
  Row row_;
  Row row_before_;
};

}  // namespace ahead
