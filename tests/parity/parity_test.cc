// A trace recorded in a program, replayed through core: the same decisions. On a local file, where the kernel leads,
// and on a slow disk, where the engine does.
#include "sim/parity.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "stats/trace_file.h"
#include "tests/shim/slow_disk.h"

namespace ahead::sim {
namespace {

using shim_test::Outcome;
using shim_test::RunBare;
using shim_test::SlowDisk;
using shim_test::TemporaryFolder;
using shim_test::Words;

constexpr size_t kFileBytes = 6 << 20;

class ParityTest : public testing::Test {
 protected:
  // Records `command` and returns what the trace says.
  TraceContents Record(const Words& command) {
    Words words = {AHEAD, "record", "-o", folder_.Path("trace"), "--"};
    words.insert(words.end(), command.begin(), command.end());
    const Outcome outcome = RunBare(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Read(folder_.Path("trace"));
  }

  static TraceContents Read(const std::string& path) {
    const auto contents = ReadTrace(path);
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? *contents : TraceContents{};
  }

  static void ExpectSame(const TraceContents& contents, bool has_races = false) {
    EXPECT_EQ(contents.broken_records + contents.unknown_records + contents.dropped_records, 0u);
    const ParityResult result = CheckParity(contents);
    EXPECT_GT(result.decisions, 0);
    EXPECT_EQ(result.differing_decisions, 0) << "of " << result.decisions << "; " << result.first_difference;
    if (!has_races) {
      EXPECT_EQ(result.differing_filters, 0) << "of " << result.filters << "; " << result.first_filter_difference;
    }
  }

  static bool FetchesAhead(const TraceContents& contents) {
    return std::any_of(contents.reads.begin(), contents.reads.end(),
                       [](const TracedRead& read) { return read.outcome.asked > 0; });
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

class WaysTest : public ParityTest, public testing::WithParamInterface<const char*> {};

TEST_P(WaysTest, LocalFileGivesTheSameDecisions) {
  ExpectSame(Record({READER, folder_.WriteText("file", kFileBytes), GetParam()}));
}

TEST_P(WaysTest, SlowDiskGivesTheSameDecisions) {
  folder_.WriteText("source/file", kFileBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "200us"});
  const TraceContents contents = Record({READER, disk_.Shown("file"), GetParam()});
  EXPECT_TRUE(FetchesAhead(contents));
  ExpectSame(contents);
}

INSTANTIATE_TEST_SUITE_P(Reader, WaysTest,
                         testing::Values("sequential", "backward", "stride", "seeks", "stdio", "mapping", "advice",
                                         "interleaved", "threads", "forks"),
                         [](const auto& way) { return std::string(way.param); });

TEST_F(ParityTest, RealProgramsOnASlowDiskGiveTheSameDecisions) {
  folder_.WriteText("source/file", kFileBytes);
  folder_.WriteText("source/other", kFileBytes / 2);
  for (int i = 0; i < 20; ++i) folder_.WriteText("source/small" + std::to_string(i), 3000);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "200us"});
  const std::string file = disk_.Shown("file");
  const std::string other = disk_.Shown("other");
  for (const Words& command :
       {Words{"cat", file, other}, Words{"md5sum", file, other}, Words{"tac", other},
        Words{"cp", file, folder_.Path("copy")}, Words{"grep", "-c", "ab", file, other},
        Words{"cmp", "-n", "3000000", file, other}, Words{"tail", "-n", "2000", file}, Words{"sort", other},
        Words{"dd", "if=" + file, "of=/dev/null", "bs=5000", "skip=100", "status=none"},
        Words{"sh", "-c", "for f in " + disk_.Shown("*") + "; do wc -l < $f; done"},
        Words{"find", disk_.Shown(""), "-type", "f", "-exec", "md5sum", "{}", ";"}}) {
    SCOPED_TRACE(command[0]);
    ExpectSame(Record(command));
  }
}

TEST_F(ParityTest, PlainTraceFileGivesTheSameDecisions) {
  const std::string trace = folder_.Path("raw");
  const Outcome outcome =
      RunBare({AHEAD, "run", "--trace", trace, "--", READER, folder_.WriteText("file", kFileBytes), "seeks"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ExpectSame(Read(trace));
}

TEST_F(ParityTest, TraceThatWasWrittenAgainGivesTheSameDecisions) {
  const TraceContents contents = Record({READER, folder_.WriteText("file", kFileBytes), "forks"});
  ASSERT_TRUE(WriteTrace(folder_.Path("again"), contents).ok());
  const TraceContents again = Read(folder_.Path("again"));
  ExpectSame(again);
  EXPECT_EQ(CheckParity(again).calls, CheckParity(contents).calls);
}

// Threads that read through one description lose steps of its filter; what is decided is what is recorded.
TEST_F(ParityTest, ThreadsOnOneDescriptionGiveTheSameDecisions) {
  folder_.WriteText("source/file", kFileBytes);
  AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "200us"});
  ExpectSame(Record({READER, disk_.Shown("file"), "shared"}), true);
}

// What follows shows that the above can fail.

class DifferenceTest : public ParityTest {
 protected:
  // A trace with windows that grow.
  void SetUp() override {
    folder_.WriteText("source/file", kFileBytes);
    AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "200us"});
    contents_ = Record({READER, disk_.Shown("file"), "sequential"});
    ASSERT_TRUE(FetchesAhead(contents_));
    ExpectSame(contents_);
  }

  void ExpectDifferent() const {
    const ParityResult result = CheckParity(contents_);
    EXPECT_GT(result.differing_decisions, 0);
    EXPECT_THAT(result.first_difference, testing::HasSubstr("recorded"));
  }

  // Returns the first read that satisfies `is_it`.
  template <typename IsIt>
  TracedRead* Find(IsIt is_it) {
    const auto found = std::find_if(contents_.reads.begin(), contents_.reads.end(), is_it);
    return found == contents_.reads.end() ? nullptr : &*found;
  }

  TraceContents contents_;
};

TEST_F(DifferenceTest, ChangedOptionIsFound) {
  for (TracedProcess& process : contents_.processes) process.options.ratio = 0;
  ExpectDifferent();
}

TEST_F(DifferenceTest, ChangedFactIsFound) {
  TracedRead* read = Find([](const TracedRead& each) { return each.decision.pieces > 0; });
  ASSERT_NE(read, nullptr);
  read->facts.initial = 16_KiB;
  read->facts.allowance = 4_KiB;
  ExpectDifferent();
}

TEST_F(DifferenceTest, ChangedDecisionIsFound) {
  TracedRead* read = Find([](const TracedRead& each) { return each.decision.pieces > 0; });
  ASSERT_NE(read, nullptr);
  read->decision.limit = read->decision.limit - 1_B;
  const ParityResult result = CheckParity(contents_);
  EXPECT_GE(result.differing_decisions, 1);
}

TEST_F(DifferenceTest, LostCallIsFoundAndCounted) {
  const int64_t before = CheckParity(contents_).missing_calls;
  for (TracedRead& read : contents_.reads)
    if (read.sequence != 0 && read.decision.pieces > 1) read.batches.clear();
  const ParityResult result = CheckParity(contents_);
  EXPECT_GT(result.missing_calls, before);
  EXPECT_GT(result.differing_decisions, 0);
}

TEST_F(DifferenceTest, ReadThatDidNotPassIsFound) {
  TracedRead* read = Find([](const TracedRead& each) { return each.absorbed; });
  ASSERT_NE(read, nullptr);
  read->range.begin = read->range.begin + 512_B;
  EXPECT_GT(CheckParity(contents_).differing_filters, 0);
}

}  // namespace
}  // namespace ahead::sim
