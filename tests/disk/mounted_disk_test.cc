// Is a mounted ahead-disk its source, read-only and no faster than its model, and is its report the truth?
#include "tests/disk/mounted_disk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <set>
#include <string>

namespace ahead::disk {
namespace {

using ::testing::HasSubstr;

TEST_F(MountedDiskTest, ShowsTheNamesAndBytesOfItsSource) {
  MOUNT_OR_SKIP();
  std::set<std::string> expected;
  for (const auto& entry : fs::recursive_directory_iterator(source())) {
    const fs::path name = fs::relative(entry.path().parent_path(), source()) / entry.path().filename();
    expected.insert(name.lexically_normal());
    const fs::path seen = disk() / name;
    EXPECT_EQ(fs::symlink_status(seen).type(), entry.symlink_status().type()) << seen;
    EXPECT_EQ(fs::symlink_status(seen).permissions(), entry.symlink_status().permissions()) << seen;
    if (entry.is_symlink()) {
      EXPECT_EQ(fs::read_symlink(seen), fs::read_symlink(entry.path()));
    } else if (entry.is_regular_file()) {
      EXPECT_EQ(ReadFile(seen), ReadFile(entry.path())) << seen;
    }
  }
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(disk())) {
    seen.insert(
        (fs::path(entry.path().parent_path()).lexically_relative(disk()) / entry.path().filename()).lexically_normal());
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(ReadFile(disk() / "link"), "small\n");
  EXPECT_FALSE(fs::exists(disk() / "missing"));
}

TEST_F(MountedDiskTest, NothingCanBeChanged) {
  MOUNT_OR_SKIP();
  const auto fails_with_erofs = [](int result) { return result == -1 && errno == EROFS; };
  EXPECT_TRUE(fails_with_erofs(open((disk() / "file").c_str(), O_WRONLY)));
  EXPECT_TRUE(fails_with_erofs(open((disk() / "file").c_str(), O_RDWR)));
  EXPECT_TRUE(fails_with_erofs(open((disk() / "new").c_str(), O_WRONLY | O_CREAT, 0644)));
  EXPECT_TRUE(fails_with_erofs(mkdir((disk() / "new").c_str(), 0755)));
  EXPECT_TRUE(fails_with_erofs(unlink((disk() / "file").c_str())));
  EXPECT_TRUE(fails_with_erofs(rename((disk() / "file").c_str(), (disk() / "new").c_str())));
  EXPECT_TRUE(fails_with_erofs(chmod((disk() / "file").c_str(), 0600)));
  EXPECT_TRUE(fails_with_erofs(truncate((disk() / "file").c_str(), 0)));
}

TEST_F(MountedDiskTest, CountsEachRandomReadOnceAndOnlyItsBytes) {
  MOUNT_OR_SKIP();
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
  Reset();
  char page[4096];
  for (off_t i = 0; i < 40; ++i) ASSERT_EQ(pread(fd, page, sizeof page, i * 7 % 256 * 4096), 4096);
  json counted = Query();
  EXPECT_EQ(counted["requests"], 40);
  EXPECT_EQ(counted["bytes"], 40 * 4096);
  EXPECT_EQ(counted["bytes_repeated"], 0);
  EXPECT_EQ(counted["seeks"], 39);  // the first was at 0
  EXPECT_EQ(counted["files_read"], 1);
  EXPECT_EQ(counted["in_flight"], 0);

  ASSERT_EQ(pread(fd, page, sizeof page, 0), 4096);  // cached
  EXPECT_EQ(Query()["requests"], 40);
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
  ASSERT_EQ(pread(fd, page, sizeof page, 0), 4096);
  counted = Query();
  EXPECT_EQ(counted["requests"], 41);
  EXPECT_EQ(counted["bytes_repeated"], 4096);

  Reset();
  EXPECT_EQ(Query()["requests"], 0);
  close(fd);
}

TEST_F(MountedDiskTest, AQueryWaitsForWhatIsOnItsWay) {
  MOUNT_OR_SKIP({"--latency", "50ms", "--metadata-latency", "0", "--in-flight", "4"});
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  Reset();
  // Asked for and not waited for; on a descriptor never read from the kernel drops nothing.
  for (off_t i = 0; i < 8; ++i) ASSERT_EQ(readahead(fd, i << 17, 1 << 17), 0);
  const json counted = Query();
  EXPECT_EQ(counted["bytes"], 1 << 20);
  EXPECT_EQ(counted["in_flight"], 0);
  EXPECT_EQ(counted["max_in_flight"], 4);
  close(fd);
}

TEST_F(MountedDiskTest, CountsOpensAndLookups) {
  MOUNT_OR_SKIP({"--attr-timeout", "1000s"});
  Reset();
  for (int i = 0; i < 3; ++i) close(open((disk() / "deep" / "deeper" / "small").c_str(), O_RDONLY));
  json counted = Query();
  EXPECT_EQ(counted["opens"], 3);
  EXPECT_EQ(counted["lookups"], 3);  // deep, deeper, small; then known
  EXPECT_EQ(counted["opendirs"], 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(disk()), {}), 6);
  counted = Query();
  EXPECT_EQ(counted["opendirs"], 1);
  EXPECT_GE(counted["readdirs"], 1);
}

TEST_F(MountedDiskTest, ShowsMoreFilesThanItMayOpen) {
  for (int i = 0; i < 300; ++i) WriteFile(source() / "deep" / std::to_string(i), std::to_string(i));
  MOUNT_OR_SKIP({"--attr-timeout", "1000s"}, {"prlimit", "--nofile=64:64"});
  for (int i = 0; i < 300; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(ReadFile(disk() / "deep" / name), name);
  }
  EXPECT_EQ(Query()["files_read"], 300);
}

TEST_F(MountedDiskTest, AFileReplacedInTheSourceIsFoundAgain) {
  MOUNT_OR_SKIP({"--attr-timeout", "0"});
  EXPECT_EQ(ReadFile(disk() / "odd"), Bytes(70'001, 2));
  WriteFile(source() / "new", "new");
  fs::rename(source() / "new", source() / "odd");
  EXPECT_EQ(ReadFile(disk() / "odd"), "new");
  EXPECT_FALSE(fs::exists(disk() / "new"));
}

TEST_F(MountedDiskTest, KeepCacheDecidesWhatAnOpenDrops) {
  for (const bool keeps : {false, true}) {
    MOUNT_OR_SKIP({"--keep-cache", keeps ? "on" : "off"});
    EXPECT_EQ(ReadFile(disk() / "odd"), ReadFile(source() / "odd"));
    Reset();
    EXPECT_EQ(ReadFile(disk() / "odd"), ReadFile(source() / "odd"));
    EXPECT_EQ(Query()["bytes"], keeps ? 0 : 70'001);
    ASSERT_EQ(RunCommand({AHEAD_DISK, "--unmount", disk()}).status, 0);
    is_mounted_ = false;
  }
}

TEST_F(MountedDiskTest, NoAnswerComesBeforeTheModelsTime) {
  MOUNT_OR_SKIP({"--latency", "30ms", "--metadata-latency", "20ms", "--bandwidth", "1MB/s"});
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const int fd = open((disk() / "odd").c_str(), O_RDONLY);  // a look-up and an open
  const auto opened = Clock::now();
  EXPECT_GE(opened - start, std::chrono::milliseconds(40));
  ASSERT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
  char bytes[40960];
  ASSERT_EQ(pread(fd, bytes, sizeof bytes, 0), 40960);
  EXPECT_GE(Clock::now() - opened, std::chrono::microseconds(30'000 + 40'960));
  close(fd);
}

TEST_F(MountedDiskTest, AChangedSourceIsSeenAndATruncatedOneDoesNoHarm) {
  MOUNT_OR_SKIP({"--attr-timeout", "0"});
  EXPECT_EQ(ReadFile(disk() / "file"), Bytes(1 << 20, 1));
  const int fd = open((disk() / "file").c_str(), O_RDONLY);
  WriteFile(source() / "file", Bytes(2 << 20, 3));
  EXPECT_EQ(ReadFile(disk() / "file"), Bytes(2 << 20, 3));
  fs::resize_file(source() / "file", 5000);
  char page[4096];
  EXPECT_EQ(pread(fd, page, sizeof page, 1 << 20), 0);
  EXPECT_EQ(ReadFile(disk() / "file"), Bytes(2 << 20, 3).substr(0, 5000));
  WriteFile(source() / "born", "later");
  EXPECT_EQ(ReadFile(disk() / "born"), "later");
  close(fd);
}

TEST_F(MountedDiskTest, SignalsWriteAndResetTheReport) {
  MOUNT_OR_SKIP();
  const int process = Process();
  ReadFile(disk() / "file");
  ASSERT_FALSE(fs::exists(report()));
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, process, SIGUSR1, nullptr, 0), 0);
  Query();  // taken after the signal
  EXPECT_EQ(json::parse(ReadFile(report()))["bytes"], 1 << 20);
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, process, SIGUSR2, nullptr, 0), 0);
  EXPECT_EQ(Query()["bytes"], 0);
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0), 0);
  WaitForEnd(process);
  EXPECT_EQ(json::parse(ReadFile(report()))["bytes"], 0);
  EXPECT_TRUE(fs::is_empty(disk()));
}

TEST_F(MountedDiskTest, UnmountReturnsWhenThePrivateReportIsWritten) {
  MOUNT_OR_SKIP();
  ReadFile(disk() / "odd");
  ASSERT_EQ(RunCommand({AHEAD_DISK, "--unmount", disk()}).status, 0);
  is_mounted_ = false;
  const json written = json::parse(ReadFile(report()));
  EXPECT_EQ(written["bytes"], 70'001);
  EXPECT_EQ(written["model"]["name"], "net");
  EXPECT_EQ(fs::status(report()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(fs::is_empty(disk()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);  // no temporary file is left
}

TEST_F(MountedDiskTest, EndsWhenSomebodyElseUnmountsIt) {
  MOUNT_OR_SKIP();
  const int process = Process();
  ASSERT_EQ(RunCommand({"fusermount3", "-u", disk()}).status, 0);
  WaitForEnd(process);
  EXPECT_EQ(json::parse(ReadFile(report()))["requests"], 0);
}

TEST_F(MountedDiskTest, OtherUsersMayReadButNotReset) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  MOUNT_OR_SKIP();
  EXPECT_EQ(RunCommand({"cat", disk() / "link"}, 65534).out, "small\n");
  WriteFile(source() / "secret", "x");
  fs::permissions(source() / "secret", fs::perms::owner_read);
  EXPECT_NE(RunCommand({"cat", disk() / "secret"}, 65534).status, 0);
  // Through a copy that the other user can reach, wherever the build folder is.
  fs::copy_file(AHEAD_DISK, folder_ / "ahead-disk");
  const Outcome refused = RunCommand({folder_ / "ahead-disk", "--reset", disk()}, 65534);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("Operation not permitted"));
  EXPECT_EQ(RunCommand({folder_ / "ahead-disk", "--query", disk()}, 65534).status, 0);
}

TEST_F(MountedDiskTest, RootMayWidenTheReadaheadWindow) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may set read_ahead_kb";
  MOUNT_OR_SKIP({"--readahead", "8MiB"});
  struct stat attributes;
  ASSERT_EQ(stat(disk().c_str(), &attributes), 0);
  const std::string device = std::to_string(attributes.st_dev >> 8) + ":" + std::to_string(attributes.st_dev & 0xff);
  EXPECT_EQ(ReadFile("/sys/class/bdi/" + device + "/read_ahead_kb"), "8192\n");
  EXPECT_EQ(Query()["model"]["readahead_bytes"], 8 << 20);
}

// Readahead runs into the bad sector long before the reader does, and takes nothing from what is good.
TEST_F(MountedDiskTest, DefaultsAreTheKernels) {
  MOUNT_OR_SKIP({"--latency", "1ms"});
  const json model = Query()["model"];
  EXPECT_EQ(model["in_flight"], 12);
  EXPECT_EQ(model["readahead_bytes"], 128 << 10);
  EXPECT_EQ(model["metadata_latency_ns"], 1'000'000);  // as the latency
  EXPECT_EQ(model["bandwidth_bytes_per_s"], 500'000'000);
  EXPECT_EQ(model["keep_cache"], false);
}

}  // namespace
}  // namespace ahead::disk
