// What holds for every device, whichever model it is of?
#include "sim/devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/sim/device_taking.h"

namespace ahead::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(DeviceTest, TheVariantAnswersAsItsModelWithThePlacementItWasGiven) {
  const Placement placement({{1, 1_GiB}, {2, 1_GiB}});
  Device net(NetParameters{2_ms, 500'000'000}, placement);
  Device hdd(HddParameters{.has_rotation = false}, placement);
  Device ssd(SsdParameters{}, placement);
  for (Device* device : {&net, &hdd, &ssd}) {
    EXPECT_EQ(device->NextAnswer(), kNever);
    device->Submit(0_ns, {5, 2, {{0}, {4096}}});
  }
  EXPECT_THAT(TakeAll(net), ElementsAre(Pair(5, 2'008'192)));
  EXPECT_THAT(TakeAll(ssd), ElementsAre(Pair(5, 80'000 + 7'447)));
  const Nanos seek = hdd.Positioning();
  EXPECT_THAT(TakeAll(hdd), ElementsAre(Pair(5, seek.value + 27'306)));
  EXPECT_GT(seek, 1_ms);
  EXPECT_EQ(hdd.ArmMoves(), 1);
  EXPECT_EQ(ssd.ArmMoves() + net.ArmMoves(), 0);
  EXPECT_EQ(net.TransferTime(128_KiB), 262'144_ns);
}

struct Submission {
  Nanos time;
  DeviceRequest request;
};

// Requests of all sizes to three files and an unknown one, some at the same moment, some after a long pause.
std::vector<Submission> AtRandom(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Submission> all;
  Nanos now = 1_s;
  for (uint64_t number = 0; number < 400; ++number) {
    if (random() % 3 != 0) now = now + Nanos{static_cast<int64_t>(random() % 3'000'000)};
    if (random() % 50 == 0) now = now + 2_s;
    const auto begin = static_cast<int64_t>(random() % (64 << 20));
    const auto size = static_cast<int64_t>(random() % 5 == 0 ? random() % (1 << 20) : random() % 9000);
    all.push_back({now, {number, random() % 4 + 1, {{begin}, {begin + size}}}});
  }
  return all;
}

class AnyDeviceTest : public ::testing::TestWithParam<DeviceParameters> {
 protected:
  static Device Make() { return Device(GetParam(), Placement({{1, 64_MiB}, {2, 64_MiB}, {3, 64_MiB}})); }
};

INSTANTIATE_TEST_SUITE_P(Models, AnyDeviceTest,
                         ::testing::Values(DeviceParameters(NetParameters{}), DeviceParameters(HddParameters{}),
                                           DeviceParameters(HddParameters{.has_rotation = false}),
                                           DeviceParameters(SsdParameters{}),
                                           DeviceParameters(SsdParameters{.channels = 1, .latency = {}})));

TEST_P(AnyDeviceTest, EachRequestIsAnsweredOnceInTheOrderOfTimeAndAfterItsTransfer) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Device device = Make();
    const std::vector<Submission> all = AtRandom(seed);
    for (const auto& [time, request] : all) device.Submit(time, request);
    const Answers answers = TakeAll(device);
    std::vector<bool> is_answered(all.size());
    ASSERT_EQ(answers.size(), all.size());
    int64_t last = 0;
    for (const auto& [number, time] : answers) {
      EXPECT_FALSE(is_answered[number]);
      is_answered[number] = true;
      EXPECT_GE(time, (all[number].time + device.TransferTime(all[number].request.range.size())).value);
      EXPECT_GE(time, last);
      last = time;
    }
  }
}

// So that ahead-disk, whose threads may be late, and the simulator, which never is, see the same disk.
TEST_P(AnyDeviceTest, TimesDoNotDependOnWhenAnswersAreTaken) {
  for (const unsigned seed : {4u, 5u, 6u}) {
    Device late = Make();
    Device punctual = Make();
    Answers taken;
    for (const auto& [time, request] : AtRandom(seed)) {
      while (punctual.NextAnswer() <= time) {
        const Nanos at = punctual.NextAnswer();
        taken.emplace_back(punctual.TakeAnswer().number, at.value);
      }
      punctual.Submit(time, request);
      late.Submit(time, request);
    }
    const Answers rest = TakeAll(punctual);
    taken.insert(taken.end(), rest.begin(), rest.end());
    EXPECT_EQ(TakeAll(late), taken);
  }
}

}  // namespace
}  // namespace ahead::sim
