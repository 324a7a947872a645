// Each way of asking what is cached can be missing. They are taken away one by one, with a system call filter or by
// being another user; the data must stay right, and windows must still be fetched and hit (design, fact 6).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tests/shim/host.h"

namespace ahead::shim_test {
namespace {

constexpr size_t kFileBytes = 8 << 20;
constexpr uint64_t kFilePages = kFileBytes / 4096;

std::string Deny(const std::string& call, int error) { return call + "=" + std::to_string(error); }

class FallbackTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!folder_.IsOnDisk()) GTEST_SKIP() << "files of the temporary folder cannot be dropped from the cache";
    if (RunBare({Host("deny"), "--", "true"}).status != 0) GTEST_SKIP() << "no system call filter may be set here";
  }

  // Runs `backward` on a cold file where these calls fail, and returns what was counted.
  std::unique_ptr<Block> ReadWithout(const Words& denied, const Words& user = {}) {
    // Not before the user is another one: the statistics file would be root's.
    Words argv = user;
    argv.insert(argv.end(), {"env", "LD_PRELOAD=" AHEAD_LIBRARY, "AHEAD_STATS=" + stats_, Host("deny")});
    argv.insert(argv.end(), denied.begin(), denied.end());
    argv.insert(argv.end(), {"--", Host("backward"), file_});
    const Outcome outcome = RunBare(argv);
    EXPECT_EQ(outcome, RunBare({Host("backward"), file_}));
    return ReadStatistics(stats_);
  }

  // At least half of the file came through windows, and no page was counted twice.
  static void ExpectWindowsWereHit(const Block& counted) {
    EXPECT_GT(Pages(counted, Event::readahead_hit), kFilePages / 2);
    EXPECT_LE(Pages(counted, Event::readahead_hit), kFilePages);
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.WriteText("file", kFileBytes);
  const std::string stats_ = folder_.Path("stats");
};

TEST_F(FallbackTest, WithNothingDeniedArrivalsAreSure) {
  const auto counted = ReadWithout({});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
  EXPECT_EQ(Pages(*counted, Event::readahead_unsure), 0u);
}

TEST_F(FallbackTest, WithoutCachestatArrivalsAreAssumed) {
  const auto counted = ReadWithout({Deny("cachestat", EPERM)});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
  EXPECT_EQ(Pages(*counted, Event::readahead_unsure), Pages(*counted, Event::readahead));
}

TEST_F(FallbackTest, OnAnOldKernelWithoutCachestatWindowsAreHit) {
  const auto counted = ReadWithout({Deny("cachestat", ENOSYS)});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
}

TEST_F(FallbackTest, WithTimingAloneWindowsAreHit) {
  const auto counted = ReadWithout({Deny("cachestat", EPERM), Deny("preadv2", EOPNOTSUPP)});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
  EXPECT_EQ(Pages(*counted, Event::readahead_unsure), Pages(*counted, Event::readahead));
}

TEST_F(FallbackTest, WithoutStatxFilesAreStillMet) {
  const auto counted = ReadWithout({Deny("statx", ENOSYS)});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
}

TEST_F(FallbackTest, WithoutWipeOnForkTheProcessItselfIsServed) {
  const auto counted = ReadWithout({Deny("madvise", EINVAL)});
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
}

TEST_F(FallbackTest, RefusedReadaheadIsNotClaimed) {
  for (const int error : {EINVAL, ENOSYS}) {
    const auto counted = ReadWithout({Deny("readahead", error)});
    ASSERT_NE(counted, nullptr);
    EXPECT_EQ(Pages(*counted, Event::readahead), 0u) << error;
    EXPECT_EQ(counted->counters.issued_bytes, 0u) << error;
  }
}

TEST_F(FallbackTest, FilesOfAnotherUserAreServed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const Words nobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  if (Words probe = nobody; probe.push_back("true"), RunBare(probe).status != 0)
    GTEST_SKIP() << "setpriv does not work";
  const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  Words probe = nobody;
  // By way of env: setpriv itself still finds what only root may.
  probe.insert(probe.end(), {"env", Host("backward"), file_});
  if (RunBare(probe).status != 0) GTEST_SKIP() << "the build folder is closed to other users";
  const auto counted = ReadWithout({}, nobody);
  ASSERT_NE(counted, nullptr);
  ExpectWindowsWereHit(*counted);
  EXPECT_EQ(Pages(*counted, Event::readahead_unsure), Pages(*counted, Event::readahead));
}

}  // namespace
}  // namespace ahead::shim_test
