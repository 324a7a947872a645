// Is a window large enough to reach the disk's limit, and no larger? The sizing rows of docs/performance.md, simulated
// to the nanosecond: what bench-sizing measures on real mounts must hold here exactly.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/sizing_cases.h"

namespace ahead::sim {
namespace {

double Seconds(Nanos time) { return static_cast<double>(time.value) / 1e9; }

struct Link {
  Nanos latency;
  int64_t bandwidth;
  int32_t in_flight;
};

class SizingLinkTest : public testing::TestWithParam<Link> {
 protected:
  LabDevice device() const { return NetAt(GetParam().latency, GetParam().bandwidth, GetParam().in_flight); }
  // As long as `seconds` at the limit take.
  ByteCount SizeFor(int seconds) const { return {int64_t{std::llround(LimitOf(device()))} * seconds / 65536 * 65536}; }
};

INSTANTIATE_TEST_SUITE_P(, SizingLinkTest,
                         testing::Values(Link{200_us, 100'000'000, 12}, Link{200_us, 100'000'000, 64},
                                         Link{200_us, 500'000'000, 12}, Link{200_us, 500'000'000, 64},
                                         Link{2_ms, 100'000'000, 12}, Link{2_ms, 100'000'000, 64},
                                         Link{2_ms, 500'000'000, 12}, Link{2_ms, 500'000'000, 64},
                                         Link{20_ms, 100'000'000, 12}, Link{20_ms, 100'000'000, 64},
                                         Link{20_ms, 500'000'000, 12}, Link{20_ms, 500'000'000, 64}),
                         [](const auto& of) {
                           return std::to_string(of.param.latency.value / 1000) + "us_" +
                                  std::to_string(of.param.bandwidth / 1'000'000) + "MB_" +
                                  std::to_string(of.param.in_flight);
                         });

// Where requests and not bytes are what is scarce, a piece takes its latency and its time on the pipe: no policy that
// asks for 128 KiB at a time comes nearer to in-flight x 128 KiB / latency than this.
double Reachable(const LabDevice& device) {
  const auto& net = std::get<NetParameters>(device.parameters);
  const double trip = Seconds(net.latency) + 131072.0 / static_cast<double>(net.bandwidth_per_second);
  return std::min(1.0, device.in_flight * 131072.0 / trip / LimitOf(device));
}

TEST_P(SizingLinkTest, ASequentialReaderReachesTheLimitAndHoldsLittleAhead) {
  const LabDevice disk = device();
  const SizingRun run = RunSizing(ReadersSideBySide({{SizeFor(3)}}), disk, SizingPolicy::kAhead);
  const double rest = static_cast<double>((run.machine.read_bytes - run.machine.first_second_bytes).value) /
                      (Seconds(run.machine.elapsed) - 1);
  EXPECT_GE(rest, LimitOf(disk) * std::min(0.95, 0.995 * Reachable(disk)));
  const double product = static_cast<double>(GetParam().bandwidth) * Seconds(GetParam().latency);
  EXPECT_LE(static_cast<double>(run.peak_ahead.value), 3 * product + (1 << 20));
  EXPECT_EQ(run.bytes, run.machine.read_bytes);
}

TEST_P(SizingLinkTest, APacedReaderIsNotHeldUpByOneAtFullSpeed) {
  const LabDevice disk = device();
  const SizingReader fast{SizeFor(4)};
  const Nanos alone = RunSizing(ReadersSideBySide({fast}), disk, SizingPolicy::kAhead).EndOf(0);
  for (const uint32_t process : {0u, 1u}) {
    // 1 MB/s.
    const SizingReader slow{64_KiB * 61, 64_KiB, 65'536_us, process};
    const SizingRun run = RunSizing(ReadersSideBySide({fast, slow}), disk, SizingPolicy::kAhead);
    EXPECT_LE(run.Longest(1, {128 << 10}), GetParam().latency * 2) << process + 1 << " processes";
    EXPECT_GE(Seconds(alone) / Seconds(run.EndOf(0)), 0.95) << process + 1 << " processes";
  }
}

struct Arm {
  bool has_rotation;
  int32_t readers;
  int32_t in_flight;
};

class SizingArmTest : public testing::TestWithParam<Arm> {};

INSTANTIATE_TEST_SUITE_P(, SizingArmTest,
                         testing::Values(Arm{true, 2, 12}, Arm{true, 2, 64}, Arm{true, 4, 12}, Arm{true, 4, 64},
                                         Arm{true, 16, 12}, Arm{true, 16, 64}, Arm{false, 2, 12}, Arm{false, 2, 64},
                                         Arm{false, 4, 12}, Arm{false, 4, 64}, Arm{false, 16, 12}, Arm{false, 16, 64}),
                         [](const auto& of) {
                           return std::string(of.param.has_rotation ? "rotation_" : "still_") +
                                  std::to_string(of.param.readers) + "_readers_" + std::to_string(of.param.in_flight);
                         });

TEST_P(SizingArmTest, ReadersOfOneDiskLoseNothingAgainstTheKernelAlone) {
  const LabDevice disk = HddWith(GetParam().has_rotation, GetParam().in_flight);
  const std::vector<SizingReader> readers(static_cast<size_t>(GetParam().readers), SizingReader{32_MiB});
  const Workload work = ReadersSideBySide(readers);
  const SizingRun bare = RunSizing(work, disk, SizingPolicy::kBare);
  const SizingRun ahead = RunSizing(work, disk, SizingPolicy::kAhead);
  // The sum of the speeds is that of the last reader.
  EXPECT_LE(Seconds(ahead.machine.elapsed), Seconds(bare.machine.elapsed) * 1.001);
  EXPECT_EQ(ahead.bytes, ahead.machine.read_bytes);
}

// As processes that do not know each other.
std::vector<SizingReader> Strangers(int32_t count, ByteCount size) {
  std::vector<SizingReader> readers;
  for (int32_t i = 0; i < count; ++i) readers.push_back({size, 64_KiB, {}, static_cast<uint32_t>(i)});
  return readers;
}

TEST_P(SizingArmTest, ReadersInProcessesOfTheirOwnLoseNothingEither) {
  const LabDevice disk = HddWith(GetParam().has_rotation, GetParam().in_flight);
  for (const ByteCount size : {16_MiB, 64_MiB}) {
    if (GetParam().readers == 16 && size > 16_MiB) continue;
    const Workload work = ReadersSideBySide(Strangers(GetParam().readers, size));
    const SizingRun bare = RunSizing(work, disk, SizingPolicy::kBare);
    const SizingRun ahead = RunSizing(work, disk, SizingPolicy::kAhead);
    EXPECT_LE(Seconds(ahead.machine.elapsed), Seconds(bare.machine.elapsed) * 1.001);
    EXPECT_EQ(ahead.bytes, ahead.machine.read_bytes);
  }
}

TEST(SizingTest, ProcessesThatFillTheSlotsOfALinkTogetherStillGainByThem) {
  const LabDevice link = NetAt(20_ms, 500'000'000, 12);
  const Workload work = ReadersSideBySide(Strangers(4, 16_MiB));
  const SizingRun bare = RunSizing(work, link, SizingPolicy::kBare);
  const SizingRun ahead = RunSizing(work, link, SizingPolicy::kAhead);
  EXPECT_LE(Seconds(ahead.machine.elapsed), Seconds(bare.machine.elapsed) * 0.7);
}

}  // namespace
}  // namespace ahead::sim
