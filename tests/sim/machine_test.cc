// What a simulated machine does with reads, to the nanosecond: the host's work takes no time here, so that times are
// those of the device, 2 ms and 0.04 ms a page.
#include "sim/machine.h"

#include <gtest/gtest.h>

#include "sim/lab_run.h"

namespace ahead::sim {
namespace {

constexpr HostCosts kNoCosts{{}, {}, {}, {}, {}, {}};
constexpr Nanos kPageTime{40'960};

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    device_.parameters = NetParameters{2_ms, 100'000'000};
    device_.in_flight = 2;
    work_.files.push_back({"file", 1, 1, 1_MiB});
    work_.readers = work_.threads = 1;
  }

  void Read(int64_t page, int64_t pages, uint32_t thread = 0) {
    WorkStep read;
    read.range = {{page * 4096}, {(page + pages) * 4096}};
    read.thread = read.reader = thread;
    read.end = 1_us;  // so that threads ran side by side
    work_.threads = work_.readers = std::max(work_.threads, thread + 1);
    work_.steps.push_back(read);
  }
  LabScore Run(LabPolicyKind kind) {
    return RunOn(work_, Schedule(work_), device_, {"", kind, {}, 64_KiB}, kNoCosts).lab;
  }

  Workload work_;
  LabDevice device_;
};

TEST_F(MachineTest, AbsentReadWaitsAndPresentReadDoesNot) {
  Read(5, 1), Read(5, 1);
  const LabScore score = Run(LabPolicyKind::kNone);
  EXPECT_EQ(score.elapsed, 2_ms + kPageTime);
  EXPECT_EQ(score.waits, 1);
  EXPECT_EQ(score.reads, 2);
  EXPECT_EQ(score.requests, 1);
  EXPECT_EQ(score.bytes, 4_KiB);
}

TEST_F(MachineTest, EachWaitCostsATripAndTheDeviceNone) {
  Read(0, 1, 0), Read(16, 1, 1), Read(0, 1, 0);
  HostCosts costs = kNoCosts;
  costs.trip = 1_ms;
  const LabScore score = RunOn(work_, Schedule(work_), device_, {"", LabPolicyKind::kNone, {}, {}}, costs).lab;
  EXPECT_EQ(score.elapsed, 2_ms + kPageTime * 2 + 1_ms);
}

TEST_F(MachineTest, ThreadsWaitSideBySide) {
  Read(0, 1, 0), Read(16, 1, 1);
  EXPECT_EQ(Run(LabPolicyKind::kNone).elapsed, 2_ms + kPageTime * 2);
}

TEST_F(MachineTest, ThreadsWaitForOneAnothersRequest) {
  Read(0, 2, 0), Read(1, 1, 1);
  const LabScore score = Run(LabPolicyKind::kNone);
  EXPECT_EQ(score.elapsed, 2_ms + kPageTime * 2);
  EXPECT_EQ(score.requests, 1);
  EXPECT_EQ(score.waits, 2);
}

TEST_F(MachineTest, FullMountBlocksTheCaller) {
  Read(0, 1, 0), Read(16, 1, 1), Read(32, 1, 2);
  EXPECT_EQ(Run(LabPolicyKind::kNone).elapsed, 2_ms + kPageTime + 2_ms + kPageTime);
}

TEST_F(MachineTest, PagesFetchedAndNotReadAreWasted) {
  Read(0, 1);
  const LabScore score = Run(LabPolicyKind::kKernelLike);  // four pages
  EXPECT_EQ(score.bytes, 16_KiB);
  EXPECT_EQ(score.wasted_bytes, 12_KiB);
  EXPECT_EQ(score.peak_ahead, 12_KiB);
}

TEST_F(MachineTest, ReadEndsAtTheEndOfTheFile) {
  Read(255, 10), Read(256, 1), Read(300, 1);
  const LabScore score = Run(LabPolicyKind::kNone);
  EXPECT_EQ(score.read_bytes, 4_KiB);
  EXPECT_EQ(score.bytes, 4_KiB);
  EXPECT_EQ(score.reads, 3);
}

TEST_F(MachineTest, NothingIsReadOfNothing) {
  for (const LabPolicy& policy : LabPolicies()) {
    EXPECT_EQ(RunCell(work_, device_, policy).elapsed, Nanos{}) << policy.name;
    Workload empty;
    empty.files.push_back({"empty", 1, 1, {}});
    empty.readers = empty.threads = 1;
    empty.steps.emplace_back().range = {{0}, {4096}};
    const LabScore score = RunCell(empty, device_, policy);
    EXPECT_EQ(score.requests, 0) << policy.name;
    EXPECT_EQ(score.reads, 1) << policy.name;
  }
}

}  // namespace
}  // namespace ahead::sim
