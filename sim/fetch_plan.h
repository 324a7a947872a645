// What would somebody fetch, and in which order, who knew all reads beforehand? The oracle's list.
//
// Each page that is read at all is fetched once, in the order in which pages are first read, in pieces as large as one
// request may be: a piece grows from the first page missing, forwards and then backwards, over neighbours that are
// needed as well. Only over those needed soon, though, or interleaved readers would be served far beyond the memory
// that the oracle may keep ahead of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"
#include "sim/workload.h"

namespace ahead::sim {

struct FetchPiece {
  uint32_t file = 0;
  ByteRange range;
  uint32_t needed_by = 0;  // the first read that touches it
};

struct FetchPlan {
  std::vector<FetchPiece> pieces;
  // Read i needs the pieces needs[k], first_need[i] <= k < first_need[i + 1].
  std::vector<uint32_t> needs;
  std::vector<size_t> first_need;
  ByteCount bytes;

  // Returns the pieces that hold what read `index` reads.
  std::span<const uint32_t> NeededBy(size_t index) const {
    return std::span(needs).subspan(first_need[index], first_need[index + 1] - first_need[index]);
  }
};

struct FetchLimits {
  ByteCount piece{128 << 10};
  ByteCount horizon{32 << 20};  // of first-read bytes: how far a neighbour may be from being needed
  ByteCount page{4096};
};

// Cost: memory and time in proportion to the pages read.
FetchPlan PlanFetches(const Workload& work, const FetchLimits& limits);

}  // namespace ahead::sim
