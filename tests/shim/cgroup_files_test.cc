// What the kernel says of cgroups, as the library reads it.
#include <gtest/gtest.h>

#include <string>

#include "shim/cgroup.h"

namespace ahead {
namespace {

// Returns the version and the path that are found in `text`; "" for none.
std::string Found(const std::string& text) {
  MemoryCgroup found;
  if (!FindMemoryCgroup(text.data(), text.size(), found)) return "";
  return (found.is_v2 ? "2 " : "1 ") + std::string(found.path);
}

int64_t Limit(const std::string& text) { return ParseLimit(text.data(), text.size()); }

TEST(CgroupFilesTest, UnifiedHierarchyHasOneLine) {
  EXPECT_EQ(Found("0::/user.slice/app:1.scope\n"), "2 /user.slice/app:1.scope");
  EXPECT_EQ(Found("0::/"), "2 /");
}

TEST(CgroupFilesTest, MemoryIsOneOfTheControllersOfALineOfVersionOne) {
  EXPECT_EQ(Found("5:cpu,cpuacct:/a\n4:hugetlb,memory:/b/c\n1:name=systemd:/d\n"), "1 /b/c");
  EXPECT_EQ(Found("0::/unified\n4:memory:/b\n"), "1 /b") << "the controller is in one of them only";
  EXPECT_EQ(Found("4:memory:/b\n0::/unified\n"), "1 /b");
}

TEST(CgroupFilesTest, NothingIsFoundWhereNothingIs) {
  EXPECT_EQ(Found(""), "");
  EXPECT_EQ(Found("4:memory"), "");
  EXPECT_EQ(Found("nonsense\n:\n5:memory2,mem:/a\n"), "");
  EXPECT_EQ(Found("0::/" + std::string(600, 'x') + "\n"), "") << "too long";
}

TEST(CgroupFilesTest, LimitIsANumberBelowWhatStandsForNone) {
  EXPECT_EQ(Limit("67108864\n"), 64 << 20);
  EXPECT_EQ(Limit("max\n"), 0);
  EXPECT_EQ(Limit("9223372036854771712\n"), 0);
  EXPECT_EQ(Limit("99999999999999999999999999"), 0);
  EXPECT_EQ(Limit(""), 0);
  EXPECT_EQ(Limit("-1\n"), 0);
}

}  // namespace
}  // namespace ahead
