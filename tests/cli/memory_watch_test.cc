#include "cli/memory_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "cli/environment.h"
#include "cli/run_segment.h"
#include "stats/segment_map.h"
#include "tests/cli/fake_machine.h"

namespace ahead::cli {
namespace {

// A run in a cgroup of a machine where all is made up but its segment.
class MemoryWatchTest : public testing::Test {
 protected:
  MemoryWatchTest() {
    auto made = RunSegment::Create(Environment(std::vector<std::string>{}));
    if (made.ok()) run_.emplace(*std::move(made));
    if (run_) segment_ = MapSegmentFile(run_->path().c_str(), MapMode::kOpen);
    machine_.Put("proc/self/cgroup", "0::/a\n");
    machine_.Put(kFolder + "cgroup.type", "domain\n");
    SetLimit(64);
    SetUsed(1);
  }
  ~MemoryWatchTest() override {
    if (segment_) UnmapSegment(segment_);
  }
  void SetUp() override { ASSERT_TRUE(segment_); }

  void SetLimit(int mib) { machine_.Put(kFolder + "memory.max", std::to_string(int64_t{mib} << 20) + "\n"); }
  void SetUsed(int mib) { machine_.Put(kFolder + "memory.current", std::to_string(int64_t{mib} << 20) + "\n"); }
  void SetStalled(Nanos stalled) {
    machine_.Put(kFolder + "memory.pressure", "some avg10=0.00 total=" + std::to_string(stalled.value / 1000) + "\n");
  }
  ByteCount Said() const { return {segment_->memory_bytes}; }

  const std::string kFolder = "sys/fs/cgroup/a/";
  const test::FakeMachine machine_;
  std::optional<RunSegment> run_;
  SegmentView segment_;
};

TEST_F(MemoryWatchTest, LimitThatIsLoweredWhileTheRunLastsIsSaidInItsSegment) {
  MemoryWatch watch(run_->path(), machine_.root());
  watch.LookAt(1_s);
  EXPECT_EQ(Said(), 48_MiB);
  SetLimit(16);
  watch.LookAt(2_s);
  EXPECT_EQ(Said(), 12_MiB);
  SetLimit(64);
  watch.LookAt(3_s);
  EXPECT_EQ(Said(), 48_MiB);
}

TEST_F(MemoryWatchTest, PressureIsTheShareOfTheTimeBetweenTwoLooks) {
  MemoryWatch watch(run_->path(), machine_.root());
  SetUsed(40);
  SetStalled(100_s);
  watch.LookAt(1_s);
  EXPECT_EQ(Said(), 24_MiB) << "what was before counts for nothing";
  SetStalled(100_s + 300_ms);
  watch.LookAt(5_s);
  EXPECT_EQ(Said(), 24_MiB) << "7.5 %";
  SetStalled(100_s + 500_ms);
  watch.LookAt(6_s);
  EXPECT_EQ(Said(), 12_MiB) << "20 %";
}

TEST_F(MemoryWatchTest, WhereNothingCanBeReadAnyMoreWhatWasSaidStands) {
  MemoryWatch watch(run_->path(), machine_.root());
  watch.LookAt(1_s);
  machine_.Remove("proc");
  watch.LookAt(2_s);
  EXPECT_EQ(Said(), 48_MiB);
}

TEST_F(MemoryWatchTest, LooksLessOftenWhileNothingMoves) {
  MemoryWatch watch(run_->path(), machine_.root());
  Block* const block = ClaimBlock(segment_, getpid());
  ASSERT_NE(block, nullptr);
  TellHeld(*block, {1 << 20, 1});
  EXPECT_EQ(watch.LookAt(1_s), MemoryWatch::kOften);
  EXPECT_EQ(watch.LookAt(2_s), 2 * MemoryWatch::kOften);
  for (int i = 0; i < 5; ++i) watch.LookAt(4_s);
  EXPECT_EQ(watch.LookAt(40_s), MemoryWatch::kRarely);
  TellHeld(*block, {2 << 20, 1});
  EXPECT_EQ(watch.LookAt(48_s), MemoryWatch::kOften);
}

TEST_F(MemoryWatchTest, WithoutASegmentThereIsNothingToDo) {
  EXPECT_EQ(MemoryWatch("", machine_.root()).LookAt(1_s), Chore::kNever);
  EXPECT_EQ(MemoryWatch("/nonexistent", machine_.root()).LookAt(1_s), Chore::kNever);
}

}  // namespace
}  // namespace ahead::cli
