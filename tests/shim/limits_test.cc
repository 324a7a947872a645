// Programs with hardly any descriptors, memory or surroundings left, and with more than a table could hold. Case A3 of
// the field failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/shim/arms.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr size_t kTextBytes = 8'000'000;

class LimitsTest : public ArmsTest {
 protected:
  // In both places: on the local disk and, where there is one, on the slow disk.
  void ExpectSame(const std::string& mode) {
    ExpectSameInAllArms({Host("limits"), mode, text_});
    SlowDisk disk(folder_);
    fs::copy_file(text_, disk.Source("text"), fs::copy_options::overwrite_existing);
    AHEAD_MOUNT_OR_SKIP(disk);
    ExpectSameInAllArms({Host("limits"), mode, disk.Shown("text")});
  }

  const std::string text_ = folder_.WriteText("text", kTextBytes);
};

TEST_F(LimitsTest, EightDescriptorsAreAllTheHosts) { ExpectSame("FEW_FILES"); }

TEST_F(LimitsTest, NoDescriptorsLeftIsNoHarm) { ExpectSame("NO_FILES"); }

TEST_F(LimitsTest, HighNumbersWork) { ExpectSame("HUGE_FILES"); }

TEST_F(LimitsTest, NoAddressSpaceLeftIsNoHarm) { ExpectSame("SPACE"); }

TEST_F(LimitsTest, NoProcessLeftIsNoHarm) { ExpectSame("NO_PROCESSES"); }

// Neither statistics nor a trace can be written, and trying must not bring the signal that ends the program.
TEST_F(LimitsTest, NoFileMayGrowIsNoHarm) {
  const Words words = {Host("limits"), "SIZE", text_};
  const Outcome bare = RunBare(words);
  EXPECT_EQ(bare.status, 0);
  for (const char* variable : {"AHEAD_STATS=", "AHEAD_TRACE="}) {
    const Outcome preloaded = RunPreloaded(words, {variable + folder_.Path("new")});
    EXPECT_EQ(preloaded.out, bare.out);
    EXPECT_EQ(preloaded.status, bare.status);
  }
}

TEST_F(LimitsTest, LittleAddressSpaceFromTheStartIsNoHarm) {
  for (const char* kibibytes : {"9000", "16000"}) {
    const Words words = {"sh", "-c", "ulimit -v \"$0\" && exec \"$@\"", kibibytes, Host("limits"), "READ", text_};
    if (RunBare(words).status != 0) continue;
    const Outcome preloaded = RunPreloaded(words);
    EXPECT_EQ(preloaded, RunBare(words));
  }
}

TEST_F(LimitsTest, TablesDoNotGrowWithTheLimitOfOpenFiles) {
  const std::string fake = "LD_PRELOAD=" AHEAD_FAKE_LIMIT;
  for (const std::string order : {AHEAD_LIBRARY ":" AHEAD_FAKE_LIMIT, AHEAD_FAKE_LIMIT ":" AHEAD_LIBRARY}) {
    const Outcome bare = RunBare({Host("limits"), "HUGE_FILES", text_}, {fake});
    EXPECT_THAT(bare.out, HasSubstr("limit 1073741816\n"));
    EXPECT_EQ(RunBare({Host("limits"), "HUGE_FILES", text_}, {"LD_PRELOAD=" + order}), bare);
    const Words peaks = {"grep", "-E", "VmHWM|VmPeak", "/proc/self/status"};
    const auto kilobytes = [](const Outcome& outcome, const std::string& name) {
      const size_t at = outcome.out.find(name);
      return at == std::string::npos ? -1 : std::stol(outcome.out.substr(at + name.size() + 1));
    };
    const Outcome with = RunBare(peaks, {"LD_PRELOAD=" + order});
    const Outcome without = RunBare(peaks, {fake});
    ASSERT_GT(kilobytes(without, "VmHWM"), 0);
    EXPECT_LE(kilobytes(with, "VmHWM"), kilobytes(without, "VmHWM") + 4096);
    EXPECT_LE(kilobytes(with, "VmPeak"), kilobytes(without, "VmPeak") + 65536);
  }
}

// What the library has to say about a bad setting must not harm: nobody may be reading standard error, or it may
// be as long as it may become.
TEST_F(LimitsTest, ComplaintsNeverEndTheProgram) {
  const Words bad = {"AHEAD_RATIO=999", "AHEAD_TRACE=/nonexistent/trace"};
  EXPECT_EQ(RunPreloaded({Host("limits"), "NO_LISTENER", text_}, bad).out,
            RunBare({Host("limits"), "READ", text_}).out);
  const Words words = {"sh",
                       "-c",
                       "echo full > \"$0\" && ulimit -f 0 && exec \"$@\" 2>> \"$0\"",
                       folder_.Path("errors"),
                       Host("limits"),
                       "READ",
                       text_};
  const Outcome bare = RunBare(words);
  EXPECT_EQ(bare.status, 0);
  const Outcome preloaded = RunPreloaded(words, bad);
  EXPECT_EQ(preloaded.out, bare.out);
  EXPECT_EQ(preloaded.status, bare.status);
}

TEST_F(LimitsTest, ComplaintsNeverGoToAFileOfTheProgram) {
  const Words words = {Host("limits"), "OWN_NUMBER_2", text_};
  EXPECT_THAT(RunBare(words).out, HasSubstr("size 0\n"));
  EXPECT_EQ(RunPreloaded(words, {"AHEAD_TRACE=/nonexistent/trace"}).out, RunBare(words).out);
}

class SurroundingsTest : public ArmsTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root to change its surroundings";
  }

  void ExpectSame(const std::string& mode) {
    const std::string text = folder_.WriteText("text", kTextBytes);
    fs::permissions(folder_.Path(""), fs::perms::others_exec, fs::perm_options::add);
    const Words words = {Host("elsewhere"), mode, text, "/"};
    const Outcome bare = RunBare(words);
    if (bare.status == 77) GTEST_SKIP() << bare.err;
    EXPECT_THAT(bare.out, HasSubstr("after 655360 "));
    ExpectSameInAllArms(words);
  }
};

TEST_F(SurroundingsTest, ReadingGoesOnWithoutProc) { ExpectSame("NO_PROC"); }

TEST_F(SurroundingsTest, ReadingGoesOnInAUserNamespace) { ExpectSame("USER_NAMESPACE"); }

TEST_F(SurroundingsTest, ReadingGoesOnAsNobody) { ExpectSame("NOBODY"); }

// Where nothing may be written, a statistics file cannot be opened by a program started there; it says so, once.
TEST_F(SurroundingsTest, ReadingGoesOnWhereNothingMayBeWritten) {
  const std::string text = folder_.WriteText("text", kTextBytes);
  const Words words = {Host("elsewhere"), "READ_ONLY", text, "/"};
  const Outcome bare = RunBare(words);
  if (bare.status == 77) GTEST_SKIP() << bare.err;
  EXPECT_EQ(RunPreloaded(words), bare);
  const Outcome counted = RunPreloaded(words, {"AHEAD_STATS=" + folder_.Path("statistics")});
  EXPECT_EQ(counted.out, bare.out);
  EXPECT_EQ(counted.status, bare.status);
  EXPECT_EQ(std::count(counted.err.begin(), counted.err.end(), '\n'), 1) << counted.err;
}

// As a container does: the library rides on, its path is not there for a program started inside. That one runs bare,
// and the loader says so.
TEST_F(SurroundingsTest, ProgramsStartedInARootOfTheirOwnRun) {
  const std::string text = folder_.WriteText("text", kTextBytes);
  const std::string root = folder_.Path("root");
  fs::create_directory(root);
  fs::copy_file(text, root + "/file");
  fs::copy_file(Host("elsewhere"), root + "/elsewhere");
  // Lines such as "libc.so.6 => /lib/x/libc.so.6 (0x...)" and "/lib64/ld-linux-x86-64.so.2 (0x...)".
  std::istringstream needed(RunBare({"ldd", Host("elsewhere")}).out);
  for (std::string line; std::getline(needed, line);) {
    const size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at, line.find(' ', at) - at);
    fs::create_directories(root + fs::path(path).parent_path().string());
    fs::copy_file(path, root + path);
  }
  const Words words = {Host("elsewhere"), "CHROOT", text, root};
  const Outcome bare = RunBare(words);
  if (bare.status == 77) GTEST_SKIP() << bare.err;
  ASSERT_THAT(bare.out, HasSubstr("started " + std::to_string(kTextBytes)));
  for (const Words& variables : {Words{}, Words{"AHEAD_STATS=" + folder_.Path("statistics")}}) {
    const Outcome preloaded = RunPreloaded(words, variables);
    EXPECT_EQ(preloaded.out, bare.out);
    EXPECT_EQ(preloaded.status, bare.status);
    EXPECT_THAT(preloaded.err, HasSubstr("cannot be preloaded"));
    EXPECT_EQ(std::count(preloaded.err.begin(), preloaded.err.end(), '\n'), 1) << preloaded.err;
  }
}

}  // namespace
}  // namespace ahead::shim_test
