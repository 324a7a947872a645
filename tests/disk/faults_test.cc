// Which reads does a bad sector spoil, and when does a disk die?
#include "bench/disk/faults.h"

#include <gtest/gtest.h>

namespace ahead::disk {
namespace {

TEST(FaultsTest, BadRangeIsOneSectorUnlessALengthIsGiven) {
  EXPECT_EQ(ParseFailAt("1MiB"), (ByteRange{{1 << 20}, {(1 << 20) + 4096}}));
  EXPECT_EQ(ParseFailAt("4096+1"), (ByteRange{{4096}, {4097}}));
  EXPECT_EQ(ParseFailAt("0+128KiB"), (ByteRange{{0}, {128 << 10}}));
  for (const char* wrong : {"", "+", "+4096", "1MiB+", "1MiB+0", "-1", "1MiB+1MiB+1", "1MiB-2MiB"})
    EXPECT_EQ(ParseFailAt(wrong), std::nullopt) << wrong;
}

TEST(FaultsTest, DeathComesAfterReadsOrBytes) {
  EXPECT_EQ(ParseDieAfter("20reads")->reads, 20u);
  EXPECT_EQ(ParseDieAfter("20reads")->bytes, std::nullopt);
  EXPECT_EQ(ParseDieAfter("8MiB")->bytes, 8u << 20);
  EXPECT_EQ(ParseDieAfter("0")->bytes, 0u);
  for (const char* wrong : {"", "reads", "-1reads", "20 reads", "20readss", "1.5reads", "99999999999999999999reads"})
    EXPECT_FALSE(ParseDieAfter(wrong)) << wrong;
}

TEST(FaultsTest, OnlyReadsThatTouchTheRangeFail) {
  const ByteRange bad{{4096}, {8192}};
  EXPECT_FALSE(IsBad(bad, {{0}, {4096}}));
  EXPECT_TRUE(IsBad(bad, {{0}, {4097}}));
  EXPECT_TRUE(IsBad(bad, {{8191}, {9000}}));
  EXPECT_FALSE(IsBad(bad, {{8192}, {9000}}));
  EXPECT_FALSE(IsBad(bad, {{8192}, {8192}}));
  EXPECT_FALSE(IsBad({}, {{0}, {4096}}));
}

TEST(FaultsTest, DiskWithoutALimitNeverDies) {
  EXPECT_FALSE(IsDead({}, UINT64_MAX, UINT64_MAX));
  EXPECT_FALSE(IsDead({.reads = 2, .bytes = {}}, 1, 0));
  EXPECT_TRUE(IsDead({.reads = 2, .bytes = {}}, 2, 0));
  EXPECT_FALSE(IsDead({.reads = {}, .bytes = 4096}, 9, 4095));
  EXPECT_TRUE(IsDead({.reads = {}, .bytes = 4096}, 0, 4096));
}

}  // namespace
}  // namespace ahead::disk
