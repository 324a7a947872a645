// Does the simulated page cache keep and lose what the real one does, when memory is short? A process in a memory
// cgroup of 64 MiB reads lists from a cold disk; what the disk was asked for is held against the simulation.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "sim/lab.h"
#include "tests/disk/access_list.h"
#include "tests/disk/command.h"
#include "tests/disk/played_list.h"

namespace ahead::disk {
namespace {

namespace fs = std::filesystem;

constexpr ByteCount kMemory = 64_MiB;
// Of that, what goes to page tables and the like.
constexpr ByteCount kKernelsOwn = 256_KiB;
constexpr ByteCount kRead = 64_KiB;

AccessList Cycles(const char* name, ByteCount size, int cycles) {
  AccessList list(name, size);
  for (int i = 0; i < cycles; ++i) list.Reads({0}, kRead, size / kRead, kRead);
  return list;
}

// A part that is read again and again, between pieces of a long scan.
AccessList HotPart() {
  constexpr ByteCount kPart = 16_MiB;
  AccessList list("hot", kPart * 9);
  list.Reads({0}, kRead, kPart / kRead, kRead).Reads({0}, kRead, kPart / kRead, kRead);
  for (int64_t i = 1; i < 9; ++i)
    list.Reads(ByteOffset{} + kPart * i, kRead, kPart / kRead, kRead).Reads({0}, kRead, kPart / kRead, kRead);
  return list;
}

AccessList MappedCycles(const char* name, ByteCount size, int cycles) {
  AccessList list(name, size);
  for (int i = 0; i < cycles; ++i) list.Touches({0}, size / 4_KiB, 4_KiB);
  return list;
}

// The same with touches of a mapping.
AccessList MappedHotPart() {
  constexpr ByteCount kPart = 16_MiB;
  AccessList list("mapped-hot", kPart * 9);
  for (int64_t i = 1; i < 9; ++i)
    list.Touches({0}, kPart / 4_KiB, 4_KiB).Touches(ByteOffset{} + kPart * i, kPart / 4_KiB, 4_KiB);
  return list;
}

AccessList MappedBesideScan() {
  constexpr ByteCount kPart = 16_MiB;
  AccessList list("mapped-beside-scan", kPart * 9);
  for (int64_t i = 1; i < 9; ++i)
    list.Touches({0}, kPart / 4_KiB, 4_KiB).Reads(ByteOffset{} + kPart * i, kRead, kPart / kRead, kRead);
  return list;
}

AccessList Random() {
  constexpr ByteCount kSize = 96_MiB;
  AccessList list("random", kSize);
  std::mt19937_64 random(1);
  for (int i = 0; i < 40'000; ++i)
    list.Read({static_cast<int64_t>(random() % static_cast<uint64_t>(kSize / 4_KiB)) * 4096}, 4_KiB);
  return list;
}

// A cgroup whose members together have so much memory, in either hierarchy.
class MemoryGroup {
 public:
  explicit MemoryGroup(ByteCount memory) {
    for (const auto& [root, limit] :
         {std::pair("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), std::pair("/sys/fs/cgroup", "memory.max")}) {
      const fs::path folder = fs::path(root) / ("ahead-memory-test-" + std::to_string(getpid()));
      std::error_code error;
      if (!fs::create_directory(folder, error)) continue;
      folder_ = folder;
      if (Write(folder / limit, std::to_string(memory.value))) return;
      fs::remove(folder, error);
      folder_.clear();
    }
  }
  ~MemoryGroup() {
    std::error_code error;
    if (exists()) fs::remove(folder_, error);
  }
  MemoryGroup(const MemoryGroup&) = delete;

  bool exists() const { return !folder_.empty(); }
  bool Join() const { return Write(folder_ / "cgroup.procs", "0"); }

 private:
  static bool Write(const fs::path& file, const std::string& text) {
    std::ofstream stream(file);
    return stream.is_open() && (stream << text << std::flush).good();
  }

  fs::path folder_;
};

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ahead-memory-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "source");
    fs::create_directory(folder_ / "disk");
  }
  void TearDown() override {
    Unmount();
    fs::remove_all(folder_);
  }

  bool Mount() {
    const Outcome outcome = RunCommand({AHEAD_DISK, folder_ / "source", folder_ / "disk", "--latency", "0",
                                        "--bandwidth", "unlimited", "--in-flight", "1024", "--log", folder_ / "log"});
    error_ = outcome.err;
    is_mounted_ = outcome.status == 0;
    return is_mounted_;
  }
  void Unmount() {
    if (is_mounted_) RunCommand({AHEAD_DISK, "--unmount", folder_ / "disk"});
    is_mounted_ = false;
  }

  // Plays the list on a cold file, in a process of the group. Returns whether that went well.
  bool PlayIn(const MemoryGroup& group, const AccessList& list) {
    const pid_t child = fork();
    if (child == 0)
      _exit(group.Join() && Play(list.work(), folder_ / "disk" / list.name(), folder_ / "disk", Pace::kFree) ? 0 : 1);
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
  }

  int64_t LoggedBytes() {
    std::ifstream log(folder_ / "log");
    int64_t sum = 0;
    int64_t time, offset, size, inode;
    while (log >> time >> offset >> size >> inode) sum += size;
    return sum;
  }

  fs::path folder_;
  std::string error_;
  bool is_mounted_ = false;
};

int64_t SimulatedBytes(const sim::Workload& work) {
  sim::LabDevice device;
  device.parameters = sim::NetParameters{1_us, 0};
  device.in_flight = 1024;
  device.memory = kMemory - kKernelsOwn;
  return sim::RunCell(work, device, {"kernel", sim::LabPolicyKind::kKernelLike, {}, {}}).bytes.value;
}

TEST_F(MemoryTest, SimulatedCacheLosesWhatTheRealOneLoses) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make cgroups";
  if (fs::exists("/sys/kernel/mm/lru_gen/enabled")) GTEST_SKIP() << "this kernel keeps pages by generations";
  for (const AccessList& list : {Cycles("fits", 56_MiB, 2), Cycles("over", 72_MiB, 3), Cycles("far-over", 96_MiB, 2),
                                 HotPart(), Random(), MappedCycles("mapped-fits", 48_MiB, 2),
                                 MappedCycles("mapped-over", 72_MiB, 3), MappedHotPart(), MappedBesideScan()}) {
    SCOPED_TRACE(list.name());
    const MemoryGroup group(kMemory);
    if (!group.exists()) GTEST_SKIP() << "no memory cgroup can be made here";
    std::ofstream(folder_ / "source" / list.name()).flush();
    fs::resize_file(folder_ / "source" / list.name(), static_cast<uintmax_t>(list.work().files[0].size.value));
    if (!Mount() && error_.find("/dev/fuse") != std::string::npos) GTEST_SKIP() << error_;
    ASSERT_TRUE(is_mounted_) << error_;
    ASSERT_TRUE(PlayIn(group, list));
    Unmount();
    // What the kernel takes for itself differs from run to run; it shows in random reads.
    const auto simulated = static_cast<double>(SimulatedBytes(list.work()));
    EXPECT_NEAR(static_cast<double>(LoggedBytes()) / simulated, 1, 0.02);
  }
}

}  // namespace
}  // namespace ahead::disk
