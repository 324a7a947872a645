// Memory that is short, in ways that have undone other preloads: many open files at once, shared memory that is full or
// read-only, and mappings of which a program touches little. Cases A5, A12 and A17 of the field failures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/shim/host.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

constexpr int64_t kMiB = 1 << 20;

class SurroundingsTest : public testing::Test {
 protected:
  // Expects the same of a shell script bare, under the preload, and under the preload with statistics.
  void ExpectSame(const std::string& script, const std::string& argument) {
    const Words words = {"sh", "-c", script, argument};
    const Outcome bare = RunBare(words);
    EXPECT_EQ(bare.status, 0) << bare.err;
    EXPECT_EQ(RunPreloaded(words), bare);
    EXPECT_EQ(RunPreloaded(words, {"AHEAD_STATS=" + folder_.Path("statistics")}), bare);
  }

  TemporaryFolder folder_;
  const std::string text_ = folder_.WriteText("text", 3'000'000);
};

TEST_F(SurroundingsTest, FullAndReadOnlySharedMemoryAreNoObstacle) {
  if (RunBare({"unshare", "-m", "true"}).status != 0) GTEST_SKIP() << "may not mount anything here";
  for (const char* options : {"size=4k,mode=1777", "ro"}) {
    SCOPED_TRACE(options);
    ExpectSame("unshare -m sh -c 'mount -t tmpfs -o " + std::string(options) + " t /dev/shm; md5sum $0' \"$0\"", text_);
  }
}

TEST_F(SurroundingsTest, StatisticsFileThatFindsNoRoomEndsNobody) {
  if (RunBare({"unshare", "-m", "true"}).status != 0) GTEST_SKIP() << "may not mount anything here";
  const std::string script =
      "mount -t tmpfs -o size=4k t /mnt; AHEAD_STATS=/mnt/s md5sum \"$0\"; AHEAD_TRACE=/mnt/t md5sum \"$0\"";
  const Words words = {"unshare", "-m", "sh", "-c", script, text_};
  const Outcome bare = RunBare(words);
  const Outcome preloaded = RunPreloaded(words);
  EXPECT_EQ(preloaded.out, bare.out);
  EXPECT_EQ(preloaded.status, bare.status);
}

TEST_F(SurroundingsTest, ConcurrentStartsLeaveNothingBehind) {
  ExpectSame("for i in $(seq 100); do /bin/true & done; wait; ls /dev/shm | grep -c ahead; true", text_);
}

class SlowSurroundingsTest : public testing::Test {
 protected:
  void SetUp() override { AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "500us"}); }

  // Returns the bytes that the disk served for `words`.
  int64_t BytesOf(const Words& words, bool is_preloaded, const Words& variables = {}) {
    disk_.Reset();
    const Outcome outcome = is_preloaded ? RunPreloaded(words, variables) : RunBare(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return disk_.Ask("bytes");
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

// What is ahead of all readers together stays within the budget for the process.
TEST_F(SlowSurroundingsTest, ManyFilesShareTheMemoryOfOneProgram) {
  constexpr int kFiles = 60;
  for (int i = 0; i < kFiles; ++i) folder_.WriteText("source/f" + std::to_string(i), 3 * kMiB);
  const std::string script =
      "import os,sys\n"
      "files=[os.open(sys.argv[1]+str(i),os.O_RDONLY) for i in range(60)]\n"
      "for turn in range(8):\n"
      "  for file in files: os.read(file,65536)\n";
  const Words words = {"python3", "-c", script, disk_.Shown("f")};
  const int64_t bare = BytesOf(words, false);
  const int64_t ahead = BytesOf(words, true, {"AHEAD_MEMORY=4MiB"});
  EXPECT_GE(bare, kFiles * kMiB / 2);
  EXPECT_LE(ahead, bare + 6 * kMiB);
}

TEST_F(SlowSurroundingsTest, SparseTouchesOfAMappingFetchAtMostAFirstWindowMore) {
  folder_.WriteText("source/mapped", 32 * kMiB);
  const std::string script =
      "import mmap,sys\n"
      "file=open(sys.argv[1],'rb'); step=int(sys.argv[2])\n"
      "view=mmap.mmap(file.fileno(),0,prot=mmap.PROT_READ)\n"
      "print(sum(view[at] for at in range(0,len(view),step)))\n";
  for (const char* step : {"4194304", "1048576", "4096"}) {
    SCOPED_TRACE(step);
    const Words words = {"python3", "-c", script, disk_.Shown("mapped"), step};
    const int64_t bare = BytesOf(words, false);
    EXPECT_LE(BytesOf(words, true), bare + bare / 20 + (128 << 10));
  }
}

}  // namespace
}  // namespace ahead::shim_test
