#include "sim/frontier.h"

#include <algorithm>
#include <tuple>

namespace ahead::sim {

bool Beats(const Standing& a, const Standing& b) {
  return a.time <= b.time && a.wasted <= b.wasted && a.peak_ahead <= b.peak_ahead && !(a == b);
}

std::vector<size_t> LayersOf(std::span<const Standing> standings) {
  constexpr size_t kOpen = SIZE_MAX;
  std::vector<size_t> layers(standings.size(), kOpen);
  size_t left = standings.size();
  for (size_t layer = 0; left > 0; ++layer) {
    std::vector<size_t> on_it;
    for (size_t i = 0; i < standings.size(); ++i) {
      if (layers[i] != kOpen) continue;
      bool is_beaten = false;
      for (size_t j = 0; j < standings.size() && !is_beaten; ++j)
        is_beaten = layers[j] == kOpen && Beats(standings[j], standings[i]);
      if (!is_beaten) on_it.push_back(i);
    }
    for (const size_t i : on_it) layers[i] = layer;
    left -= on_it.size();
  }
  return layers;
}

std::vector<size_t> BestOf(std::span<const Standing> standings, size_t count) {
  const std::vector<size_t> layers = LayersOf(standings);
  std::vector<size_t> order(standings.size()), equals_before(standings.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    equals_before[i] =
        static_cast<size_t>(std::count(standings.begin(), standings.begin() + static_cast<ptrdiff_t>(i), standings[i]));
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Standing &left = standings[a], &right = standings[b];
    return std::make_tuple(layers[a], equals_before[a], left.time, left.wasted.value, a) <
           std::make_tuple(layers[b], equals_before[b], right.time, right.wasted.value, b);
  });
  if (order.size() > count) order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<HalvingRound> PlanHalving(size_t settings, size_t cells, size_t least) {
  std::vector<size_t> counts = {settings};
  while (counts.back() > std::max<size_t>(least, 1)) counts.push_back(std::max((counts.back() + 1) / 2, least));
  std::vector<HalvingRound> rounds;
  for (size_t round = 0; round < counts.size(); ++round) {
    const size_t halvings = counts.size() - 1 - round;
    const size_t share = halvings < 63 ? (cells + (size_t{1} << halvings) - 1) >> halvings : 1;
    // With few cells several rounds would run the same ones: the first of them tells.
    if (!rounds.empty() && rounds.back().cells == share) continue;
    rounds.push_back({counts[round], share});
  }
  return rounds;
}

}  // namespace ahead::sim
