// Are the reads of a file in clusters: the pages of one place in any order, then those of another? Databases and
// archives read so that keep what belongs together in extents. Then the first read of a place says what else will be
// read.
//
// The file is looked at in blocks of 16 pages. Of the last few that were read in no stream it is known which pages were
// read. A block is whole when of its pages as many were read as may be fetched for each page read (option hit_rate; by
// default all of them). While the last blocks that ended were whole, the next one is fetched at its first read. Before
// anything is known, so is what is left of a block of which half was read. A block that was fetched and not read whole
// closes that, and it takes twice as many whole ones to open it again: clusters that come and go do not flap.
#pragma once

#include <cstdint>

#include "core/track.h"

namespace ahead {

// Thread safety: none.
class Clusters {
 public:
  static constexpr int64_t kBlock = 16;  // pages
  // Blocks that are read at the same time.
  static constexpr int kBlocks = 8;

  // What is known of the block of a read.
  struct Block {
    int64_t index = -1;
    uint32_t read = 0;        // its pages, a bit each
    int32_t count = 0;        // how many
    int32_t size = kBlock;    // pages that the file has of it
    uint32_t tick = 0;        // when it was last read
    bool is_fetched = false;  // whole, by the engine
    bool is_exempt = false;   // whether it is read whole says nothing
  };

  // Takes a read in no stream. Returns its block, null when it lies in more than one. `file_pages`: the file's;
  // `rate`: pages that may be fetched for one that is read, at least 1. `is_second`: the first read of the block, if
  // this is the first that is told, was one before it.
  Block* Note(SlotRange pages, int64_t file_pages, int64_t rate, bool is_second = false);
  // Takes one of a stream: it counts for blocks that were found otherwise.
  void NoteInStream(SlotRange pages, int64_t rate);
  // Says whether the block is to be fetched now.
  bool IsDue(const Block& block, int64_t rate) const;
  // The block was in memory already; reads went by that were not told.
  void NoteCached(int64_t index);
  void Interrupt();

  bool is_open() const { return in_row_ >= needed_; }

 private:
  static constexpr int32_t kMostNeeded = 64;
  // Blocks that may be fetched while of those before not half is read, before any was whole: random reads after a phase
  // in order otherwise had a block fetched for each of the first eight (`bench/sizing/run.py --rows phases`: 480 KiB).
  static constexpr int32_t kFewUnread = 2;
  static int32_t Enough(const Block& block, int64_t rate);
  void Add(Block& block, SlotRange pages, int64_t rate);
  void End(Block& block, int64_t rate);

  Block blocks_[kBlocks];
  uint32_t tick_ = 0;
  int32_t in_row_ = 0;  // blocks that were whole
  int32_t needed_ = 1;
  int32_t kept_ = 0;  // blocks in a row that were fetched and read whole, at most kBlocks
};

}  // namespace ahead
