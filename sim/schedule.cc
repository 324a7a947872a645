#include "sim/schedule.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace ahead::sim {
namespace {

// A lane under construction.
struct Open {
  std::vector<Nanos> ends;  // of its reads, ascending
  uint32_t thread = 0;      // the one it carries now
};

std::vector<Nanos> LastEnds(const Workload& work) {
  std::vector<Nanos> ends(work.threads);
  for (const WorkStep& read : work.steps) ends[read.thread] = std::max(ends[read.thread], read.end);
  return ends;
}

// Returns the lane whose threads are all over by `begin`, the one that ended last; or a new one.
size_t FreeLane(const std::vector<Open>& open, const std::vector<Nanos>& last_ends, Nanos begin) {
  size_t best = open.size();
  for (size_t lane = 0; lane < open.size(); ++lane) {
    const Nanos end = last_ends[open[lane].thread];
    if (end <= begin && (best == open.size() || end > last_ends[open[best].thread])) best = lane;
  }
  return best;
}

Gate GateAt(const std::vector<Open>& open, size_t position, Nanos begin) {
  Gate gate;
  gate.read = static_cast<uint32_t>(position);
  for (const Open& lane : open) {
    const auto done = std::upper_bound(lane.ends.begin(), lane.ends.end(), begin) - lane.ends.begin();
    gate.done_reads.push_back(static_cast<uint32_t>(done));
  }
  return gate;
}

}  // namespace

std::vector<Lane> MakeLanes(const Workload& work) {
  const std::vector<Nanos> last_ends = LastEnds(work);
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> lane_of(work.threads, kNone);
  std::vector<Lane> lanes;
  std::vector<Open> open;
  for (uint32_t index = 0; index < work.steps.size(); ++index) {
    const WorkStep& read = work.steps[index];
    size_t& lane = lane_of[read.thread];
    if (lane == kNone) {
      lane = FreeLane(open, last_ends, read.begin);
      if (lane == lanes.size()) lanes.emplace_back(), open.emplace_back();
      open[lane].thread = read.thread;
      lanes[lane].gates.push_back(GateAt(open, lanes[lane].reads.size(), read.begin));
    }
    lanes[lane].reads.push_back(index);
    std::vector<Nanos>& ends = open[lane].ends;
    ends.push_back(ends.empty() ? read.end : std::max(read.end, ends.back()));
  }
  return lanes;
}

std::vector<Nanos> ThinkTimes(const Workload& work) {
  std::vector<Nanos> think;
  std::vector<Nanos> thread_ends(work.threads);
  std::vector<bool> has_read(work.threads);
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> running;  // ends of reads, the earliest on top
  int64_t last_end = work.steps.empty() ? 0 : work.steps.front().begin.value;
  for (const WorkStep& read : work.steps) {
    for (; !running.empty() && running.top() <= read.begin.value; running.pop())
      last_end = std::max(last_end, running.top());
    const Nanos since = has_read[read.thread] ? thread_ends[read.thread] : Nanos{last_end};
    think.push_back({std::max<int64_t>(0, (read.begin - since).value)});
    has_read[read.thread] = true;
    thread_ends[read.thread] = read.end;
    running.push(read.end.value);
  }
  return think;
}

}  // namespace ahead::sim
