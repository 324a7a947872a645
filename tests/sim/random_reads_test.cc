// Do random reads cost what they cost without the engine, whatever the kernel's own window? Counted at the simulated
// device, beside the kernel alone and the kernel under FADV_RANDOM.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/lab.h"

namespace ahead::sim {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kPages = 1 << 16;  // 256 MiB
constexpr int64_t kReads = 8000;

// Reads of a page each, through one descriptor.
class Reads {
 public:
  Reads() {
    work_.files.push_back({"file", 1, 1, ByteCount{kPages * kPage}});
    work_.readers = work_.threads = 1;
  }

  void Add(int64_t page) {
    WorkStep read;
    read.range = {{page * kPage}, {(page + 1) * kPage}};
    read.fresh = work_.steps.empty();
    read.begin = read.end = now_;
    now_ = now_ + 10_us;
    work_.steps.push_back(read);
  }

  // Not a distribution of the library: the sequence must be the same everywhere.
  int64_t Any(int64_t sides) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(sides)); }

  const Workload& work() const { return work_; }
  Workload Advised(HostAdvice advice) const {
    Workload work = work_;
    for (WorkStep& step : work.steps) step.advice = advice;
    return work;
  }

 private:
  Workload work_;
  std::mt19937_64 random_{1};
  Nanos now_;
};

Reads Uniform() {
  Reads reads;
  for (int64_t i = 0; i < kReads; ++i) reads.Add(reads.Any(kPages));
  return reads;
}

// Half of the reads go to 1/2 of the file, a quarter to 1/4 of that, and so on: a few pages are hot.
Reads Skewed() {
  Reads reads;
  for (int64_t i = 0; i < kReads; ++i) {
    int64_t span = kPages;
    while (span > 64 && reads.Any(2) == 0) span /= 4;
    reads.Add(reads.Any(span) * 40503 % kPages);
  }
  return reads;
}

// Four pages at random places of a cluster of 16.
Reads Clustered() {
  Reads reads;
  for (int64_t i = 0; i < kReads / 4; ++i) {
    const int64_t cluster = reads.Any(kPages / 16) * 16;
    for (int64_t read = 0; read < 4; ++read) reads.Add(cluster + reads.Any(16));
  }
  return reads;
}

// All pages of a cluster of 16 in any order.
Reads InWholeClusters() {
  Reads reads;
  for (int64_t i = 0; i < kReads / 16; ++i) {
    const int64_t cluster = reads.Any(kPages / 16) * 16;
    std::vector<int64_t> order(16);
    for (int64_t page = 0; page < 16; ++page) order[static_cast<size_t>(page)] = page;
    for (int64_t left = 16; left > 0; --left) {
      const int64_t at = reads.Any(left);
      reads.Add(cluster + order[static_cast<size_t>(at)]);
      order.erase(order.begin() + at);
    }
  }
  return reads;
}

// One read of ten goes on with a scan.
Reads Mixed() {
  Reads reads;
  for (int64_t i = 0; i < kReads; ++i) reads.Add(i % 10 == 0 ? kPages / 2 + i / 10 : reads.Any(kPages / 2));
  return reads;
}

enum class Disk { kOfAnother, kLocal };

LabScore Run(const Workload& work, LabPolicyKind kind, ByteCount window, Disk disk) {
  LabDevice device = *FindLabDevice("net-2ms");
  device.kernel_window = window;
  device.is_local = disk == Disk::kLocal;
  LabPolicy policy;
  policy.kind = kind;
  return RunCell(work, device, policy);
}

struct Arms {
  LabScore kernel;
  LabScore advised;  // the kernel, under FADV_RANDOM
  LabScore engine;

  Arms(const Reads& reads, ByteCount window, Disk disk)
      : kernel(Run(reads.work(), LabPolicyKind::kKernelLike, window, disk)),
        advised(Run(reads.Advised(HostAdvice::kRandom), LabPolicyKind::kKernelLike, window, disk)),
        engine(Run(reads.work(), LabPolicyKind::kAdaptive, window, disk)) {}

  int64_t FewestRequests() const { return std::min(kernel.requests, advised.requests); }
  ByteCount FewestBytes() const { return std::min(kernel.bytes, advised.bytes); }
};

ByteCount PerCent(ByteCount bytes, int64_t share) { return {bytes.value * share / 100}; }
int64_t PerCent(int64_t requests, int64_t share) { return requests * share / 100; }

class RandomReadsTest : public testing::TestWithParam<std::tuple<int64_t, Disk>> {
 protected:
  Arms Run(const Reads& reads) const { return Arms(reads, {std::get<0>(GetParam()) << 10}, std::get<1>(GetParam())); }

  static void ExpectNoCost(const Arms& arms) {
    EXPECT_LE(arms.engine.requests, PerCent(arms.FewestRequests(), 102));
    EXPECT_LE(arms.engine.bytes, PerCent(arms.FewestBytes(), 102));
    EXPECT_LE(arms.engine.elapsed.value, PerCent(arms.kernel.elapsed.value, 101));
  }
};

TEST_P(RandomReadsTest, OfUniformPlacesCostNothing) {
  const Arms arms = Run(Uniform());
  ExpectNoCost(arms);
}

TEST_P(RandomReadsTest, OfSkewedPlacesCostNothing) {
  const Arms arms = Run(Skewed());
  ExpectNoCost(arms);
}

// Under FADV_RANDOM the kernel fetches 0.67 to 0.74 times the bytes here, and takes 1.04 times as long: of what it
// fetches beside a read by itself, one page in nine is read.
TEST_P(RandomReadsTest, InClustersCostLittleMoreThanTheKernel) {
  const Arms arms = Run(Clustered());
  EXPECT_LE(arms.engine.requests, PerCent(arms.kernel.requests, 102));
  EXPECT_LE(arms.engine.bytes, PerCent(arms.kernel.bytes, 105));
  EXPECT_LE(arms.engine.elapsed.value, PerCent(arms.kernel.elapsed.value, 101));
}

TEST_P(RandomReadsTest, OfAllPagesOfClustersAreFetchedByCluster) {
  const Arms arms = Run(InWholeClusters());
  EXPECT_LE(arms.engine.requests, PerCent(arms.FewestRequests(), 20));
  EXPECT_LE(arms.engine.bytes, PerCent(arms.FewestBytes(), 102));
  EXPECT_LE(arms.engine.elapsed.value, PerCent(arms.kernel.elapsed.value, 20));
}

// Under FADV_RANDOM the scan would ask for each page alone.
TEST_P(RandomReadsTest, BesideAScanLeaveItItsStream) {
  const Arms arms = Run(Mixed());
  ExpectNoCost(arms);
  EXPECT_LE(arms.engine.requests, PerCent(arms.advised.requests, 90));
}

INSTANTIATE_TEST_SUITE_P(KernelWindows, RandomReadsTest,
                         testing::Combine(testing::Values(128, 8192), testing::Values(Disk::kOfAnother, Disk::kLocal)));

}  // namespace
}  // namespace ahead::sim
