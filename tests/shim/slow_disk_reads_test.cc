// What readers of a slow disk cost there, counted by the disk itself: bytes, requests, opens, against the bare run.
// Case A18 of the field failures; and that what the statistics say was fetched had been fetched, case A16.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/ledger.h"
#include "tests/shim/host.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

constexpr size_t kFileBytes = 32 << 20;

class SlowDiskReadsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.WriteText("source/file", kFileBytes);
    folder_.WriteText("source/short", 4 << 20);
    std::ofstream(disk_.Source("sparse")).close();
    std::filesystem::resize_file(disk_.Source("sparse"), 256 << 20);
    AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "500us"});
  }

  struct Cost {
    int64_t bytes;
    int64_t repeated;
    int64_t opens;
    std::string out;
  };
  Cost CostOf(const Words& words, bool preloaded) {
    disk_.Reset();
    const Outcome outcome = preloaded ? RunPreloaded(words, {"AHEAD_STATS=" + statistics_}) : RunBare(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return {disk_.Ask("bytes"), disk_.Ask("bytes_repeated"), disk_.Ask("opens"), outcome.out};
  }

  // Expects at most `factor` times the bytes of the bare run, none of them twice, and no open more.
  void ExpectCost(const Words& words, double factor) {
    const Cost bare = CostOf(words, false);
    const Cost ahead = CostOf(words, true);
    EXPECT_EQ(ahead.out, bare.out);
    EXPECT_GT(bare.bytes, 0);
    EXPECT_LE(static_cast<double>(ahead.bytes), factor * static_cast<double>(bare.bytes));
    EXPECT_LE(ahead.repeated, bare.repeated);
    EXPECT_EQ(ahead.opens, bare.opens);
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
  const std::string file_ = disk_.Shown("file");
  const std::string statistics_ = folder_.Path("statistics");
};

TEST_F(SlowDiskReadsTest, SparseReadsFetchAtMostTwiceAsMuch) {
  for (const int64_t step : {2 << 20, 1 << 20, 256 << 10, -(2 << 20), -(256 << 10)}) {
    SCOPED_TRACE(step);
    ExpectCost({Host("stepper"), disk_.Shown("sparse"), std::to_string(step), "4096"}, 2.0);
  }
}

TEST_F(SlowDiskReadsTest, BackwardReadsFetchAtMostAFifthMore) {
  ExpectCost({Host("stepper"), file_, "-65536", "65536"}, 1.2);
  ExpectCost({Host("stepper"), disk_.Shown("short"), "-4096", "4096"}, 1.2);
  ExpectCost({"tac", file_}, 1.2);
}

TEST_F(SlowDiskReadsTest, ForwardReadsFetchAtMostATenthMore) {
  ExpectCost({"dd", "if=" + file_, "of=/dev/null", "bs=64k", "status=none"}, 1.1);
  ExpectCost({"md5sum", file_}, 1.1);
  ExpectCost({"grep", "-c", "abc", file_}, 1.1);
}

// An open of ours would drop what is cached of the file, and be one more.
TEST_F(SlowDiskReadsTest, EachOpenOfTheProgramIsOneOpenAtTheDisk) {
  const std::string script = "for i in 1 2 3 4 5; do head -c 1000000 \"$0\" | cksum; done; cat \"$0\" \"$0\" | cksum";
  const Cost bare = CostOf({"sh", "-c", script, file_}, false);
  const Cost ahead = CostOf({"sh", "-c", script, file_}, true);
  EXPECT_EQ(ahead.out, bare.out);
  EXPECT_EQ(bare.opens, 7);
  EXPECT_EQ(ahead.opens, 7);
}

TEST_F(SlowDiskReadsTest, StatisticsClaimNoMoreThanTheDiskServed) {
  for (const Words& words : {Words{"dd", "if=" + file_, "of=/dev/null", "bs=64k", "status=none"},
                             Words{Host("stepper"), file_, "262144", "4096"}, Words{"tac", file_}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    std::filesystem::remove(statistics_);
    const Cost cost = CostOf(words, true);
    const auto counted = ReadStatistics(statistics_);
    ASSERT_NE(counted, nullptr);
    const auto claimed = static_cast<double>(Pages(*counted, Event::readahead) * 4096);
    EXPECT_GT(claimed, 0);
    EXPECT_LE(claimed, 1.05 * static_cast<double>(cost.bytes));
  }
}

}  // namespace
}  // namespace ahead::shim_test
