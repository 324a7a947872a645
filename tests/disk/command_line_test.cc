// Does ahead-disk refuse a bad command line in one line that names what is wrong, and mount nothing?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/disk/command.h"

namespace ahead::disk {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DiskCommandLineTest, BadUsageExitsTwoWithOneLineNamingOptionValueAndWhatIsAccepted) {
  const struct {
    std::vector<std::string> arguments;
    std::vector<const char*> named;
  } cases[] = {
      {{"--latency", "5x", "/a", "/b"}, {"--latency", "'5x'", "2ms"}},
      {{"--latency", "-1ms", "/a", "/b"}, {"--latency", "'-1ms'"}},
      {{"--bandwidth", "500", "/a", "/b"}, {"--bandwidth", "'500'", "500MB/s"}},
      {{"--metadata-latency", "soon", "/a", "/b"}, {"--metadata-latency", "'soon'"}},
      {{"--in-flight", "0", "/a", "/b"}, {"--in-flight", "'0'", "1 to 65535"}},
      {{"--in-flight", "12x", "/a", "/b"}, {"--in-flight", "'12x'"}},
      {{"--readahead", "100", "/a", "/b"}, {"--readahead", "'100'", "multiple of 4KiB"}},
      {{"--max-request", "2MiB", "/a", "/b"}, {"--max-request", "'2MiB'", "1MiB"}},
      {{"--keep-cache", "maybe", "/a", "/b"}, {"--keep-cache", "'maybe'", "on or off"}},
      {{"--direct-io", "1", "/a", "/b"}, {"--direct-io", "'1'", "on or off"}},
      {{"--fail-at", "here", "/a", "/b"}, {"--fail-at", "'here'", "OFFSET+LENGTH"}},
      {{"--fail-at", "1MiB+", "/a", "/b"}, {"--fail-at", "'1MiB+'"}},
      {{"--fail-at", "1MiB+0", "/a", "/b"}, {"--fail-at", "'1MiB+0'"}},
      {{"--die-after", "12requests", "/a", "/b"}, {"--die-after", "'12requests'", "20reads"}},
      {{"--model", "tape", "/a", "/b"}, {"--model", "'tape'", "net, hdd or ssd"}},
      {{"--model", "hdd", "--latency", "2ms", "/a", "/b"}, {"--latency", "hdd"}},
      {{"--channels", "4", "/a", "/b"}, {"--channels", "net"}},
      {{"--model", "ssd", "--rotation", "on", "/a", "/b"}, {"--rotation", "ssd"}},
      {{"--model", "ssd", "--channels", "0", "/a", "/b"}, {"--channels", "'0'", "1 to 1024"}},
      {{"--model", "ssd", "--stripe", "0", "/a", "/b"}, {"--stripe", "'0'"}},
      {{"--model", "hdd", "--revolution", "0", "/a", "/b"}, {"--revolution", "'0'", "above 0"}},
      {{"--model", "hdd", "--capacity", "1TB", "/a", "/b"}, {"--capacity", "'1TB'"}},
      {{"--model", "hdd", "--settle", "20ms", "/a", "/b"}, {"--settle", "--full-stroke"}},
      {{"--no-such-option", "/a", "/b"}, {"--no-such-option"}},
      {{}, {"SOURCE"}},
      {{"/a"}, {"MOUNTPOINT"}},
      {{"/a", "/b", "/c"}, {"/c"}},
      {{"--query", "/a", "--reset", "/b"}, {"--query", "--reset"}},
      {{"--query", "/a", "/b", "/c"}, {"--query"}},
  };
  for (const auto& c : cases) {
    std::vector<std::string> words = {AHEAD_DISK};
    words.insert(words.end(), c.arguments.begin(), c.arguments.end());
    const Outcome outcome = RunCommand(words);
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith("ahead-disk: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    for (const char* name : c.named) EXPECT_THAT(outcome.err, HasSubstr(name));
  }
}

TEST(DiskCommandLineTest, AMissingSourceExitsOneAndIsNamed) {
  const Outcome outcome = RunCommand({AHEAD_DISK, "/no/such/source", "/tmp"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "ahead-disk: /no/such/source: No such file or directory\n");
}

TEST(DiskCommandLineTest, AMountPointInTheSourceIsRefused) {
  const Outcome outcome = RunCommand({AHEAD_DISK, "/", "/tmp"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("/tmp"));
}

TEST(DiskCommandLineTest, AskingADirectoryThatIsNoDiskSaysSo) {
  for (const char* question : {"--query", "--reset", "--unmount"}) {
    const Outcome outcome = RunCommand({AHEAD_DISK, question, "/tmp"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "ahead-disk: /tmp: not the mount point of an ahead-disk\n");
  }
}

TEST(DiskCommandLineTest, AUserWhoMayNotOpenFuseIsToldInOneLine) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user without /dev/fuse";
  if (RunCommand({"test", "-w", "/dev/fuse"}, 65534).status == 0) GTEST_SKIP() << "everybody may open /dev/fuse here";
  char source[] = "/tmp/ahead-disk-test-XXXXXX";
  ASSERT_NE(mkdtemp(source), nullptr);
  // Run through a copy that the other user can reach, wherever the build folder is.
  const std::string program = std::string(source) + "/ahead-disk";
  RunCommand({"cp", AHEAD_DISK, program});
  RunCommand({"chmod", "-R", "a+rx", source});
  const Outcome outcome = RunCommand({program, source, "/var/tmp"}, 65534);
  RunCommand({"rm", "-r", source});
  EXPECT_EQ(outcome.status, 1);
  const std::string why = access("/dev/fuse", F_OK) == 0 ? "Permission denied" : "No such file or directory";
  EXPECT_EQ(outcome.err, "ahead-disk: /dev/fuse: " + why + "\n");
}

TEST(DiskCommandLineTest, HelpAndVersionGoToStandardOutput) {
  const Outcome help = RunCommand({AHEAD_DISK, "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("--metadata-latency"));
  EXPECT_EQ(help.err, "");
  const Outcome version = RunCommand({AHEAD_DISK, "--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("ahead-disk "));
}

}  // namespace
}  // namespace ahead::disk
