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

// What is watched, what is passed by, and how many reads were seen do not depend on when things happen.
TEST_F(MovesTest, TraceChangesNothingOfWhatIsWatched) {
  std::filesystem::create_directory(folder_.Path("small"));
  for (int i = 0; i < 5; ++i) folder_.WriteText("small/" + std::to_string(i), 3000);
  // All close what they opened: reads that passed are counted when the filter is settled.
  for (const Words& argv :
       {Words{"cat", folder_.Path("small/1"), folder_.Path("small/2"), text_}, Words{"md5sum", text_, text_},
        Words{"grep", "-c", "a", "-r", folder_.Path("small")}, Words{Host("advised"), text_, "random"},
        Words{Host("many_files"), folder_.Path(""), "300"}}) {
    SCOPED_TRACE(argv[0]);
    const std::string plain = folder_.Path("plain");
    const std::string traced = folder_.Path("traced");
    ASSERT_EQ(RunPreloaded(argv, {"AHEAD_STATS=" + plain}).status, 0);
    ASSERT_EQ(RunPreloaded(argv, {"AHEAD_STATS=" + traced, "AHEAD_TRACE=" + folder_.Path("trace")}).status, 0);
    const auto expected = ReadStatistics(plain);
    const auto counted = ReadStatistics(traced);
    ASSERT_TRUE(expected != nullptr && counted != nullptr);
    EXPECT_EQ(counted->counters.files_tracked, expected->counters.files_tracked);
    EXPECT_EQ(counted->counters.files_untracked, expected->counters.files_untracked);
    EXPECT_EQ(counted->counters.reads_seen, expected->counters.reads_seen);
    EXPECT_EQ(counted->counters.read_bytes, expected->counters.read_bytes);
    EXPECT_EQ(counted->ledger.requests(Event::advice, Class::none),
              expected->ledger.requests(Event::advice, Class::none));
    std::filesystem::remove(plain);
    std::filesystem::remove(traced);
  }
}

// The table of files is full long before.
TEST_F(MovesTest, FilesThatNobodyWatchesAreRecordedAllTheSame) {
  const std::string stats = folder_.Path("stats");
  const std::string trace = folder_.Path("trace");
  const Words variables = {"AHEAD_STATS=" + stats, "AHEAD_TRACE=" + trace};
  ASSERT_EQ(RunPreloaded({Host("many_files"), folder_.Path(""), "1200"}, variables).out, "wrong 0\n");
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
  EXPECT_GE(read.size(), 1200u);
  EXPECT_GT(unseen.size(), 100u);
}

class AdvisedDiskTest : public testing::Test {
 protected:
  static constexpr size_t kFileBytes = 8 << 20;

  void SetUp() override {
    folder_.WriteText("source/file", kFileBytes);
    AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "500us"});
  }

  // Returns the pages that we fetched for a reader that gave `advice`; with a trace that is the same.
  uint64_t FetchedFor(const std::string& advice, bool has_trace = false) {
    const std::string stats = folder_.Path(advice + (has_trace ? "-traced" : ""));
    Words variables = {"AHEAD_STATS=" + stats};
    if (has_trace) variables.push_back("AHEAD_TRACE=" + folder_.Path("trace"));
    EXPECT_EQ(RunPreloaded({Host("advised"), disk_.Shown("file"), advice}, variables).status, 0);
    const auto counted = ReadStatistics(stats);
    if (counted == nullptr) return 0;
    return Pages(*counted, Event::readahead) - counted->ledger.pages(Event::readahead, Class::none);
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

TEST_F(AdvisedDiskTest, OnlyRandomReadersAreFetchedNothingFor) {
  constexpr uint64_t kMost = kFileBytes / 4096 * 9 / 10;
  for (const bool has_trace : {false, true}) {
    EXPECT_EQ(FetchedFor("random", has_trace), 0u);
    for (const char* advice : {"none", "normal", "sequential", "noreuse", "dontneed"})
      EXPECT_GE(FetchedFor(advice, has_trace), kMost) << advice;
  }
}

}  // namespace
}  // namespace ahead::shim_test
