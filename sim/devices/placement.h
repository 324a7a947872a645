// Where do files lie on a disk? By inode number, one after the other: file systems put files that were made one after
// the other beside each other, and number them in that order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.h"

namespace ahead::sim {

// A place on a device, in bytes from its beginning.
using Position = ByteOffset;

struct PlacedFile {
  uint64_t inode = 0;
  ByteCount size;
};

// Files in ascending order of their inode numbers from position 0 on, each beginning at a page. An unknown file has a
// place of its own beyond them, which follows from its number alone: slot `inode % 1024` of 64 MiB each.
//
// Thread safety: as of a constant.
class Placement {
 public:
  Placement() = default;

  // Takes the files in any order; of several with one number, the largest size counts.
  explicit Placement(std::vector<PlacedFile> files);

  // Returns where byte `offset` of the file is; offsets outside the file count on from its beginning all the same.
  // Cost: logarithmic in the number of files.
  Position Of(uint64_t inode, ByteOffset offset) const;

  // Returns where the last known file ends, rounded up to a page.
  Position end() const { return end_; }

 private:
  struct Start {
    uint64_t inode;
    Position position;
  };

  std::vector<Start> starts_;  // ascending
  Position end_{};
};

}  // namespace ahead::sim
