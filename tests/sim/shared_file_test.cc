// Sixteen threads read one file through one descriptor, each a part of its own or all the blocks of one sequence in
// turn: the share of what perfect knowledge gains, on links of three latencies, and never slower than the kernel alone.
#include <gtest/gtest.h>

#include "sim/score.h"

namespace ahead::sim {
namespace {

constexpr int64_t kThreads = 16;
constexpr int64_t kBlock = 64 << 10;
constexpr int64_t kEach = 96;  // blocks of a thread

enum class Share { kParts, kInTurn };

// `pause`: between two reads of a thread.
Workload ByThreads(Share share, Nanos pause) {
  Workload work;
  work.files.push_back({"file", 1, 1, {kThreads * kEach * kBlock}});
  work.readers = 1;
  work.threads = kThreads;
  for (int64_t i = 0; i < kEach; ++i) {
    for (int64_t thread = 0; thread < kThreads; ++thread) {
      WorkStep step;
      step.thread = static_cast<uint32_t>(thread);
      const int64_t block = share == Share::kParts ? thread * kEach + i : i * kThreads + thread;
      step.range = {{block * kBlock}, {(block + 1) * kBlock}};
      step.fresh = work.steps.empty();
      // All first reads are recorded as under way at once, or else the threads would follow each other.
      step.begin = i == 0 ? Nanos{thread + 1} : 1_ms + pause * (i * kThreads + thread) / kThreads;
      step.end = i == 0 ? 1_ms : step.begin;
      work.steps.push_back(step);
    }
  }
  return work;
}

// At 0.2 ms there is little to gain but the first blocks, of which the first sixteen are asked for at once.
struct Cell {
  Share share;
  Nanos latency;
  double gain;  // at least
};

class SharedFileTest : public testing::TestWithParam<Cell> {};

TEST_P(SharedFileTest, GainsItsShareAndIsNeverSlowerThanTheKernelAlone) {
  LabDevice device;
  device.parameters = NetParameters{GetParam().latency, 500'000'000};
  const Comparison row = Compare(ByThreads(GetParam().share, 4_ms), device, {});
  const auto time = [](const RunScore& score) { return static_cast<double>(score.lab.elapsed.value); };
  const double gain = (time(row.kernel) - time(row.ahead)) / (time(row.kernel) - time(row.oracle));
  EXPECT_GE(gain, GetParam().gain);
  EXPECT_LE(time(row.ahead), time(row.kernel));
  EXPECT_EQ(row.ahead.lab.bytes, row.none.lab.bytes);
}

INSTANTIATE_TEST_SUITE_P(Cells, SharedFileTest,
                         testing::Values(Cell{Share::kParts, 200_us, 0.0}, Cell{Share::kParts, 2_ms, 0.7},
                                         Cell{Share::kParts, 20_ms, 0.7}, Cell{Share::kInTurn, 200_us, 0.5},
                                         Cell{Share::kInTurn, 2_ms, 0.7}, Cell{Share::kInTurn, 20_ms, 0.7}),
                         [](const auto& each) {
                           return std::string(each.param.share == Share::kParts ? "Parts" : "InTurn") +
                                  std::to_string(each.param.latency.value / 1000) + "us";
                         });

}  // namespace
}  // namespace ahead::sim
