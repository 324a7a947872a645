// Files that change under their reader, files of odd kinds and disks that go bad: on a local disk, in memory and on the
// slow disk, where the engine fetches most. Cases A11, A15 and A16 of the field failures, named in each program.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/shim/arms.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

using testing::HasSubstr;

constexpr size_t kTextBytes = 8'000'000;

class ChangingFilesTest : public ArmsTest {
 protected:
  void WriteSource(const std::string& name, size_t bytes) { folder_.WriteText("source/" + name, bytes); }

  SlowDisk disk_{folder_};
};

TEST_F(ChangingFilesTest, EachReaderSeesTheChangesAsBefore) {
  const std::string file = folder_.Path("changing");
  EXPECT_THAT(ExpectSameInAllArms({Host("changing_file"), file, file}).out, HasSubstr("the first again\n"));
}

TEST_F(ChangingFilesTest, EachReaderOfTheSlowDiskSeesTheChangesAsBefore) {
  AHEAD_MOUNT_OR_SKIP(disk_);
  EXPECT_EQ(ExpectSameInAllArms({Host("changing_file"), disk_.Shown("file"), disk_.Source("file")}).status, 0);
}

constexpr const char* kNoGaps =
    "writer 0\nfollower 0: records 120000 gaps 0\nfollower 1: records 120000 gaps 0\n"
    "follower 2: records 120000 gaps 0\nfollower 3: records 120000 gaps 0\n";

TEST_F(ChangingFilesTest, FollowersMissNothingThatIsAppended) {
  const std::string file = folder_.Path("followed");
  EXPECT_EQ(ExpectSameInAllArms({Host("follower"), file, file}).out, kNoGaps);
}

TEST_F(ChangingFilesTest, FollowersOnTheSlowDiskMissNothingThatIsAppended) {
  AHEAD_MOUNT_OR_SKIP(disk_);
  EXPECT_EQ(ExpectSameInAllArms({Host("follower"), disk_.Shown("file"), disk_.Source("file")}).out, kNoGaps);
}

TEST_F(ChangingFilesTest, TailFollowsAWriterToItsEnd) {
  const std::string script =
      "(i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done >> \"$0\") & tail -n +1 -s "
      "0.01 --pid=$! -f \"$0\"; wait";
  const std::string file = folder_.Path("log");
  const Outcome bare = ExpectSameInAllArms({"sh", "-c", script, file}, [&] { std::ofstream(file) << "begin\n"; });
  EXPECT_THAT(bare.out, testing::EndsWith("line 299\n"));
}

TEST_F(ChangingFilesTest, RsyncUpdatesInPlaceAndAppends) {
  if (RunBare({"rsync", "--version"}).status != 0) GTEST_SKIP() << "no rsync here";
  const std::string script =
      "set -e; cd \"$0\"; cp whole new; head -c 3000000 whole > old; echo different | dd of=old bs=1 seek=100000 "
      "conv=notrunc 2> errors; rsync --inplace --no-whole-file --checksum new old; cmp new old; head -c 5000000 whole "
      "> "
      "part; rsync --append new part; cmp new part; cksum < part";
  folder_.WriteText("whole", kTextBytes);
  EXPECT_EQ(ExpectSameInAllArms({"sh", "-c", script, folder_.Path("")}).status, 0);
}

TEST_F(ChangingFilesTest, FilesLargerThanMemoryAreReadUpToTheLastOffset) {
  const std::string file = folder_.Path("huge");
  EXPECT_EQ(ExpectSameInAllArms({Host("huge_file"), file, file}).status, 0);
}

TEST_F(ChangingFilesTest, FilesInMemoryAreReadUpToTheLastOffset) {
  EXPECT_THAT(ExpectSameInAllArms({Host("huge_file"), "memfd", "memfd"}).out, HasSubstr("size 9223372036854775807\n"));
}

TEST_F(ChangingFilesTest, SlowFilesLargerThanMemoryAreReadAsTheyAre) {
  AHEAD_MOUNT_OR_SKIP(disk_);
  const std::string size = std::to_string(int64_t{64} << 30);
  EXPECT_THAT(ExpectSameInAllArms({Host("huge_file"), disk_.Shown("huge"), disk_.Source("huge"), size}).out,
              HasSubstr("size " + size + "\n"));
}

TEST_F(ChangingFilesTest, FilesOfTheKernelAreReadAsTheyAre) {
  for (const char* path :
       {"/proc/version", "/proc/filesystems", "/proc/self/cmdline", "/proc/self/pagemap", "/proc/self/mem",
        "/proc/kallsyms", "/proc/self/task", "/proc/sys/kernel/ostype", "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/kernel/btf/vmlinux", "/sys/kernel/notes", "/sys/devices/system/cpu/online", "/dev/zero", "/dev/null",
        "/dev/full", "/dev/mem", "/", "/proc/nonexistent"}) {
    SCOPED_TRACE(path);
    ExpectSameInAllArms({Host("odd_file"), path, "300000"});
  }
}

TEST_F(ChangingFilesTest, FilesInSharedMemoryAreReadAsTheyAre) {
  std::string name = "/dev/shm/ahead-test-XXXXXX";
  const int fd = mkstemp(name.data());
  if (fd < 0) GTEST_SKIP() << "no shared memory here";
  std::ofstream(name) << std::ifstream(folder_.WriteText("text", kTextBytes)).rdbuf();
  ExpectSameInAllArms({Host("odd_file"), name});
  ExpectSameInAllArms({Host("changing_file"), name, name});
  unlink(name.c_str());
  close(fd);
}

TEST_F(ChangingFilesTest, DescriptorsOfEveryKindAreReadAsTheyAre) {
  ExpectSameInAllArms({Host("odd_descriptors"), folder_.WriteText("text", kTextBytes), folder_.Path("")});
  WriteSource("file", kTextBytes);
  AHEAD_MOUNT_OR_SKIP(disk_);
  EXPECT_EQ(ExpectSameInAllArms({Host("odd_descriptors"), disk_.Shown("file"), folder_.Path("")}).status, 0);
}

TEST_F(ChangingFilesTest, DirectReadsAreReadAsTheyAre) {
  WriteSource("file", kTextBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--direct-io", "on", "--latency", "0"});
  ExpectSameInAllArms({Host("odd_file"), disk_.Shown("file")});
}

// Mounts in a mount namespace of the test's own process tree would be gone with it; these are unmounted by the script.
class MountsTest : public ChangingFilesTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root may mount";
    if (RunBare({"unshare", "-m", "true"}).status != 0) GTEST_SKIP() << "no mount namespace may be made here";
  }

  // Runs `then` in a mount namespace of its own after `mounts`, a script with the folder as $0.
  void ExpectSameBehind(const std::string& mounts, const std::string& then) {
    const std::string script = "cd \"$0\" && { " + mounts + "; } > mount-log 2>&1 || exit 77; " + then;
    const Words words = {"unshare", "-m", "sh", "-c", script, folder_.Path("")};
    if (RunBare(words).status == 77) GTEST_SKIP() << "cannot be mounted here: " << mounts;
    EXPECT_EQ(ExpectSameInAllArms(words).status, 0);
  }
};

TEST_F(MountsTest, OverlayIsReadAsItIs) {
  WriteSource("file", kTextBytes);
  ExpectSameBehind(
      "mkdir -p o u; mount -t tmpfs none u && mkdir u/up u/work && mount -t overlay none o -o "
      "lowerdir=source,upperdir=u/up,workdir=u/work",
      Host("odd_file") + " o/file; echo more >> o/file; " + Host("odd_file") + " o/file; " + Host("changing_file") +
          " o/changing o/changing");
}

TEST_F(MountsTest, LoopDevicesAndTheirFilesAreReadAsTheyAre) {
  ExpectSameBehind(
      "rm -f image; truncate -s 64M image && mkfs.ext4 -q image && mkdir -p m && loop=$(losetup -f --show image) && "
      "{ mount $loop m && dd if=/dev/zero of=m/file bs=1M count=20 && echo end >> m/file && sync; }",
      Host("odd_file") + " m/file; " + Host("changing_file") + " m/c m/c; " + Host("odd_file") +
          " $loop 1000000 > seen; wc -l < seen; umount m; losetup -d $loop");
}

// A program that never comes to the bad sector must not hear of it, however far ahead is fetched; one that does hears
// it at the same byte.
TEST_F(ChangingFilesTest, BadSectorIsMetWhereItIs) {
  WriteSource("file", kTextBytes);
  for (const char* place : {"0", "135168", "1MiB+1", "1000000+300000", "7999000"}) {
    SCOPED_TRACE(place);
    SlowDisk& bad = disk_;
    AHEAD_MOUNT_OR_SKIP(bad, {"--fail-at", place});
    EXPECT_THAT(ExpectSameInAllArms({Host("odd_file"), bad.Shown("file")}).out, HasSubstr("errno 5\n"));
    ASSERT_EQ(bad.Unmount(), "");
  }
}

TEST_F(ChangingFilesTest, BadSectorAheadIsNotHeardOf) {
  WriteSource("file", kTextBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--fail-at", "2MiB+5MiB"});
  const Words words = {Host("odd_file"), disk_.Shown("file"), std::to_string((2 << 20) - 65536), "no more"};
  EXPECT_THAT(ExpectSameInAllArms(words).out, testing::Not(HasSubstr("errno 5")));
}

// The bad range is 4 MiB in, and long. What is asked for beyond the reader is one window at most, and no more of it
// comes when the reader has met the error, tries again, or goes on past it.
TEST_F(ChangingFilesTest, ErrorsEndTheFetchingAhead) {
  WriteSource("file", 16 << 20);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--fail-at", "4MiB+8MiB"});
  const std::string file = disk_.Shown("file");
  const std::string retries = "for i in 1 2 3 4 5 6 7 8 9; do dd bs=4k skip=1024 count=1 status=none < \"$0\"; done";
  const struct {
    const char* name;
    Words words;
    int64_t most_more;
  } readers[] = {{"stops before it", {"head", "-c", "4000000", file}, 32},
                 {"stops at it", {"dd", "if=" + file, "of=/dev/null", "bs=64k", "status=none"}, 32},
                 {"tries again", {"sh", "-c", retries, file}, 32},
                 {"goes on", {"dd", "if=" + file, "of=/dev/null", "bs=64k", "conv=noerror", "status=none"}, 32}};
  for (const auto& reader : readers) {
    SCOPED_TRACE(reader.name);
    disk_.Reset();
    const Outcome bare = RunBare(reader.words);
    const int64_t failures = disk_.Ask("failures");
    disk_.Reset();
    const Outcome preloaded = RunPreloaded(reader.words);
    EXPECT_EQ(preloaded.status, bare.status);
    EXPECT_EQ(preloaded.out, bare.out);
    EXPECT_EQ(preloaded.err, bare.err);
    EXPECT_LE(disk_.Ask("failures"), failures + reader.most_more);
  }
}

TEST_F(ChangingFilesTest, DeadDiskIsDeadForAllReaders) {
  WriteSource("file", 32 << 20);
  const Words options = {"--attr-timeout", "1000s"};  // so that what is cached can still be read
  AHEAD_MOUNT_OR_SKIP(disk_, options);
  // Waits for the end, because until then a request is answered in another way.
  const std::string kill =
      "pid=$(" AHEAD_DISK " --query " + disk_.Shown("") +
      " | sed -n 's/.*\"pid\": //p' | tr -d ,); kill -9 $pid; while [ -d /proc/$pid ]; do sleep 0.01; done";
  bool is_first = true;
  const auto revive = [&] {
    if (is_first) return;
    EXPECT_EQ(disk_.Unmount(), "");
    EXPECT_EQ(disk_.Mount(options), "");
  };
  const Outcome bare = ExpectSameInAllArms({Host("dying_disk"), disk_.Shown("file"), kill}, [&] {
    revive();
    is_first = false;
  });
  EXPECT_THAT(bare.out, HasSubstr("errno 107\n"));
}

// Case A16: a refusal is taken for an answer.
TEST_F(ChangingFilesTest, NoFileIsAskedAboutAgainAfterItRefused) {
  if (RunBare({"strace", "-o", "/dev/null", "true"}).status != 0) GTEST_SKIP() << "strace is missing or may not trace";
  WriteSource("file", kTextBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--direct-io", "on", "--latency", "0"});
  const std::string memory = "/dev/shm/ahead-test-" + std::to_string(getpid());
  std::ofstream(memory) << std::ifstream(disk_.Source("file")).rdbuf();
  const std::string log = folder_.Path("log");
  for (const std::string& path : {disk_.Shown("file"), memory, std::string("/proc/cpuinfo"), std::string("/dev/zero"),
                                  std::string("/sys/kernel/btf/vmlinux"), std::string("/proc/self/mem")}) {
    SCOPED_TRACE(path);
    // The host itself asks for advice four times.
    RunBare({"strace", "-f", "-e", "trace=readahead,fadvise64,madvise,cachestat,preadv2,statx", "-o", log, "-E",
             "LD_PRELOAD=" AHEAD_LIBRARY, Host("backward"), path});
    RunBare({"strace", "-f", "-e", "trace=readahead,fadvise64,madvise,cachestat,preadv2,statx", "-A", "-o", log, "-E",
             "LD_PRELOAD=" AHEAD_LIBRARY, "dd", "if=" + path, "of=/dev/null", "bs=4k", "count=1500"});
    std::ifstream lines(log);
    int failed = 0;
    for (std::string line; std::getline(lines, line);) failed += line.find(" = -1 ") != std::string::npos;
    EXPECT_LT(failed, 5);
  }
  unlink(memory.c_str());
}

}  // namespace
}  // namespace ahead::shim_test
