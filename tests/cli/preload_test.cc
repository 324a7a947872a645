#include "cli/preload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

using testing::HasSubstr;

class PreloadTest : public testing::Test {
 protected:
  test::Folder folder_;
  std::string ours_ = folder_.Write("here/libahead.so", "");
};

TEST_F(PreloadTest, LibraryComesInFrontAndTheRestStaysWordForWord) {
  EXPECT_EQ(PreloadWith("", ours_), ours_);
  EXPECT_EQ(PreloadWith("/a.so", ours_), ours_ + ":/a.so");
  EXPECT_EQ(PreloadWith("/a.so b.so:/c.so ", ours_), ours_ + ":/a.so b.so:/c.so ");
}

TEST_F(PreloadTest, LibraryThatIsThereAlreadyIsNotAddedAgain) {
  EXPECT_EQ(PreloadWith("/a.so:" + ours_, ours_), "/a.so:" + ours_);
  std::filesystem::create_symlink(ours_, folder_ / "link.so");
  EXPECT_EQ(PreloadWith(folder_ / "link.so", ours_), folder_ / "link.so") << "the same file by another name";
}

TEST_F(PreloadTest, LibraryThatIsThereSeveralTimesStaysOnce) {
  std::filesystem::create_symlink(ours_, folder_ / "link.so");
  const std::string link = folder_ / "link.so";
  EXPECT_EQ(PreloadWith("/a.so " + ours_ + ":/b.so " + link + " " + ours_, ours_), "/a.so:" + ours_ + ":/b.so");
  EXPECT_EQ(PreloadWith(PreloadWith("/a.so /b.so", ours_), ours_), PreloadWith("/a.so /b.so", ours_));
}

TEST_F(PreloadTest, RelativeNameOfTheLibraryBecomesAbsoluteInItsPlace) {
  const std::string relative = std::filesystem::relative(ours_);
  EXPECT_EQ(PreloadWith("/a.so:" + relative + ":/b.so", ours_), "/a.so:" + ours_ + ":/b.so");
}

TEST_F(PreloadTest, NameThatTheLoaderLooksUpElsewhereIsNotOursAlthoughTheFolderHasOne) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_ / "here");
  EXPECT_EQ(PreloadWith("libahead.so", ours_), ours_);
  std::filesystem::current_path(before);
}

TEST_F(PreloadTest, ValueThatTheKernelWouldRefuseIsToo) {
  const size_t most = 32 * static_cast<size_t>(sysconf(_SC_PAGESIZE)) - sizeof "LD_PRELOAD=";
  EXPECT_EQ(WhyTooLong(std::string(most, 'x')), "");
  EXPECT_THAT(WhyTooLong(std::string(most + 1, 'x')), HasSubstr("bytes; the kernel takes"));
}

TEST_F(PreloadTest, AnotherCopyOfTheLibraryGivesWay) {
  const std::string other = folder_.Write("there/libahead.so", "");
  EXPECT_EQ(PreloadWith("/a.so:" + other + " /b.so", ours_), ours_ + ":/a.so:/b.so");
  EXPECT_EQ(PreloadWith(ours_ + ":" + other, ours_), ours_);
}

TEST_F(PreloadTest, LibraryIsTakenOutForABareRun) {
  EXPECT_EQ(PreloadWithout("/a.so:" + ours_ + " /b.so", ours_), "/a.so:/b.so");
  EXPECT_EQ(PreloadWithout(ours_, ours_), "");
}

TEST_F(PreloadTest, PathThatLdPreloadWouldTakeApartIsRefused) {
  EXPECT_EQ(WhyNotExpressible("/usr/lib/ahead/libahead.so"), "");
  for (const char* path : {"/with space/x.so", "/with:colon/x.so", "/$LIB/x.so"})
    EXPECT_THAT(WhyNotExpressible(path), HasSubstr(path));
}

}  // namespace
}  // namespace ahead::cli
