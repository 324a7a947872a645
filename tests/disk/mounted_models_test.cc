// Does a mounted ahead-disk do what its model and its faults say, and does its log say what it was asked for?
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "tests/disk/mounted_disk.h"

namespace ahead::disk {
namespace {

using ::testing::HasSubstr;

TEST_F(MountedDiskTest, BadSectorFailsAtItsOwnBytesOnly) {
  MOUNT_OR_SKIP({"--fail-at", "512KiB"});
  const std::string good = Bytes(1 << 20, 1);
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  std::string seen;
  char page[4096];
  for (off_t at = 0; at < 1 << 20; at += 4096) {
    if (at != 512 << 10) {
      ASSERT_EQ(pread(fd, page, sizeof page, at), 4096) << at;
    } else {
      ASSERT_EQ(pread(fd, page, sizeof page, at), -1);
      ASSERT_EQ(errno, EIO);
    }
    seen.append(at == 512 << 10 ? good.data() + at : page, 4096);
  }
  close(fd);
  EXPECT_TRUE(seen == good);
  const json counted = Query();
  EXPECT_GE(counted["failures"], 2) << "the readahead and the read";
  EXPECT_EQ(counted["bytes"], (1 << 20) - 4096);
  Reset();
  EXPECT_EQ(Query()["failures"], 0);
}

TEST_F(MountedDiskTest, DirectReadsPassTheCacheBy) {
  MOUNT_OR_SKIP({"--direct-io", "on"});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(ReadFile(disk() / "odd") == Bytes(70'001, 2));
  EXPECT_EQ(Query()["bytes"], 2 * 70'001);
}

class DyingDiskTest : public MountedDiskTest, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Models, DyingDiskTest, ::testing::Values("net", "hdd", "ssd"));

TEST_P(DyingDiskTest, DiesAfterItsLastReadAndLeavesTheMountBehind) {
  MOUNT_OR_SKIP({"--model", GetParam(), "--die-after", "3reads", "--readahead", "0"});
  const int process = Process();
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
  char page[4096];
  for (off_t i = 0; i < 3; ++i) ASSERT_EQ(pread(fd, page, sizeof page, i * 8192), 4096);
  EXPECT_EQ(pread(fd, page, sizeof page, 100'000), -1);
  WaitForEnd(process);
  EXPECT_EQ(pread(fd, page, sizeof page, 200'000), -1);
  EXPECT_EQ(errno, ENOTCONN);
  close(fd);
  EXPECT_EQ(RunCommand({"fusermount3", "-u", disk()}).status, 0);
  const json written = json::parse(ReadFile(report()));
  EXPECT_EQ(written["requests"], 3);
  EXPECT_EQ(written["died"], true);
}

TEST_F(MountedDiskTest, TheDiskWithAnArmMovesItAndSaysSo) {
  MOUNT_OR_SKIP({"--model", "hdd", "--settle", "20ms", "--full-stroke", "20ms", "--rotation", "off", "--transfer-rate",
                 "100MB/s", "--readahead", "0"});
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
  char page[4096];
  ASSERT_EQ(pread(fd, page, sizeof page, 0), 4096);
  Reset();
  for (off_t i = 1; i < 40; ++i) ASSERT_EQ(pread(fd, page, sizeof page, i * 4096), 4096);  // on from there
  json counted = Query();
  EXPECT_EQ(counted["arm_moves"], 0);
  EXPECT_EQ(counted["positioning_ns"], 0);
  EXPECT_EQ(counted["requests"], 39);
  const auto start = std::chrono::steady_clock::now();
  for (const off_t back : {30, 20, 10}) {
    ASSERT_EQ(posix_fadvise(fd, back * 4096, 4096, POSIX_FADV_DONTNEED), 0);
    ASSERT_EQ(pread(fd, page, sizeof page, back * 4096), 4096);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(3 * 20'040));
  counted = Query();
  EXPECT_EQ(counted["arm_moves"], 3);
  EXPECT_EQ(counted["positioning_ns"], 60'000'000);
  EXPECT_GE(counted["busy_ns"], 3 * 20'040'000);
  EXPECT_EQ(counted["model"]["name"], "hdd");
  EXPECT_EQ(counted["model"]["metadata_latency_ns"], 0);
  close(fd);
}

TEST_F(MountedDiskTest, TheDiskOfChipsReadsOnAllChannelsAtOnce) {
  MOUNT_OR_SKIP({"--model", "ssd", "--latency", "50ms", "--channels", "8", "--stripe", "16KiB", "--in-flight", "64"});
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  Reset();
  const auto start = std::chrono::steady_clock::now();
  for (off_t i = 0; i < 4; ++i) ASSERT_EQ(readahead(fd, i << 17, 1 << 17), 0);
  const json counted = Query();
  EXPECT_EQ(counted["bytes"], 512 << 10);
  // 32 stripes on 8 channels, 50 ms each, wherever the file begins.
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
  EXPECT_EQ(counted["model"]["channels"], 8);
  EXPECT_EQ(counted["arm_moves"], 0);
  close(fd);
}

TEST_F(MountedDiskTest, TheLogHasALineForEachReadInTheOrderOfArrival) {
  const fs::path log = folder_ / "log";
  MOUNT_OR_SKIP({"--log", log, "--readahead", "0"});
  struct stat attributes;
  ASSERT_EQ(stat((source() / "file").c_str(), &attributes), 0);
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
  char page[4096];
  ASSERT_EQ(pread(fd, page, sizeof page, 0), 4096);
  Reset();
  const std::vector<off_t> places = {40960, 8192, 1 << 19};
  for (const off_t at : places) ASSERT_EQ(pread(fd, page, sizeof page, at), 4096);
  Query();
  std::ifstream lines(log);
  int64_t last = 0;
  for (const off_t at : places) {
    int64_t time = 0;
    off_t offset = -1;
    size_t length = 0;
    ino_t inode = 0;
    ASSERT_TRUE(lines >> time >> offset >> length >> inode);
    EXPECT_GT(time, last);
    EXPECT_EQ(offset, at);
    EXPECT_EQ(length, 4096u);
    EXPECT_EQ(inode, attributes.st_ino);
    last = time;
  }
  EXPECT_EQ(lines.get(), '\n');
  EXPECT_EQ(lines.get(), EOF);
  EXPECT_EQ(fs::status(log).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  close(fd);
}

TEST_F(MountedDiskTest, ALogThatCannotBeWrittenIsSaidAndNothingMounted) {
  Mount();
  if (!is_mounted_) return;
  ASSERT_EQ(RunCommand({AHEAD_DISK, "--unmount", disk()}).status, 0);
  is_mounted_ = false;
  const Outcome outcome = RunCommand({AHEAD_DISK, source(), disk(), "--log", folder_ / "none" / "log"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("--log"));
  EXPECT_TRUE(fs::is_empty(disk()));
}

}  // namespace
}  // namespace ahead::disk
