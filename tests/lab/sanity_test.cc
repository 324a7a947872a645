// Is what the laboratory says possible? What must hold of every trace on every device, whatever the core decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/lab/score_file.h"

namespace ahead::lab_test {
namespace {

using sim::LabDevice;
using sim::LabDevices;
using sim::LabPolicies;
using sim::LabPolicy;
using sim::LabPolicyKind;
using sim::LabScore;
using sim::Workload;

std::map<LabPolicyKind, LabScore> RunAll(const Workload& work, const LabDevice& device) {
  std::map<LabPolicyKind, LabScore> scores;
  for (const LabPolicy& policy : LabPolicies()) scores[policy.kind] = RunCell(work, device, policy);
  return scores;
}

class SanityTest : public testing::TestWithParam<NamedTrace> {
 protected:
  const Workload work_ = Load(GetParam());
};

// Fixed windows are left out: they may read a whole file in large requests where little of it is wanted, and win by it
// on a disk of few requests; the oracle fetches what is read and nothing else. It keeps to the recorded order of the
// threads, and where sixteen of them race for one offset another order may be two per cent better.
TEST_P(SanityTest, PerfectKnowledgeIsNotSlowerThanTheKernelOrTheEngine) {
  for (const LabDevice& device : LabDevices()) {
    const auto scores = RunAll(work_, device);
    const int64_t oracle = scores.at(LabPolicyKind::kOracle).elapsed.value;
    for (const LabPolicyKind kind : {LabPolicyKind::kNone, LabPolicyKind::kKernelLike, LabPolicyKind::kAdaptive}) {
      const int64_t guess = scores.at(kind).elapsed.value;
      EXPECT_LE(oracle, guess + guess / 48) << device.name << ", policy " << int(kind);
    }
  }
}

// What the kernel does by itself is what a user gives up. Of a few per mille is made what a stride costs whose requests
// are small, and the order in which threads come.
TEST_P(SanityTest, TheEngineIsNowhereSlowerThanTheKernelByMoreThanAFiftieth) {
  for (const LabDevice& device : LabDevices()) {
    const auto scores = RunAll(work_, device);
    const int64_t kernel = scores.at(LabPolicyKind::kKernelLike).elapsed.value;
    EXPECT_LE(scores.at(LabPolicyKind::kAdaptive).elapsed.value, kernel + kernel / 50) << device.name;
  }
}

TEST_P(SanityTest, NothingIsReadThatWasNotFetched) {
  for (const LabDevice& device : LabDevices()) {
    const ByteCount least = LeastBytes(work_, device.memory);
    for (const auto& [kind, score] : RunAll(work_, device))
      EXPECT_GE(score.bytes.value, least.value) << device.name << ", policy " << int(kind);
  }
}

TEST_P(SanityTest, WithoutReadaheadJustThePagesReadAreFetched) {
  for (const LabDevice& device : LabDevices()) {
    if (device.memory.value != 0) continue;
    const LabScore none = RunAll(work_, device).at(LabPolicyKind::kNone);
    EXPECT_EQ(none.bytes, LeastBytes(work_, device.memory)) << device.name;
    EXPECT_EQ(none.wasted_bytes.value, 0) << device.name;
  }
}

TEST_P(SanityTest, WhatWasWastedOrRepeatedCameBesideWhatIsNeeded) {
  const ByteCount needed = LeastBytes(work_, ByteCount{});
  for (const LabDevice& device : LabDevices()) {
    for (const auto& [kind, score] : RunAll(work_, device)) {
      const auto message = testing::Message() << device.name << ", policy " << int(kind);
      EXPECT_GE(score.wasted_bytes.value, 0) << message;
      EXPECT_LE(score.wasted_bytes.value, score.bytes.value - needed.value) << message;
      EXPECT_LE(score.repeated_bytes.value, score.bytes.value - needed.value) << message;
      EXPECT_LE(score.waits, score.reads) << device.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trace, SanityTest, testing::ValuesIn(CommittedTraces()), [](const auto& trace) {
  std::string name = trace.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(LabTest, RandomReadsCostNoMoreThanWithTheKernelAlone) {
  for (const NamedTrace& trace : CommittedTraces()) {
    if (trace.name != "random") continue;
    const Workload work = Load(trace);
    for (const LabDevice& device : LabDevices()) {
      const auto scores = RunAll(work, device);
      const LabScore& kernel = scores.at(LabPolicyKind::kKernelLike);
      const LabScore& adaptive = scores.at(LabPolicyKind::kAdaptive);
      EXPECT_LE(adaptive.requests, kernel.requests + kernel.requests / 50) << device.name;
      EXPECT_LE(adaptive.bytes.value, kernel.bytes.value + kernel.bytes.value / 50) << device.name;
    }
    return;
  }
  FAIL() << "no trace of random reads";
}

TEST(LabTest, ThreadsChangeNothing) {
  std::vector<Workload> works;
  for (const NamedTrace& trace : CommittedTraces()) works.push_back(Load(trace));
  std::vector<sim::LabCell> cells;
  for (uint32_t work = 0; work < works.size(); ++work)
    for (uint32_t device = 0; device < LabDevices().size(); ++device) cells.push_back({work, device, 3});
  const auto alone = RunCells(works, LabDevices(), LabPolicies(), cells, 1);
  const auto together = RunCells(works, LabDevices(), LabPolicies(), cells, 0);
  ASSERT_EQ(alone.size(), together.size());
  for (size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].digest, together[i].digest);
    EXPECT_EQ(alone[i].elapsed, together[i].elapsed);
  }
}

}  // namespace
}  // namespace ahead::lab_test
