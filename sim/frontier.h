// Which of several settings is not beaten by another in everything? Time, waste and memory are traded for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"

namespace ahead::sim {

// What a setting came to; less is better in all.
struct Standing {
  double time = 0;  // beside the defaults': 1 is as fast
  ByteCount wasted;
  ByteCount peak_ahead;

  bool operator==(const Standing&) const = default;
};

// Says whether `a` is as good as `b` in everything, and better in something.
bool Beats(const Standing& a, const Standing& b);

// Returns, for each of them, how many layers of better ones lie above it: 0 for those on the frontier. Of equal ones
// none beats the other. Cost: in proportion to the square of their number.
std::vector<size_t> LayersOf(std::span<const Standing> standings);

// Returns the `count` to go on with, as ascending indices: from the frontier inwards; within a layer first those that
// equal none before them, the fastest, then the least wasteful, then the first. All when there are not more.
std::vector<size_t> BestOf(std::span<const Standing> standings, size_t count);

// A round of successive halving: how many settings take part, and how many cells of the table they have run in the end.
struct HalvingRound {
  size_t settings = 0;
  size_t cells = 0;

  bool operator==(const HalvingRound&) const = default;
};

// Plans rounds in which settings are halved and cells doubled, so that each costs about as much as the one before and
// the last runs all cells: with few settings left, or `least`, whichever is more.
// Source: Jamieson and Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS
// 2016; ours ends when `least` are left, because not one setting is sought but a frontier.
std::vector<HalvingRound> PlanHalving(size_t settings, size_t cells, size_t least);

}  // namespace ahead::sim
