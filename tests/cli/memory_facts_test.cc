#include "cli/memory_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/cli/fake_machine.h"

namespace ahead::cli {
namespace {

MemoryNow Look(const test::FakeMachine& machine) { return LookAtMemory(machine.root()).now; }

TEST(MemoryFactsTest, WithoutALimitItIsWhatIsAvailable) {
  const test::FakeMachine machine;
  EXPECT_EQ(Look(machine).limit, ByteCount{});
  EXPECT_EQ(Look(machine).total, 16_GiB);
  EXPECT_EQ(Look(machine).available, 8_GiB);
  machine.Put("proc/self/cgroup", "0::/user/shell\n");
  machine.Put("sys/fs/cgroup/user/shell/memory.max", "max\n");
  EXPECT_EQ(Look(machine).limit, ByteCount{});
}

TEST(MemoryFactsTest, EachLevelHasALimitAndWhatIsLeftOfIt) {
  const test::FakeMachine machine;
  machine.Put("proc/self/cgroup", "0::/a/b\n");
  machine.Put("sys/fs/cgroup/a/b/memory.max", "67108864\n");
  machine.Put("sys/fs/cgroup/a/b/memory.current", "1048576\n");
  machine.Put("sys/fs/cgroup/a/memory.high", "134217728\n");
  machine.Put("sys/fs/cgroup/a/memory.current", "125829120\n");
  EXPECT_EQ(Look(machine).limit, 64_MiB);
  EXPECT_EQ(Look(machine).left, 8_MiB) << "another below a uses it";
}

TEST(MemoryFactsTest, PagesThatTheKernelTakesBackAreLeft) {
  const test::FakeMachine machine;
  machine.Put("proc/self/cgroup", "0::/a\n");
  machine.Put("sys/fs/cgroup/a/memory.max", "67108864\n");
  machine.Put("sys/fs/cgroup/a/memory.current", "67108864\n");
  machine.Put("sys/fs/cgroup/a/memory.stat", "anon 12582912\nactive_file 8388608\ninactive_file 41943040\n");
  EXPECT_EQ(Look(machine).left, 44_MiB);
}

TEST(MemoryFactsTest, VersionOneCountsWhatIsBelowAsWell) {
  const test::FakeMachine machine;
  machine.Put("proc/self/cgroup", "7:cpu,cpuacct:/x\n5:memory:/a/b\n0::/\n");
  machine.Put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  machine.Put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "33554432\n");
  machine.Put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "33554432\n");
  machine.Put("sys/fs/cgroup/memory/a/memory.stat",
              "inactive_file 4096\nactive_file 4096\ntotal_inactive_file 8388608\ntotal_active_file 4194304\n");
  machine.Put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(Look(machine).limit, 32_MiB);
  EXPECT_EQ(Look(machine).left, 10_MiB);
}

TEST(MemoryFactsTest, PressureIsOfTheCgroupWhereItHasOneAndElseOfTheMachine) {
  const test::FakeMachine machine;
  const std::string of_machine = machine.root() + "/proc/pressure/memory";
  machine.Put("proc/self/cgroup", "4:memory:/b\n0::/a\n");
  EXPECT_EQ(LookAtMemory(machine.root()).stalled_microseconds, -1);
  EXPECT_EQ(PressureFile(machine.root()), "");
  machine.Put("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=70\nfull total=3\n");
  machine.Put("sys/fs/cgroup/unified/memory.pressure", "some total=99\n");
  EXPECT_EQ(PressureFile(machine.root()), of_machine) << "the root of version 2 has the machine's";
  EXPECT_EQ(LookAtMemory(machine.root()).stalled_microseconds, 70);
  EXPECT_FALSE(Look(machine).is_pressure_own);
  machine.Put("sys/fs/cgroup/unified/a/memory.pressure", "some total=5\n");
  machine.Put("sys/fs/cgroup/unified/a/cgroup.type", "domain\n");
  EXPECT_EQ(LookAtMemory(machine.root()).stalled_microseconds, 5);
  EXPECT_TRUE(Look(machine).is_pressure_own);
}

TEST(MemoryFactsTest, NothingThatCanBeReadIsNothingKnown) {
  const test::FakeMachine machine;
  machine.Remove("proc");
  EXPECT_EQ(Budget().Look(Look(machine)), ByteCount{});
}

}  // namespace
}  // namespace ahead::cli
