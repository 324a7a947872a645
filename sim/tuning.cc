#include "sim/tuning.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

namespace ahead::sim {
namespace {

constexpr double kAsFast = 1.01;
constexpr double kWorthIt = 1.02;

// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014: the same everywhere, which what
// std::shuffle makes of a seed is not.
uint64_t NextRandom(uint64_t& state) {
  uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

// Returns all cells of the table, in random order; their policy is still to be said.
std::vector<LabCell> Shuffled(size_t works, size_t devices, uint64_t seed) {
  std::vector<LabCell> cells;
  for (uint32_t work = 0; work < works; ++work)
    for (uint32_t device = 0; device < devices; ++device) cells.push_back({work, device, 0});
  for (size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[NextRandom(seed) % i]);
  return cells;
}

// The defaults, and one to compare with them.
size_t LeastOf(size_t least) { return std::max<size_t>(least, 2); }

class Halving {
 public:
  Halving(std::span<const Workload> works, std::span<const LabDevice> devices, std::span<const Options> settings,
          const TuningPlan& plan)
      : works_(works),
        devices_(devices),
        plan_(plan),
        cells_(Shuffled(works.size(), devices.size(), plan.seed)),
        outcomes_(settings.size(), std::vector<std::optional<Outcome>>(cells_.size())) {
    for (const Options& options : settings) policies_.push_back({"", LabPolicyKind::kAdaptive, options, {}});
    for (size_t i = 0; i < settings.size(); ++i) alive_.push_back(i);
  }

  Tuning Run(const std::function<void()>& on_cell, const std::atomic<bool>* stop) {
    const auto is_stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
    for (const HalvingRound& round : PlanHalving(policies_.size(), cells_.size(), LeastOf(plan_.least))) {
      if (alive_.size() > round.settings) Thin(round.settings);
      RunRound(round.cells, on_cell, stop);
      if (is_stopped()) break;
    }
    return Result();
  }

 private:
  struct Place {
    size_t setting = 0;
    size_t cell = 0;
  };
  struct Outcome {
    Nanos elapsed;
    ByteCount wasted;
    ByteCount peak_ahead;
  };

  // The defaults first, without which nothing can be compared when it is stopped; then the others cell by cell.
  void RunRound(size_t end, const std::function<void()>& on_cell, const std::atomic<bool>* stop) {
    std::vector<Place> defaults, others;
    for (size_t cell = ran_; cell < end; ++cell)
      for (const size_t setting : alive_) (setting == 0 ? defaults : others).push_back({setting, cell});
    RunAt(defaults, on_cell, stop);
    RunAt(others, on_cell, stop);
    ran_ = end;
  }

  void RunAt(const std::vector<Place>& places, const std::function<void()>& on_cell, const std::atomic<bool>* stop) {
    std::vector<LabCell> cells;
    for (const Place& place : places) {
      LabCell& cell = cells.emplace_back(cells_[place.cell]);
      cell.policy = static_cast<uint32_t>(place.setting);
    }
    const auto on_done = [&](size_t index, const LabScore& score) {
      outcomes_[places[index].setting][places[index].cell] =
          Outcome{score.elapsed, score.wasted_bytes, score.peak_ahead};
      if (on_cell) on_cell();
    };
    RunCells(works_, devices_, policies_, cells, plan_.threads, on_done, stop);
  }

  // Goes on with the `count` best, the defaults in any case.
  void Thin(size_t count) {
    const std::vector<size_t> columns = CommonCells(alive_);
    std::vector<Standing> standings;
    for (const size_t setting : alive_) standings.push_back(StandingOf(setting, columns));
    // The first of the standings is that of the defaults.
    std::vector<size_t> best = BestOf(standings, count);
    if (best.front() != 0) {
      best = BestOf(standings, count - 1);
      best.insert(best.begin(), 0);
    }
    std::vector<size_t> kept;
    for (const size_t each : best) kept.push_back(alive_[each]);
    alive_ = kept;
  }

  std::vector<size_t> CommonCells(const std::vector<size_t>& settings) const {
    std::vector<size_t> common;
    for (size_t cell = 0; cell < cells_.size(); ++cell)
      if (std::all_of(settings.begin(), settings.end(), [&](size_t i) { return outcomes_[i][cell].has_value(); }))
        common.push_back(cell);
    return common;
  }

  Standing StandingOf(size_t setting, const std::vector<size_t>& cells) const {
    Standing standing;
    double logarithms = 0;
    for (const size_t cell : cells) {
      const Outcome &own = *outcomes_[setting][cell], &base = *outcomes_[0][cell];
      logarithms += std::log(static_cast<double>(std::max<int64_t>(own.elapsed.value, 1)) /
                             static_cast<double>(std::max<int64_t>(base.elapsed.value, 1)));
      standing.wasted += own.wasted;
      standing.peak_ahead = std::max(standing.peak_ahead, own.peak_ahead);
    }
    standing.time = cells.empty() ? 1 : std::exp(logarithms / static_cast<double>(cells.size()));
    return standing;
  }

  Tuning Result() const {
    Tuning tuning;
    tuning.all_cells = cells_.size();
    std::vector<size_t> settings = alive_;
    std::vector<size_t> columns = CommonCells(settings);
    if (columns.empty()) {
      // Stopped before all had run the same: those that ran the cell that most of them ran, the defaults among them.
      size_t most = 0;
      for (size_t cell = 0; cell < cells_.size(); ++cell) {
        const auto ran = [&](size_t i) { return outcomes_[i][cell].has_value(); };
        const auto count = static_cast<size_t>(std::count_if(settings.begin(), settings.end(), ran));
        if (!ran(0) || count <= most) continue;
        most = count;
        columns = {cell};
      }
      if (!columns.empty()) std::erase_if(settings, [&](size_t i) { return !outcomes_[i][columns[0]]; });
    }
    if (columns.empty()) settings.clear();
    std::vector<Standing> standings;
    for (const size_t setting : settings) standings.push_back(StandingOf(setting, columns));
    const std::vector<size_t> layers = LayersOf(standings);
    for (size_t i = 0; i < settings.size(); ++i) tuning.tuned.push_back({settings[i], standings[i], layers[i]});
    tuning.cells = settings.empty() ? 0 : columns.size();
    tuning.is_complete = tuning.cells == tuning.all_cells;
    return tuning;
  }

  std::span<const Workload> works_;
  std::span<const LabDevice> devices_;
  TuningPlan plan_;
  std::vector<LabCell> cells_;
  std::vector<LabPolicy> policies_;                            // by setting
  std::vector<std::vector<std::optional<Outcome>>> outcomes_;  // by setting and cell
  std::vector<size_t> alive_;                                  // ascending; the first is 0
  size_t ran_ = 0;                                             // cells so far
};

}  // namespace

Tuning Tune(std::span<const Workload> works, std::span<const LabDevice> devices, std::span<const Options> settings,
            const TuningPlan& plan, const std::function<void()>& on_cell, const std::atomic<bool>* stop) {
  return Halving(works, devices, settings, plan).Run(on_cell, stop);
}

size_t CellsToRun(size_t settings, size_t cells, size_t least) {
  size_t sum = 0, ran = 0;
  for (const HalvingRound& round : PlanHalving(settings, cells, LeastOf(least))) {
    sum += round.settings * (round.cells - ran);
    ran = round.cells;
  }
  return sum;
}

size_t Recommend(const Tuning& tuning) {
  if (tuning.tuned.empty()) return 0;
  const auto time_of = [](const Tuned& tuned) { return tuned.standing.time; };
  const auto by_time = [&](const Tuned& a, const Tuned& b) { return time_of(a) < time_of(b); };
  const double fastest = time_of(*std::min_element(tuning.tuned.begin(), tuning.tuned.end(), by_time));
  if (time_of(tuning.tuned[0]) <= fastest * kWorthIt) return 0;
  const auto key = [&](size_t i) {
    const Standing& standing = tuning.tuned[i].standing;
    return std::make_tuple(standing.wasted.value, standing.peak_ahead.value, i);
  };
  std::optional<size_t> best;
  for (size_t i = 0; i < tuning.tuned.size(); ++i)
    if (time_of(tuning.tuned[i]) <= fastest * kAsFast && (!best || key(i) < key(*best))) best = i;
  return *best;
}

}  // namespace ahead::sim
