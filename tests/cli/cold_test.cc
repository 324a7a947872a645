#include "cli/cold.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>

#include "cli/residency.h"
#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

constexpr size_t kBytes = 300000;

class ColdTest : public testing::Test {
 protected:
  void SetUp() override {
    struct statfs system;
    ASSERT_EQ(statfs(folder_.path().c_str(), &system), 0);
    if (system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files of a tmpfs never leave memory";
    file_ = folder_.Write("file", std::string(kBytes, 'x'));
    fd_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~ColdTest() override {
    if (fd_ >= 0) close(fd_);
  }

  test::Folder folder_;
  std::string file_;
  int fd_ = -1;
};

TEST_F(ColdTest, FreshlyWrittenFileIsResidentAndEvictedIsNot) {
  EXPECT_EQ(ResidentBytes(fd_), 74 * 4096);
  Cooler cooler(ColdMethod::kEvict, {file_});
  EXPECT_EQ(cooler.MakeCold(), "");
  EXPECT_EQ(ResidentBytes(fd_), 0);
  EXPECT_EQ(cooler.checked(), 1);
  EXPECT_TRUE(cooler.warm().empty());
}

TEST_F(ColdTest, FileThatAProgramMapsIsReportedEachTime) {
  void* mapped = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd_, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  Cooler cooler(ColdMethod::kEvict, {file_});
  cooler.MakeCold();
  cooler.MakeCold();
  munmap(mapped, kBytes);
  ASSERT_EQ(cooler.warm().count(file_), 1);
  EXPECT_EQ(cooler.warm().at(file_).times, 2);
  EXPECT_EQ(cooler.warm().at(file_).most_bytes, 74 * 4096);
}

TEST_F(ColdTest, FileThatIsGoneIsNoProblem) {
  Cooler cooler(ColdMethod::kEvict, {folder_ / "gone", file_});
  EXPECT_EQ(cooler.MakeCold(), "");
  EXPECT_EQ(cooler.checked(), 1);
}

TEST_F(ColdTest, NoMethodLeavesTheFileInMemory) {
  Cooler cooler(ColdMethod::kNone, {file_});
  EXPECT_EQ(cooler.MakeCold(), "");
  EXPECT_EQ(ResidentBytes(fd_), 74 * 4096);
}

TEST_F(ColdTest, SomebodyElsesFileCannotBeTold) {
  if (geteuid() == 0) {
    // As root everything can be told; become somebody in a child.
    const pid_t child = fork();
    if (child == 0) {
      const bool is_somebody = setgid(65534) == 0 && setuid(65534) == 0;
      _exit(!is_somebody ? 2 : ResidentBytes(fd_).has_value() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "cannot become another user";
    EXPECT_EQ(WEXITSTATUS(status), 0) << "mincore would claim that all of it is resident";
    return;
  }
  const int foreign = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(ResidentBytes(foreign).has_value());
  close(foreign);
}

TEST(ColdMethodTest, AutoDropsAsRootAndEvictsOtherwise) {
  EXPECT_EQ(ChooseColdMethod("auto"), geteuid() == 0 ? ColdMethod::kDrop : ColdMethod::kEvict);
  EXPECT_EQ(ChooseColdMethod("drop"), ColdMethod::kDrop);
  EXPECT_EQ(ChooseColdMethod("evict"), ColdMethod::kEvict);
  EXPECT_EQ(ChooseColdMethod("none"), ColdMethod::kNone);
}

}  // namespace
}  // namespace ahead::cli
