// Texts that name devices.
#include "cli/model_spec.h"

#include <gmock/gmock.h>

namespace ahead::cli {
namespace {

using testing::HasSubstr;

TEST(ModelSpecTest, EveryDeviceOfTheTableIsItsOwnName) {
  for (const sim::LabDevice& device : sim::LabDevices()) {
    const auto parsed = ParseModel(device.name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->name, device.name);
    EXPECT_EQ(parsed->parameters.index(), device.parameters.index());
    EXPECT_EQ(parsed->memory, device.memory);
  }
}

TEST(ModelSpecTest, NetTakesTimesRatesAndWhatTheMountIs) {
  const auto parsed = ParseModel(
      "net:latency=1.5ms,bandwidth=100MB/"
      "s,in_flight=64,memory=64MiB,window=256KiB,request=1M,call=64K,drops=off,local=on");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto& net = std::get<sim::NetParameters>(parsed->parameters);
  EXPECT_EQ(net.latency, 1500_us);
  EXPECT_EQ(net.bandwidth_per_second, 100'000'000);
  EXPECT_EQ(parsed->in_flight, 64);
  EXPECT_EQ(parsed->memory, 64_MiB);
  EXPECT_EQ(parsed->kernel_window, 256_KiB);
  EXPECT_EQ(parsed->max_request, 1_MiB);
  EXPECT_EQ(parsed->max_call, 64_KiB);
  EXPECT_FALSE(parsed->drops_silently);
  EXPECT_TRUE(parsed->is_local);
}

TEST(ModelSpecTest, WhatIsNotSaidIsAsInTheDeviceNamed) {
  const auto parsed = ParseModel("net-2ms-64MiB:latency=3ms");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->memory, 64_MiB);
  EXPECT_EQ(std::get<sim::NetParameters>(parsed->parameters).latency, 3_ms);
}

TEST(ModelSpecTest, DisksHaveSettingsOfTheirOwn) {
  const auto hdd = ParseModel("hdd:rotation=off,settle=2ms,stroke=20ms,capacity=4TB,bandwidth=200MB/s");
  ASSERT_TRUE(hdd.ok()) << hdd.status();
  const auto& arm = std::get<sim::HddParameters>(hdd->parameters);
  EXPECT_FALSE(arm.has_rotation);
  EXPECT_EQ(arm.settle, 2_ms);
  EXPECT_EQ(arm.full_stroke, 20_ms);
  EXPECT_EQ(arm.capacity, ByteCount{4'000'000'000'000});
  EXPECT_EQ(arm.transfer_per_second, 200'000'000);
  const auto ssd = ParseModel("ssd:channels=4,stripe=32KiB");
  ASSERT_TRUE(ssd.ok()) << ssd.status();
  EXPECT_EQ(std::get<sim::SsdParameters>(ssd->parameters).channels, 4);
  EXPECT_EQ(std::get<sim::SsdParameters>(ssd->parameters).stripe, 32_KiB);
}

TEST(ModelSpecTest, WhatIsRefusedIsNamedWithWhatIsAccepted) {
  const auto refusal = [](const std::string& text) { return CheckModel(text); };
  EXPECT_THAT(refusal("floppy"), HasSubstr("'floppy' is not one of net-0.2ms, net-2ms"));
  EXPECT_THAT(refusal("net:rotation=off"),
              HasSubstr("'rotation=off' is not NAME=VALUE with one of bandwidth, call, drops"));
  EXPECT_EQ(refusal("net:latency=2 ms"), "'latency=2 ms' is not a time such as 2ms");
  EXPECT_EQ(refusal("net:latency=-2ms"), "'latency=-2ms' is not a time such as 2ms");
  EXPECT_EQ(refusal("net:in_flight=0"), "'in_flight=0' is not a whole number above 0");
  EXPECT_EQ(refusal("net:request=5000"), "'request=5000' is not bytes such as 128KiB, a multiple of 4KiB");
  EXPECT_EQ(refusal("net:drops=maybe"), "'drops=maybe' is not on or off");
  EXPECT_EQ(refusal("hdd:revolution=0"), "'revolution=0' is not a time such as 2ms");
  EXPECT_THAT(refusal("net:"), HasSubstr("'' is not NAME=VALUE"));
  EXPECT_EQ(refusal("net:bandwidth=0"), "");
}

}  // namespace
}  // namespace ahead::cli
