// Locks and leases that a program holds on what it reads, and those who watch its files: nobody may notice that data
// are fetched ahead. Case A6 of the field failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/arms.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

using testing::HasSubstr;

constexpr size_t kTextBytes = 8'000'000;

class LocksTest : public ArmsTest {
 protected:
  void ExpectSameOnBothDisks(const std::string& host) {
    ExpectSameInAllArms({Host(host), folder_.WriteText("text", kTextBytes)});
    folder_.WriteText("source/text", kTextBytes);
    AHEAD_MOUNT_OR_SKIP(disk_);
    ExpectSameInAllArms({Host(host), disk_.Shown("text")});
  }

  SlowDisk disk_{folder_};
};

TEST_F(LocksTest, LocksAndLeasesAreHeldAsBefore) { ExpectSameOnBothDisks("locks"); }

TEST_F(LocksTest, WatchersSeeTheProgramsOwnOpensAndCloses) { ExpectSameOnBothDisks("watched"); }

// A lock is free as soon as its holder has closed or died, requests under way or not: each round the test itself takes
// it without waiting.
TEST_F(LocksTest, LockOfAProgramThatEndedIsFree) {
  folder_.WriteText("source/text", kTextBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "5ms"});
  const std::string script =
      "for i in 1 2 3 4 5 6 7 8; do flock -n -E 9 \"$0\" head -c 600000 \"$0\" | cksum; done; "
      "flock -n -E 9 \"$0\" true";
  EXPECT_EQ(ExpectSameInAllArms({"sh", "-c", script, disk_.Shown("text")}).status, 0);
}

TEST_F(LocksTest, DiskIsNeverBusyWhenItsReaderHasEnded) {
  folder_.WriteText("source/text", 32 << 20);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "10ms"});
  const std::string file = disk_.Shown("text");
  for (const Words& reader : {Words{"md5sum", file}, Words{"head", "-c", "900000", file}, Words{"tac", file},
                              Words{"sh", "-c", "head -c 3000000 '" + file + "' | sha1sum"}}) {
    SCOPED_TRACE(testing::PrintToString(reader));
    Words words = {AHEAD, "run", "--"};
    words.insert(words.end(), reader.begin(), reader.end());
    ASSERT_EQ(RunBare(words).status, 0);
    ASSERT_EQ(disk_.Unmount(), "");
    ASSERT_EQ(disk_.Mount({"--latency", "10ms"}), "");
  }
}

}  // namespace
}  // namespace ahead::shim_test
