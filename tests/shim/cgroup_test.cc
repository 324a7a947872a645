// Memory that programs share: what a memory cgroup allows, and what other processes of the run hold already.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "stats/segment_map.h"
#include "tests/shim/host.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

constexpr int64_t kMiB = 1 << 20;

// A memory cgroup of version 1, gone after the test.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(int64_t limit_bytes) {
    if (geteuid() != 0) return;
    std::error_code error;
    std::filesystem::create_directory(path_, error);
    is_made_ = !error && static_cast<bool>(std::ofstream(path_ / "memory.limit_in_bytes") << limit_bytes << std::flush);
  }
  ~MemoryCgroup() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  bool is_made() const { return is_made_; }

  // Says whether the kernel took it: it has to take pages away where more are used.
  bool SetLimit(int64_t bytes) const {
    return static_cast<bool>(std::ofstream(path_ / "memory.limit_in_bytes") << bytes << std::flush);
  }

  // Returns the command that runs `argv` in the cgroup.
  Words Inside(const Words& argv) const {
    Words words = {"sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", path_ / "cgroup.procs"};
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }

 private:
  const std::filesystem::path path_ = "/sys/fs/cgroup/memory/ahead-test-" + std::to_string(getpid());
  bool is_made_ = false;
};

class SharedMemoryTest : public testing::Test {
 protected:
  void MakeFile(const std::string& name, int64_t bytes) {
    std::ofstream(disk_.Source(name)).flush();
    std::filesystem::resize_file(disk_.Source(name), static_cast<uintmax_t>(bytes));
  }

  // Returns the bytes that the disk served for `words`.
  int64_t BytesOf(const Words& words, const Words& variables = {}, bool is_preloaded = false) {
    disk_.Reset();
    const Outcome outcome = is_preloaded ? RunPreloaded(words, variables) : RunBare(words, variables);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return disk_.Ask("bytes");
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

TEST_F(SharedMemoryTest, SixtyFourFilesInTurnFetchNoMoreThanBareWithinACgroup) {
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "2ms"});
  const MemoryCgroup cgroup(64 * kMiB);
  if (!cgroup.is_made()) GTEST_SKIP() << "no memory cgroup of version 1 can be made here";
  for (int i = 0; i < 64; ++i) MakeFile("file-" + std::to_string(i), 2 * kMiB);
  const std::string script =
      "import os,sys\n"
      "files=[os.open(sys.argv[1]+str(i),os.O_RDONLY) for i in range(64)]\n"
      "for turn in range(32):\n"
      "  for file in files: os.read(file,65536)\n";
  const Words words = {"python3", "-c", script, disk_.Shown("file-")};
  const int64_t bare = BytesOf(cgroup.Inside(words));
  EXPECT_GE(bare, 128 * kMiB);
  Words ahead = {AHEAD, "run", "--"};
  ahead.insert(ahead.end(), words.begin(), words.end());
  EXPECT_LE(BytesOf(cgroup.Inside(ahead)), bare);
}

// What `ahead run` was not there to tell is found where it matters, once.
// A program that has one thread more, twice.
constexpr const char* kWithThreads =
    "import threading\n"
    "for turn in range(2):\n"
    "  thread=threading.Thread(target=int)\n"
    "  thread.start()\n"
    "  thread.join()\n";

// Later a descriptor of ours would be in the way of the others.
TEST_F(SharedMemoryTest, PreloadedProgramLooksForItsLimitOnceBeforeItHasThreads) {
  const MemoryCgroup cgroup(64 * kMiB);
  if (!cgroup.is_made()) GTEST_SKIP() << "no memory cgroup of version 1 can be made here";
  if (RunBare({"strace", "true"}).status != 0) GTEST_SKIP() << "strace is missing or may not trace";
  const auto times_looked = [&](const Words& traced) {
    const std::string log = folder_.Path("log");
    Words words = {"strace", "-f", "-e", "trace=openat,clone,clone3", "-o", log};
    words.insert(words.end(), traced.begin(), traced.end());
    const Outcome outcome = RunBare(cgroup.Inside(words));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::ifstream lines(log);
    int looked = 0;
    bool has_thread = false;
    for (std::string line; std::getline(lines, line);) {
      has_thread = has_thread || line.find("CLONE_THREAD") != line.npos;
      const bool is_look = line.find("ahead-test-") != line.npos && line.find("memory.limit_in_bytes") != line.npos;
      looked += is_look;
      EXPECT_FALSE(is_look && has_thread) << line;
    }
    return looked;
  };
  const std::string preload = "LD_PRELOAD=" AHEAD_LIBRARY;
  EXPECT_EQ(times_looked({"-E", preload, "python3", "-c", kWithThreads}), 1);
  EXPECT_EQ(times_looked({"-E", preload, "python3", "-c", "pass"}), 0);
  EXPECT_EQ(times_looked({"-E", preload, "-E", "AHEAD_OFF=1", "python3", "-c", kWithThreads}), 0);
}

TEST_F(SharedMemoryTest, PreloadedProgramLooksForItsLimitOnceItHasManyFiles) {
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "1ms"});
  const MemoryCgroup cgroup(64 * kMiB);
  if (!cgroup.is_made()) GTEST_SKIP() << "no memory cgroup of version 1 can be made here";
  if (RunBare({"strace", "true"}).status != 0) GTEST_SKIP() << "strace is missing or may not trace";
  const auto times_looked = [&](int files) {
    for (int i = 0; i < files; ++i) MakeFile("file-" + std::to_string(i), kMiB);
    const std::string script =
        "import os,sys\n"
        "files=[os.open(sys.argv[1]+str(i),os.O_RDONLY) for i in range(int(sys.argv[2]))]\n"
        "for turn in range(4):\n"
        "  for file in files: os.read(file,65536)\n";
    const std::string log = folder_.Path("log");
    const Outcome outcome =
        RunBare(cgroup.Inside({"strace", "-f", "-e", "trace=openat", "-o", log, "-E", "LD_PRELOAD=" AHEAD_LIBRARY,
                               "python3", "-c", script, disk_.Shown("file-"), std::to_string(files)}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::ifstream lines(log);
    int looked = 0;
    for (std::string line; std::getline(lines, line);)
      looked += line.find("ahead-test-") != line.npos && line.find("memory.limit_in_bytes") != line.npos;
    return looked;
  };
  EXPECT_EQ(times_looked(2), 0);
  EXPECT_EQ(times_looked(40), 1);
}

// Sixteen files in turn, until the folder has a file `stop`. Says how many bytes were read.
constexpr const char* kReadUntilStopped =
    "import os,sys\n"
    "files=[os.open(sys.argv[1]+str(i),os.O_RDONLY) for i in range(16)]\n"
    "count=0\n"
    "while not os.path.exists(sys.argv[2]):\n"
    "  for file in files: count+=len(os.read(file,65536))\n"
    "print(count)\n";

TEST_F(SharedMemoryTest, RunFollowsALimitThatChangesWhileItReads) {
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "1ms", "--bandwidth", "100MB/s"});
  const MemoryCgroup cgroup(256 * kMiB);
  if (!cgroup.is_made()) GTEST_SKIP() << "no memory cgroup of version 1 can be made here";
  // More than is read until the test gives up.
  for (int i = 0; i < 16; ++i) MakeFile("file-" + std::to_string(i), 1024 * kMiB);
  const std::string counts = folder_.Path("counts");
  const std::string stop = folder_.Path("stop");
  const SegmentView segment = MapStatsFile(counts.c_str(), getpid());
  ASSERT_TRUE(segment);
  const auto said = [&] { return __atomic_load_n(&segment->memory_bytes, __ATOMIC_RELAXED); };
  const auto wait_until = [&](const auto& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_so() && std::chrono::steady_clock::now() < deadline) usleep(10'000);
    return is_so();
  };

  Outcome outcome;
  disk_.Reset();
  std::thread run([&] {
    outcome = RunBare(cgroup.Inside(
        {AHEAD, "run", "--stats", counts, "--", "python3", "-c", kReadUntilStopped, disk_.Shown("file-"), stop}));
  });
  EXPECT_TRUE(wait_until([&] { return said() > 128 * kMiB; })) << said();
  // While it reads: something of it is outstanding.
  EXPECT_TRUE(wait_until([&] { return HeldByOthers(segment, nullptr).bytes > 0; }));
  EXPECT_TRUE(wait_until([&] { return cgroup.SetLimit(48 * kMiB); }));
  EXPECT_TRUE(wait_until([&] { return said() <= 36 * kMiB; })) << said();
  const int64_t low = said();
  EXPECT_TRUE(cgroup.SetLimit(256 * kMiB));
  EXPECT_TRUE(wait_until([&] { return said() > low; })) << "it grows again";
  std::ofstream(stop).flush();
  run.join();
  UnmapSegment(segment);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const int64_t read = std::stoll(outcome.out);
  // Nothing thrashed: what came twice, and what was fetched and not read at the end.
  EXPECT_LE(disk_.Ask("bytes"), read + read / 20 + 64 * kMiB);
}

TEST_F(SharedMemoryTest, WhatAnotherProcessOfTheRunHoldsIsNotThereToBeFilled) {
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "20ms"});
  constexpr int64_t kRead = 64 * kMiB;
  MakeFile("file", 4 * kRead);
  const std::string script =
      "import os,sys\n"
      "file=os.open(sys.argv[1],os.O_RDONLY)\n"
      "for turn in range(1024): os.read(file,65536)\n";
  // What is ahead of a reader alone when it ends depends on how fast it was. Where there is no room it is what the
  // kernel has by itself, two windows, however fast.
  constexpr int64_t kKernelWindows = 2 * 128 << 10;
  const std::string shared = folder_.Path("shared");
  const SegmentView segment = MapStatsFile(shared.c_str(), getpid());
  ASSERT_TRUE(segment);
  Block* const block = ClaimBlock(segment, getpid());
  ASSERT_NE(block, nullptr);
  TellHeld(*block, {int64_t{1} << 40, 100});
  const Words words = {"python3", "-c", script, disk_.Shown("file")};
  EXPECT_LE(BytesOf(words, {"AHEAD_STATS=" + shared}, true) - kRead, kKernelWindows);
  UnmapSegment(segment);

  // Alone it asks for more than that at a time. Last, for what it has asked for when it ends still comes.
  MakeFile("other", 4 * kRead);
  const Words alone = {"python3", "-c", script, disk_.Shown("other")};
  EXPECT_GE(BytesOf(alone, {"AHEAD_STATS=" + folder_.Path("alone")}, true), kRead);
  EXPECT_GT(disk_.Ask("max_in_flight"), 2) << "nothing to be shared";
}

}  // namespace
}  // namespace ahead::shim_test
