// Data that move by other ways than read, and programs that advise the kernel themselves: the same results, seen and
// counted, and the advice obeyed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "stats/trace_reader.h"
#include "tests/shim/comparison.h"
#include "tests/shim/slow_disk.h"

namespace ahead::shim_test {
namespace {

class MovesTest : public ComparisonTest {
 protected:
  // Returns what a preloaded run of `argv` counted.
  std::unique_ptr<Block> Counted(const Words& argv) {
    const std::string stats = folder_.Path("statistics");
    EXPECT_EQ(RunPreloaded(argv, {"AHEAD_STATS=" + stats}).status, 0);
    return ReadStatistics(stats);
  }
};

TEST_F(MovesTest, ResultsAndErrorsAreThoseOfTheBareRun) {
  std::filesystem::create_directory(folder_.Path("moved"));
  ExpectSame({Host("moves"), kFile, folder_.Path("moved")});
}

TEST_F(MovesTest, TransfersAreSeenAndCounted) {
  const std::string copy = folder_.Path("copy");
  const auto counted = Counted({"cp", "--reflink=never", text_, copy});
  ASSERT_NE(counted, nullptr);
  EXPECT_EQ(counted->counters.read_bytes, 3'000'000u);
  EXPECT_EQ(counted->counters.files_tracked, 1u);
}

TEST_F(MovesTest, AdviceChangesNoResult) {
  for (const char* advice :
       {"none", "normal", "sequential", "random", "noreuse", "willneed", "dontneed", "readahead", "mapped"}) {
    SCOPED_TRACE(advice);
    ExpectSame({Host("advised"), kFile, advice});
  }
}

TEST_F(MovesTest, AdviceIsCountedInClassNone) {
  const struct {
    const char* advice;
    uint64_t calls;
    uint64_t readahead;
  } cases[] = {{"none", 0, 0},    {"normal", 1, 0},   {"sequential", 1, 0}, {"random", 1, 0},
               {"noreuse", 1, 0}, {"willneed", 1, 1}, {"dontneed", 1, 0},   {"readahead", 1, 1}};
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected.advice);
    const std::string stats = folder_.Path(expected.advice);
    ASSERT_EQ(RunPreloaded({Host("advised"), text_, expected.advice}, {"AHEAD_STATS=" + stats}).status, 0);
    const auto counted = ReadStatistics(stats);
    ASSERT_NE(counted, nullptr);
    EXPECT_EQ(counted->ledger.requests(Event::advice, Class::none), expected.calls);
    EXPECT_EQ(counted->ledger.requests(Event::readahead, Class::none), expected.readahead);
  }
}

TEST_F(MovesTest, ListingsAreInTheTrace) {
  const std::string trace = folder_.Path("trace");
  ASSERT_EQ(RunPreloaded({"ls", "-U", folder_.Path("")}, {"AHEAD_TRACE=" + trace}).status, 0);
  const auto contents = ReadTrace(trace);
  ASSERT_TRUE(contents.ok()) << contents.status();
  size_t entries = 0;
  for (const TracedEvent& event : contents->events) {
    if (event.kind != TraceKind::kEntry) continue;
    ++entries;
    EXPECT_EQ(contents->files[event.file].path + "/", std::filesystem::canonical(folder_.Path("")).string() + "/");
  }
  EXPECT_GE(entries, 3u) << "., .. and the text";
}

// The table of files is full long before.
TEST_F(MovesTest, FilesThatNobodyWatchesAreRecordedAllTheSame) {
  const std::string stats = folder_.Path("stats");
  const std::string trace = folder_.Path("trace");
  const Words variables = {"AHEAD_STATS=" + stats, "AHEAD_TRACE=" + trace};
  ASSERT_EQ(RunPreloaded({Host("many_files"), folder_.Path(""), "900"}, variables).out, "wrong 0\n");
  const auto counted = ReadStatistics(stats);
  ASSERT_NE(counted, nullptr);
  EXPECT_GT(counted->counters.files_untracked, 0u) << "all had a place";
  const auto contents = ReadTrace(trace);
  ASSERT_TRUE(contents.ok()) << contents.status();
  std::set<uint64_t> read;
  std::set<uint64_t> unseen;
  for (const TracedRead& each : contents->reads) {
    read.insert(contents->files[each.file].inode);
    if (each.unseen) unseen.insert(contents->files[each.file].inode);
  }
  EXPECT_GE(read.size(), 900u);
  EXPECT_GT(unseen.size(), 500u);
}

class AdvisedDiskTest : public testing::Test {
 protected:
  static constexpr size_t kFileBytes = 8 << 20;

  void SetUp() override {
    folder_.WriteText("source/file", kFileBytes);
    AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "500us"});
  }

  // Returns the pages that we fetched for a reader that gave `advice`.
  uint64_t FetchedFor(const std::string& advice) {
    const std::string stats = folder_.Path(advice);
    EXPECT_EQ(RunPreloaded({Host("advised"), disk_.Shown("file"), advice}, {"AHEAD_STATS=" + stats}).status, 0);
    const auto counted = ReadStatistics(stats);
    if (counted == nullptr) return 0;
    return Pages(*counted, Event::readahead) - counted->ledger.pages(Event::readahead, Class::none);
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

TEST_F(AdvisedDiskTest, OnlyRandomReadersAreFetchedNothingFor) {
  constexpr uint64_t kMost = kFileBytes / 4096 * 9 / 10;
  EXPECT_EQ(FetchedFor("random"), 0u);
  for (const char* advice : {"none", "normal", "sequential", "noreuse", "dontneed"})
    EXPECT_GE(FetchedFor(advice), kMost) << advice;
}

}  // namespace
}  // namespace ahead::shim_test
