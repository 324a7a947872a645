// Where were the last reads of a description that is read at random? So that one which is not at random is told at the
// price of two loads: it goes on where one of them ended, or lies beside one in a cluster, or is as far from the last
// as that was from the one before.
#pragma once

#include <cstdint>

#include "core/relaxed.h"
#include "core/units.h"

namespace ahead {

// Thread safety: may be used by several threads without a lock; a race costs a place.
class Places {
 public:
  // Notes a read.
  void Add(ByteRange read) {
    const int64_t last = last_;
    hop_ = read.begin.value - last;
    last_ = read.begin.value;
    const uint32_t unit = UnitOf(read.end.value - 1);
    PlaceOf(unit) = unit;
  }

  // Where the last read began, and the one before. Others may add reads meanwhile: both are places all the same.
  ByteOffset last() const { return {last_}; }
  ByteOffset before() const {
    const int64_t before = last_ - hop_;
    return {before > 0 ? before : 0};
  }
  // Makes them what they were.
  void Restore(ByteOffset before, ByteOffset last) {
    last_ = last.value;
    hop_ = last.value - before.value;
  }

  // Says whether a read is near one that was noted: the next of a stream forward or a few units backward, another one
  // in its cluster, or the next of a stride. The same unit again is not. The first read of a file is: it may be
  // anyone's.
  bool IsNear(ByteRange read) const {
    if (read.begin.value <= 0) return true;
    const uint32_t before = UnitOf(read.begin.value - 1);
    const uint32_t noted = PlaceOf(before);
    if (noted / kCluster == before / kCluster && noted != UnitOf(read.end.value - 1)) return true;
    const int64_t hop = hop_;
    return hop != 0 && read.begin.value - last_ == hop;
  }

 private:
  static constexpr uint32_t kCluster = 16;  // units
  // Of reads of which one in ten is a scan's the last of that is still known in 92 of 100 cases, and at random in a
  // file of 512 MiB one in 64 lies in a cluster that is known.
  static constexpr int kBits = 7;

  // In units of 4 KiB, of which the number is cut: another place may be taken for one that was noted. Zero is none.
  static constexpr uint32_t UnitOf(int64_t offset) { return static_cast<uint32_t>(offset >> 12) + kCluster; }
  static constexpr size_t IndexOf(uint32_t unit) { return unit / kCluster * 0x9e3779b1 >> (32 - kBits); }
  Relaxed<uint32_t>& PlaceOf(uint32_t unit) { return units_[IndexOf(unit)]; }
  const Relaxed<uint32_t>& PlaceOf(uint32_t unit) const { return units_[IndexOf(unit)]; }

  Relaxed<int64_t> last_ = 0;
  Relaxed<int64_t> hop_ = 0;
  Relaxed<uint32_t> units_[size_t{1} << kBits] = {};
};

}  // namespace ahead
