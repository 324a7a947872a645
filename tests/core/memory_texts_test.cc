// What the kernel says of memory and cgroups, text by text.
#include "core/memory_texts.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ahead {
namespace {

using Folders = std::vector<std::string>;

// Returns the folders that are looked into, those of version 2 with a mark.
Folders Found(const std::string& text, const char* root = "") {
  CgroupFolders folders;
  folders.Begin(text.data(), text.size(), root);
  Folders found;
  while (folders.Next()) {
    const char* const path = folders.File("x");
    found.push_back(path == nullptr ? "too long" : (folders.is_v2() ? "2 " : "1 ") + std::string(path));
  }
  return found;
}

// Returns the least limit that a machine with these files has.
int64_t LeastLimit(const std::string& text, const std::map<std::string, std::string>& files) {
  CgroupFolders folders;
  folders.Begin(text.data(), text.size(), "");
  int64_t least = 0;
  while (folders.Next()) {
    const int64_t limit = LimitHere(folders, [&](const char* path, char* to, size_t size) {
      const auto file = files.find(path);
      return file == files.end() ? size_t{0} : file->second.copy(to, size);
    });
    if (limit > 0 && (least == 0 || limit < least)) least = limit;
  }
  return least;
}

int64_t Limit(const std::string& text) { return ParseLimit(text.data(), text.size()); }
int64_t After(const char* name, const std::string& text) { return NumberAfter(name, text.data(), text.size()); }
int64_t Stalled(const std::string& text) { return StalledMicroseconds(text.data(), text.size()); }

TEST(CgroupFoldersTest, UnifiedHierarchyIsWalkedUpAtBothPlacesItMayBeMounted) {
  EXPECT_EQ(Found("0::/user.slice/app:1.scope\n"),
            (Folders{"2 /sys/fs/cgroup/user.slice/app:1.scope/x", "2 /sys/fs/cgroup/user.slice/x", "2 /sys/fs/cgroup/x",
                     "2 /sys/fs/cgroup/unified/user.slice/app:1.scope/x", "2 /sys/fs/cgroup/unified/user.slice/x",
                     "2 /sys/fs/cgroup/unified/x"}));
  EXPECT_EQ(Found("0::/"), (Folders{"2 /sys/fs/cgroup/x", "2 /sys/fs/cgroup/unified/x"}));
}

TEST(CgroupFoldersTest, MemoryIsOneOfTheControllersOfALineOfVersionOne) {
  EXPECT_EQ(Found("5:cpu,cpuacct:/a\n4:hugetlb,memory:/b/c\n1:name=systemd:/d\n"),
            (Folders{"1 /sys/fs/cgroup/memory/b/c/x", "1 /sys/fs/cgroup/memory/b/x", "1 /sys/fs/cgroup/memory/x"}));
}

TEST(CgroupFoldersTest, WhereBothVersionsAreBothCount) {
  EXPECT_EQ(Found("4:memory:/b\n0::/\n", "/root"),
            (Folders{"1 /root/sys/fs/cgroup/memory/b/x", "1 /root/sys/fs/cgroup/memory/x", "2 /root/sys/fs/cgroup/x",
                     "2 /root/sys/fs/cgroup/unified/x"}));
}

TEST(CgroupFoldersTest, CgroupOutsideOfItsNamespaceLeavesTheRoot) {
  EXPECT_EQ(Found("4:memory:/../../outer\n"), (Folders{"1 /sys/fs/cgroup/memory/x"}));
}

TEST(CgroupFoldersTest, NothingIsFoundWhereNothingIs) {
  for (const char* const text : {"", "4:memory", "nonsense\n:\n5:memory2,mem:/a\n", "\n\n"})
    EXPECT_EQ(Found(text), Folders{}) << text;
}

TEST(CgroupFoldersTest, PathTooLongLeavesTheRootAndAFolderTooLongForANameThoseAbove) {
  EXPECT_EQ(Found("7:memory:/" + std::string(2000, 'x') + "\n"), (Folders{"1 /sys/fs/cgroup/memory/x"}));
  EXPECT_EQ(Found("7:memory:/" + std::string(1024 - 24, 'x') + "\n"),
            (Folders{"too long", "1 /sys/fs/cgroup/memory/x"}));
}

TEST(LimitHereTest, LeastOfAllLevelsAndOfBothNamesOfVersionTwo) {
  const std::string base = "/sys/fs/cgroup";
  EXPECT_EQ(LeastLimit("0::/a/b/c\n", {{base + "/a/b/c/memory.max", "max\n"},
                                       {base + "/a/b/memory.max", "67108864\n"},
                                       {base + "/a/memory.max", "134217728\n"}}),
            64 << 20);
  EXPECT_EQ(LeastLimit("0::/a\n", {{base + "/a/memory.max", "67108864\n"}, {base + "/a/memory.high", "33554432\n"}}),
            32 << 20);
}

TEST(LimitHereTest, LimitIsFoundInEitherHierarchy) {
  const std::string both = "5:memory:/a\n0::/b\n";
  EXPECT_EQ(LeastLimit(both, {{"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "33554432\n"}}), 32 << 20);
  EXPECT_EQ(LeastLimit(both, {{"/sys/fs/cgroup/unified/b/memory.max", "33554432\n"}}), 32 << 20);
  EXPECT_EQ(LeastLimit(both, {{"/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "33554432\n"}}), 0) << "not its own";
}

TEST(LimitHereTest, InAContainerTheRootOfTheMountCounts) {
  EXPECT_EQ(LeastLimit("5:memory:/docker/0123\n", {{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "16777216\n"}}),
            16 << 20);
  EXPECT_EQ(LeastLimit("0::/\n", {{"/sys/fs/cgroup/memory.max", "16777216\n"}}), 16 << 20);
}

TEST(MemoryTextsTest, LimitIsANumberBelowWhatStandsForNone) {
  EXPECT_EQ(Limit("67108864\n"), 64 << 20);
  EXPECT_EQ(Limit("max\n"), 0);
  EXPECT_EQ(Limit("9223372036854771712\n"), 0);
  EXPECT_EQ(Limit("99999999999999999999999999"), 0);
  EXPECT_EQ(Limit("111111111111111111111"), 0) << "above 2^64, and a small number when cut";
  EXPECT_EQ(Limit(""), 0);
  EXPECT_EQ(Limit("-1\n"), 0);
}

TEST(MemoryTextsTest, NumberIsThatOfTheWholeName) {
  const std::string text = "inactive_file 5\ntotal_inactive_file 77\nMemAvailable:   123 kB\nempty\nactive_file x";
  EXPECT_EQ(After("inactive_file", text), 5);
  EXPECT_EQ(After("total_inactive_file", text), 77);
  EXPECT_EQ(After("MemAvailable:", text), 123);
  EXPECT_EQ(After("inactive", text), -1);
  EXPECT_EQ(After("empty", text), -1);
  EXPECT_EQ(After("active_file", text), -1);
  EXPECT_EQ(After("active_file", ""), -1);
}

TEST(MemoryTextsTest, PressureIsTheTotalOfSome) {
  EXPECT_EQ(Stalled("some avg10=0.00 avg60=0.00 avg300=0.00 total=158347877\nfull avg10=0.00 total=7\n"), 158347877);
  EXPECT_EQ(Stalled("full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"), -1);
  EXPECT_EQ(Stalled("some avg10=0.00\nfull total=7\n"), -1);
  EXPECT_EQ(Stalled(""), -1);
}

}  // namespace
}  // namespace ahead
