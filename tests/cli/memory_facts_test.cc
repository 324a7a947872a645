#include "cli/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ahead::cli {
namespace {

constexpr int64_t kMiB = 1 << 20;

// A made-up machine: its proc and sys in a folder.
class MemoryLimitTest : public testing::Test {
 protected:
  MemoryLimitTest() {
    std::string name = testing::TempDir() + "ahead-memory-XXXXXX";
    root_ = mkdtemp(name.data());
    Put("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  100 kB\nMemAvailable:    8388608 kB\n");
  }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(MemoryLimitTest, WithoutALimitItIsAnEighthOfWhatIsAvailable) {
  EXPECT_EQ(MemoryForFiles(root_), 1024 * kMiB);
  Put("proc/self/cgroup", "0::/user/shell\n");
  Put("sys/fs/cgroup/user/shell/memory.max", "max\n");
  EXPECT_EQ(MemoryForFiles(root_), 1024 * kMiB);
}

TEST_F(MemoryLimitTest, VersionTwoGivesThreeQuartersOfTheLeastLimitOfAllLevels) {
  Put("proc/self/cgroup", "0::/a/b/c\n");
  Put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  Put("sys/fs/cgroup/a/b/memory.max", "67108864\n");
  Put("sys/fs/cgroup/a/memory.max", "134217728\n");
  EXPECT_EQ(MemoryForFiles(root_), 48 * kMiB);
}

TEST_F(MemoryLimitTest, VersionOneIsFoundByItsController) {
  Put("proc/self/cgroup", "7:cpu,cpuacct:/x\n5:memory:/a/b\n0::/\n");
  Put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  Put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "33554432\n");
  Put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(MemoryForFiles(root_), 24 * kMiB);
}

TEST_F(MemoryLimitTest, InAContainerTheRootOfTheMountCounts) {
  Put("proc/self/cgroup", "5:memory:/docker/0123\n");
  Put("sys/fs/cgroup/memory/memory.limit_in_bytes", "16777216\n");
  EXPECT_EQ(MemoryForFiles(root_), 12 * kMiB);
}

TEST_F(MemoryLimitTest, NothingThatCanBeReadIsNoLimit) {
  std::filesystem::remove_all(root_ + "/proc");
  EXPECT_EQ(MemoryForFiles(root_), 0);
}

}  // namespace
}  // namespace ahead::cli
