// With strace: of the calls that a program and its children make, none is missing, doubled, changed or out of its order
// under the preload, in any thread; and the library makes none but those it is known to make. And the test of the test:
// preloads that do these things are found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/shim/comparison.h"
#include "tests/shim/system_call_log.h"

namespace ahead::shim_test {
namespace {

using testing::IsEmpty;
using testing::Not;

class SystemCallOrderTest : public ComparisonTest {
 protected:
  // A small text: strace is slow.
  SystemCallOrderTest() : ComparisonTest(400'000) {}

  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "strace is missing or may not trace";
  }

  // Compares on a local file and on one of a FUSE disk. `argv`: kFile stands for the file.
  void ExpectOwnCallsInOrder(const Words& argv) {
    ExpectOwnCallsInOrder(argv, text_);
    if (disk_.is_mounted()) ExpectOwnCallsInOrder(argv, disk_.Path("text"));
  }

  void ExpectOwnCallsInOrder(Words argv, const std::string& file) {
    std::replace(argv.begin(), argv.end(), std::string(kFile), file);
    const SystemCallLog bare = TraceCalls(argv, {});
    EXPECT_THAT(FindFaults(bare, TraceCalls(argv, {"LD_PRELOAD=" AHEAD_LIBRARY}), AHEAD_LIBRARY), IsEmpty())
        << argv[0] << " on " << file;
  }
};

class HostsCallsTest : public SystemCallOrderTest, public testing::WithParamInterface<const char*> {};

TEST_P(HostsCallsTest, AreAllThereOnceAndInOrder) {
  ExpectOwnCallsInOrder({Host(GetParam()), kFile, folder_.Path("scratch")});
}

INSTANTIATE_TEST_SUITE_P(Each, HostsCallsTest,
                         testing::Values("bad_memory", "early_reader", "entry_points", "errno_table",
                                         "kinds_of_children", "open_numbers", "record_locks", "shared_offset",
                                         "small_stacks", "stdio_mixtures", "vfork_reader"),
                         [](const auto& host) { return std::string(host.param); });

TEST_F(SystemCallOrderTest, OfProgramsExecutedInTurn) { ExpectOwnCallsInOrder({Host("exec_relay"), kFile, "20"}); }

TEST_F(SystemCallOrderTest, OfCat) { ExpectOwnCallsInOrder({"cat", kFile, "/proc/self/comm"}); }

TEST_F(SystemCallOrderTest, OfCp) {
  // There from the start, for the first run as for the others.
  folder_.WriteText("copy", 400'000);
  ExpectOwnCallsInOrder({"cp", kFile, folder_.Path("copy")});
}

TEST_F(SystemCallOrderTest, OfSort) { ExpectOwnCallsInOrder({"sort", "--parallel=1", kFile}); }

TEST_F(SystemCallOrderTest, OfMd5sum) { ExpectOwnCallsInOrder({"md5sum", kFile}); }

TEST_F(SystemCallOrderTest, OfTar) {
  ExpectOwnCallsInOrder({"tar", "-cf", folder_.Path("archive"), "-C", folder_.Path(""), "text"});
  ExpectOwnCallsInOrder({"tar", "-tvf", folder_.Path("archive")});
  ExpectOwnCallsInOrder({"tar", "-cf", "/dev/null", kFile});
}

// Small amounts, which go through a pipe in one piece.
TEST_F(SystemCallOrderTest, OfShellPipelines) {
  ExpectOwnCallsInOrder(
      {"sh", "-c", "head -n 3 \"$0\" | sort | tail -n 1; md5sum < \"$0\" | cat; x=$(wc -c < \"$0\")", kFile});
}

TEST_F(SystemCallOrderTest, OfAProgramWhoseStatisticsAreKept) {
  const Words argv = {"md5sum", disk_.is_mounted() ? disk_.Path("text") : text_};
  const std::string statistics = folder_.Path("statistics");
  const SystemCallLog preloaded = TraceCalls(argv, {"LD_PRELOAD=" AHEAD_LIBRARY, "AHEAD_STATS=" + statistics});
  EXPECT_THAT(FindFaults(TraceCalls(argv, {}), preloaded, AHEAD_LIBRARY, statistics), IsEmpty());
}

class DisorderTest : public SystemCallOrderTest, public testing::WithParamInterface<const char*> {
 protected:
  std::vector<std::string> FaultsUnder(const std::string& disorder) {
    const Words argv = {Host("errno_table"), text_};
    const Words variables = {"LD_PRELOAD=" AHEAD_DISORDERLY_PRELOAD, "DISORDER=" + disorder};
    return FindFaults(TraceCalls(argv, {}), TraceCalls(argv, variables), AHEAD_DISORDERLY_PRELOAD);
  }
};

TEST_P(DisorderTest, IsFoundOut) { EXPECT_THAT(FaultsUnder(GetParam()), Not(IsEmpty())); }

INSTANTIATE_TEST_SUITE_P(Each, DisorderTest,
                         testing::Values("other size", "swapped", "doubled read", "doubled seek", "missing close"),
                         [](const auto& disorder) {
                           std::string name = disorder.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(DisorderTest, WithoutAnyNoFaultIsFound) { EXPECT_THAT(FaultsUnder("none"), IsEmpty()); }

}  // namespace
}  // namespace ahead::shim_test
