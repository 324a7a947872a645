// Burst mode before a disk with an arm: how long is the disk left alone, and does the reader ever wait? A film of 8
// Mbit/s in reads of 64 KiB, 15 a second.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/lab.h"
#include "sim/machine.h"
#include "sim/mount.h"
#include "sim/policies.h"

namespace ahead::sim {
namespace {

constexpr ByteCount kRead = 64_KiB;
constexpr int64_t kMegabyte = 1'000'000;
constexpr Nanos kBetween{65'536'000};

// What a run looked like from the disk, and from the reader.
struct Seen {
  Nanos elapsed;
  Nanos long_idle;      // in gaps of 60 s and more
  Nanos slowest;        // of the reads
  int64_t held_up = 0;  // reads that took more than 2 ms
  ByteCount bytes;
  ByteCount read_bytes;
  ByteCount wasted;
  int64_t readahead = 0;  // pages, as hits and waste
  int64_t hits = 0;
  int64_t waste = 0;

  double idle_share() const { return static_cast<double>(long_idle.value) / static_cast<double>(elapsed.value); }
};

// The engine, and how long its readers were held up, its own calls included.
class WatchedPolicy : public EnginePolicy {
 public:
  using EnginePolicy::EnginePolicy;

  void Plan(Runner& runner, const WorkStep& step) {
    began_ = runner.now;
    EnginePolicy::Plan(runner, step);
  }
  void ReadIsOver(Runner& runner, Mount& mount) {
    if (runner.step->fresh) return;
    const Nanos took = runner.now - began_;
    slowest_ = std::max(slowest_, took);
    held_up_ += took > 2_ms ? 1 : 0;
    EnginePolicy::ReadIsOver(runner, mount);
  }
  Nanos slowest() const { return slowest_; }
  int64_t held_up() const { return held_up_; }

 private:
  Nanos began_;
  Nanos slowest_;
  int64_t held_up_ = 0;
};

class BurstTest : public testing::Test {
 protected:
  BurstTest() {
    device_ = *FindLabDevice("hdd");
    options_.max_time = 180;
    AddFile();
  }

  void AddFile(ByteCount size = 4_GiB) {
    work_.files.push_back({"film", 1, work_.files.size() + 1, size});
    work_.readers = work_.threads = static_cast<uint32_t>(work_.files.size());
  }

  // Plays `length` from `offset` on.
  void Play(Nanos length, int64_t offset, uint32_t file = 0, ByteCount read = kRead) {
    for (const Nanos end = now_ + length; now_ < end; now_ = now_ + kBetween) {
      WorkStep step;
      step.file = step.reader = step.thread = file;
      step.fresh = std::none_of(work_.steps.begin(), work_.steps.end(),
                                [&](const WorkStep& other) { return other.reader == file; });
      step.range = {{offset}, {offset + read.value}};
      step.begin = step.end = now_;
      work_.steps.push_back(step);
      offset += read.value;
    }
  }
  void Pause(Nanos length) { now_ = now_ + length; }

  Seen Run() {
    std::stable_sort(work_.steps.begin(), work_.steps.end(),
                     [](const WorkStep& a, const WorkStep& b) { return a.begin < b.begin; });
    const Schedule schedule(work_);
    Mount mount(work_, device_);
    std::vector<Nanos> idle;
    mount.LogIdleTo(&idle);
    DriverFacts facts;
    facts.kernel_leads = device_.is_local;
    WatchedPolicy policy(work_, options_, facts, schedule.lanes.size());
    Seen seen;
    const MachineScore score = Machine<WatchedPolicy>(work_, schedule, mount, HostCosts{}, policy).Run();
    policy.driver().CloseAll();
    seen.elapsed = score.elapsed;
    // The last gap counts whatever its length: only the end of the film cuts it short.
    seen.long_idle = score.elapsed - mount.idle_since();
    for (const Nanos gap : idle) {
      if (gap >= 60_s) seen.long_idle = seen.long_idle + gap;
    }
    seen.held_up = policy.held_up();
    seen.slowest = policy.slowest();
    seen.bytes = mount.bytes();
    seen.read_bytes = score.read_bytes;
    seen.wasted = ByteCount{kPageBytes} * (mount.cache().counts().lost_unread + mount.cache().counts().ahead);
    const Ledger ledger = policy.driver().ledger();
    for (size_t cls = 0; cls < kClassCount; ++cls) {
      seen.readahead += static_cast<int64_t>(ledger.pages(Event::readahead, static_cast<Class>(cls)));
      seen.hits += static_cast<int64_t>(ledger.pages(Event::readahead_hit, static_cast<Class>(cls)));
      seen.waste += static_cast<int64_t>(ledger.pages(Event::readahead_waste, static_cast<Class>(cls)));
    }
    return seen;
  }

  Workload work_;
  LabDevice device_;
  Options options_;
  Nanos now_;
};

TEST_F(BurstTest, DiskIsLeftAloneWhileAFilmIsPlayed) {
  Play(3600_s, 0);
  const Seen seen = Run();
  EXPECT_GE(seen.idle_share(), 0.95);
  EXPECT_LT(seen.slowest, 1_ms);
  EXPECT_EQ(seen.readahead, seen.hits + seen.waste);
  EXPECT_LE(seen.wasted, 181_MiB) << "the last burst";
}

TEST_F(BurstTest, WithoutItTheDiskIsNeverLeftAlone) {
  options_.max_time = 0;
  Play(600_s, 0);
  EXPECT_LT(Run().long_idle, 1_s);
}

TEST_F(BurstTest, PausedFilmIsNotFetchedFor) {
  int64_t at = 0;
  for (const Nanos pause : {60_s, 600_s, 60_s, 600_s, 60_s, 600_s}) {
    Play(200_s, at);
    at = work_.steps.back().range.end.value;
    Pause(pause);
  }
  const Seen seen = Run();
  EXPECT_GE(seen.idle_share(), 0.95);
  EXPECT_LT(seen.slowest, 1_ms);
}

TEST_F(BurstTest, JumpBeginsAModestBurst) {
  for (int64_t part = 0; part < 4; ++part) Play(300_s, part * 1000 * kMegabyte / 65536 * 65536);
  const Seen seen = Run();
  EXPECT_GE(seen.idle_share(), 0.9);
  EXPECT_LE(seen.held_up, 5) << "at the jumps";
  EXPECT_LT(seen.slowest, 20_ms) << "a seek";
}

TEST_F(BurstTest, FrequentJumpsAreNotGivenWholeBursts) {
  for (int64_t part = 0; part < 60; ++part) Play(20_s, part * 37 % 60 * 65 * kMegabyte / 65536 * 65536);
  const Seen seen = Run();
  EXPECT_LE(seen.wasted, ByteCount{60 * 20 * kMegabyte}) << "no more than was read";
  EXPECT_LE(seen.held_up, 60);
}

TEST_F(BurstTest, StreamsBurstTogether) {
  AddFile(1_GiB);
  Play(1200_s, 0);
  now_ = 47_s;
  Play(1153_s, 0, 1, 4_KiB);
  const Seen seen = Run();
  EXPECT_GE(seen.idle_share(), 0.9);
  EXPECT_LT(seen.slowest, 20_ms) << "there is one arm";
}

}  // namespace
}  // namespace ahead::sim
