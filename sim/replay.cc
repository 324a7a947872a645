#include "sim/replay.h"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "sim/schedule.h"

namespace ahead::sim {
namespace {

constexpr Nanos kSecond{1'000'000'000};
// A longer read is made in parts, so that the buffers stay small.
constexpr int64_t kMostAtOnce = 8 << 20;

void SleepUntil(Nanos time) {
  const timespec until{time.value / kSecond.value, time.value % kSecond.value};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

// Returns the bytes read, or -1.
int64_t ReadFully(int fd, ByteRange range, std::vector<char>& buffer) {
  int64_t sum = 0;
  while (sum < range.size().value) {
    const auto part = static_cast<size_t>(std::min(kMostAtOnce, range.size().value - sum));
    if (buffer.size() < part) buffer.resize(part);
    const ssize_t got = pread(fd, buffer.data(), part, range.begin.value + sum);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    sum += got;
    if (static_cast<size_t>(got) < part) break;
  }
  return sum;
}

// One run: lanes that start together and wait for each other at their gates.
template <typename Policy>
class Run {
 public:
  Run(const Workload& work, const RealFiles& files, const std::vector<Nanos>& think, Policy& policy)
      : work_(work),
        files_(files),
        think_(think),
        policy_(policy),
        lanes_(MakeLanes(work)),
        done_(new std::atomic<uint32_t>[lanes_.size()]()),
        results_(lanes_.size()),
        ready_(static_cast<std::ptrdiff_t>(lanes_.size()) + 1),
        go_(1) {}

  ReplayResult Perform() {
    std::vector<std::thread> threads;
    for (size_t lane = 0; lane < lanes_.size(); ++lane) threads.emplace_back([this, lane] { Follow(lane); });
    ready_.arrive_and_wait();
    start_ = MonotonicNow();
    policy_.Start();
    go_.count_down();
    for (std::thread& thread : threads) thread.join();
    return Sum();
  }

 private:
  struct LaneResult {
    ReplayResult sum;
    Nanos end;
  };

  void Follow(size_t lane_index) {
    const Lane& lane = lanes_[lane_index];
    prctl(PR_SET_TIMERSLACK, 1);
    std::vector<char> buffer;
    for (const uint32_t read : lane.reads)
      buffer.resize(std::max(
          buffer.size(),
          static_cast<size_t>(std::min(kMostAtOnce, std::max<int64_t>(0, work_.steps[read].range.size().value)))));
    ready_.arrive_and_wait();
    go_.wait();
    Nanos end = start_;
    auto gate = lane.gates.begin();
    for (uint32_t at = 0; at < lane.reads.size(); ++at) {
      if (gate != lane.gates.end() && gate->read == at) end = std::max(end, Pass(*gate++));
      if (!think_.empty() && think_[lane.reads[at]].value > 0) SleepUntil(end + think_[lane.reads[at]]);
      end = Perform(lane.reads[at], buffer, results_[lane_index].sum);
      done_[lane_index].store(at + 1, std::memory_order_release);
      if (lanes_.size() > 1) done_[lane_index].notify_all();
    }
    results_[lane_index].end = end;
  }

  // Waits until the lanes have come as far as the gate demands. Returns when that was so.
  Nanos Pass(const Gate& gate) {
    for (size_t lane = 0; lane < gate.done_reads.size(); ++lane) {
      for (uint32_t seen = done_[lane].load(std::memory_order_acquire); seen < gate.done_reads[lane];
           seen = done_[lane].load(std::memory_order_acquire))
        done_[lane].wait(seen, std::memory_order_acquire);
    }
    return MonotonicNow();
  }

  Nanos Perform(uint32_t index, std::vector<char>& buffer, ReplayResult& sum) {
    const WorkStep& read = work_.steps[index];
    const Nanos before = MonotonicNow();
    policy_.Before(index);
    const Nanos begin = MonotonicNow();
    const int64_t got = ReadFully(files_.reader(read.reader), read.range, buffer);
    const Nanos end = MonotonicNow();
    const ByteCount count{std::max<int64_t>(got, 0)};
    policy_.After(index, {{read.range.begin, read.range.begin + count}, end, end - begin});
    ++sum.reads;
    sum.bytes += count;
    if (end - start_ <= kSecond) sum.first_second_bytes += count;
    sum.longest_read = std::max(sum.longest_read, end - before);
    if (end - before > kWait) ++sum.waited_reads;
    if (got < 0) ++sum.failed_reads;
    if (got >= 0 && count < Clipped(work_, read).size()) ++sum.short_reads;
    return end;
  }

  ReplayResult Sum() const {
    ReplayResult all;
    Nanos end = start_;
    for (const LaneResult& lane : results_) {
      all.reads += lane.sum.reads;
      all.bytes += lane.sum.bytes;
      all.first_second_bytes += lane.sum.first_second_bytes;
      all.longest_read = std::max(all.longest_read, lane.sum.longest_read);
      all.waited_reads += lane.sum.waited_reads;
      all.short_reads += lane.sum.short_reads;
      all.failed_reads += lane.sum.failed_reads;
      end = std::max(end, lane.end);
    }
    all.elapsed = end - start_;
    all.threads = lanes_.size();
    all.files = work_.files.size();
    all.ahead = policy_.counts();
    return all;
  }

  const Workload& work_;
  const RealFiles& files_;
  const std::vector<Nanos>& think_;
  Policy& policy_;
  const std::vector<Lane> lanes_;
  std::unique_ptr<std::atomic<uint32_t>[]> done_;  // reads, by lane
  std::vector<LaneResult> results_;
  std::latch ready_;
  std::latch go_;
  Nanos start_;
};

template <typename Policy>
ReplayResult Perform(const Workload& work, const RealFiles& files, const std::vector<Nanos>& think, Policy&& policy) {
  return Run<std::remove_reference_t<Policy>>(work, files, think, policy).Perform();
}

}  // namespace

absl::StatusOr<ReplayResult> ReplayForReal(const Workload& work, const ReplayOptions& options) {
  const absl::StatusOr<RealFiles> files = RealFiles::Open(work, options.policy == ReplayPolicy::kOracle);
  if (!files.ok()) return files.status();
  const std::vector<Nanos> think = options.think ? ThinkTimes(work) : std::vector<Nanos>{};
  FetchPlan plan;
  if (options.policy == ReplayPolicy::kOracle) plan = PlanFetches(work, FetchLimits{});
  if (options.cold) {
    if (const absl::Status evicted = files->Evict(); !evicted.ok()) return evicted;
  }
  switch (options.policy) {
    case ReplayPolicy::kNone:
      return Perform(work, *files, think, RealNone());
    case ReplayPolicy::kFixed:
      return Perform(work, *files, think, RealFixed(work, *files, options.window, FetchLimits{}.piece));
    case ReplayPolicy::kAhead:
      return Perform(work, *files, think, RealAhead(work, *files, options.engine));
    case ReplayPolicy::kOracle:
      break;
  }
  files->SetRandom();
  return Perform(work, *files, think, RealOracle(plan, *files, options.in_flight, options.ahead));
}

}  // namespace ahead::sim
