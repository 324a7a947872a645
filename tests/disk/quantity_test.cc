// Is each quantity of the command line read with its unit, and refused without?
#include "bench/disk/quantity.h"

#include <gtest/gtest.h>

namespace ahead::disk {
namespace {

TEST(QuantityTest, TimesHaveAUnitOrAreZero) {
  const struct {
    const char* text;
    int64_t ns;
  } cases[] = {{"2ms", 2'000'000}, {"0.2ms", 200'000}, {"200us", 200'000}, {"1s", 1'000'000'000},
               {"7ns", 7},         {"0", 0},           {"0ms", 0},         {"1.5s", 1'500'000'000}};
  for (const auto& c : cases) EXPECT_EQ(ParseTime(c.text), Nanos{c.ns}) << c.text;
  for (const char* text : {"", "2", "ms", "2 ms", "2m", "-1ms", "2msx", "infs", "nanms", "1e3ms", "99999999999999s"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(QuantityTest, SizesArePowersOf1024) {
  const struct {
    const char* text;
    int64_t bytes;
  } cases[] = {{"4096", 4096},  {"128KiB", 131072}, {"128K", 131072}, {"1MiB", 1 << 20},
               {"8M", 8 << 20}, {"1GiB", 1 << 30},  {"1.5KiB", 1536}, {"12B", 12}};
  for (const auto& c : cases) EXPECT_EQ(ParseSize(c.text), ByteCount{c.bytes}) << c.text;
  for (const char* text : {"", "KiB", "1kB", "1MB", "-1", "1 KiB", "0x10"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(QuantityTest, RatesArePowersOf1000AndNeverZero) {
  const struct {
    const char* text;
    int64_t rate;
  } cases[] = {{"500MB/s", 500'000'000}, {"1GB/s", 1'000'000'000}, {"800kB/s", 800'000}, {"1B/s", 1},
               {"0.5MB/s", 500'000},     {"unlimited", 0}};
  for (const auto& c : cases) EXPECT_EQ(ParseRate(c.text), c.rate) << c.text;
  for (const char* text : {"", "0MB/s", "500", "500MB", "500MiB/s", "-1MB/s", "no limit"}) {
    EXPECT_EQ(ParseRate(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace ahead::disk
