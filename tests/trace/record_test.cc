// `ahead record`, AHEAD_TRACE and `ahead replay` as a user sees them, on small real programs.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <set>

#include "stats/trace_reader.h"
#include "tests/cli/process.h"

namespace ahead {
namespace {

using test::Ended;
using test::Folder;
using test::RunProgram;
using testing::HasSubstr;

class RecordTest : public testing::Test {
 protected:
  std::string File(const std::string& name, size_t bytes) const { return folder_.Write(name, std::string(bytes, 'x')); }
  std::string trace() const { return folder_ / "trace"; }

  // Runs `ahead record -o TRACE OPTIONS -- COMMAND`.
  Ended Record(const std::vector<std::string>& command, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {AHEAD, "record", "-o", trace()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return RunProgram(words);
  }

  static TraceContents Read(const std::string& path) {
    const auto contents = ReadTrace(path);
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? *contents : TraceContents{};
  }

  // Returns the reads of the file at `path`.
  static std::vector<TracedRead> ReadsOf(const TraceContents& contents, const std::string& path) {
    std::vector<TracedRead> reads;
    for (const TracedRead& read : contents.reads)
      if (contents.files[read.file].path == path) reads.push_back(read);
    return reads;
  }

  static int64_t BytesOf(const std::vector<TracedRead>& reads) {
    int64_t bytes = 0;
    for (const TracedRead& read : reads) bytes += read.returned.value;
    return bytes;
  }

  Folder folder_;
};

TEST_F(RecordTest, EveryByteThatMd5sumReadsIsInTheTrace) {
  const std::string file = File("data", 5 << 20);
  const Ended bare = RunProgram({"/usr/bin/md5sum", file});
  const Ended recorded = Record({"md5sum", file});
  EXPECT_TRUE(recorded.exited_with(0)) << recorded.errors;
  EXPECT_EQ(recorded.output, bare.output);
  struct stat status;
  ASSERT_EQ(stat(trace().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0600});

  const TraceContents contents = Read(trace());
  EXPECT_EQ(contents.broken_records + contents.dropped_records + contents.unknown_records, 0u);
  EXPECT_LT(static_cast<uint64_t>(status.st_size), contents.records * 40) << "smaller than its smallest records";
  ASSERT_EQ(contents.processes.size(), 1u);
  EXPECT_EQ(contents.processes[0].ratio, 50);
  const std::vector<TracedRead> reads = ReadsOf(contents, file);
  EXPECT_EQ(BytesOf(reads), 5 << 20);
  int64_t at = 0;
  int absorbed = 0;
  for (const TracedRead& read : reads) {
    EXPECT_TRUE(read.completed);
    EXPECT_EQ(read.range.begin.value, at);
    EXPECT_GE(read.end, read.time);
    at += read.returned.value;
    absorbed += read.absorbed ? 1 : 0;
  }
  EXPECT_TRUE(reads.front().fresh);
  EXPECT_GT(absorbed, 0) << "no read passed the filter";
}

TEST_F(RecordTest, OffsetsAreThoseOfTheFile) {
  const std::string file = File("data", 1 << 20);
  const Ended recorded = Record({"dd", "if=" + file, "of=/dev/null", "bs=4096", "skip=3", "count=5", "status=none"});
  ASSERT_TRUE(recorded.exited_with(0)) << recorded.errors;
  const std::vector<TracedRead> reads = ReadsOf(Read(trace()), file);
  ASSERT_EQ(reads.size(), 5u);
  for (size_t i = 0; i < reads.size(); ++i) EXPECT_EQ(reads[i].range.begin.value, 4096 * (3 + static_cast<int64_t>(i)));
}

TEST_F(RecordTest, AllProcessesOfTheRunAreInOneTrace) {
  const std::string first = File("first", 100'000);
  const std::string second = File("second", 200'000);
  const Ended recorded = Record({"sh", "-c", "cat " + first + "; cat " + second + " " + first + "; exit 3"});
  EXPECT_TRUE(recorded.exited_with(3)) << recorded.errors;
  const TraceContents contents = Read(trace());
  EXPECT_EQ(BytesOf(ReadsOf(contents, first)), 200'000);
  EXPECT_EQ(BytesOf(ReadsOf(contents, second)), 200'000);
  EXPECT_GE(contents.processes.size(), 2u);
  std::set<int32_t> processes;
  for (const TracedFile& file : contents.files) processes.insert(file.pid);
  EXPECT_EQ(processes.size(), 2u);
  int closes = 0;
  for (const TracedEvent& event : contents.events) closes += event.kind == TraceKind::kClose ? 1 : 0;
  EXPECT_GE(closes, 3);
}

TEST_F(RecordTest, CommandIsNotStartedWhenTheTraceCannotBeWritten) {
  const std::string marker = folder_ / "marker";
  const Ended refused = RunProgram({AHEAD, "record", "-o", folder_ / "missing/trace", "--", "touch", marker});
  EXPECT_TRUE(refused.exited_with(125));
  EXPECT_THAT(refused.errors, HasSubstr("missing/trace"));
  EXPECT_FALSE(std::filesystem::exists(marker));
}

// Not a rename that takes it away.
TEST_F(RecordTest, PipeInThePlaceOfTheTraceStays) {
  ASSERT_EQ(mkfifo(trace().c_str(), 0600), 0);
  const Ended refused = Record({"echo", "started"});
  EXPECT_TRUE(refused.exited_with(125)) << refused.errors;
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("not a regular file"));
  struct stat status;
  ASSERT_EQ(stat(trace().c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST_F(RecordTest, TraceGoesWhereALinkLeads) {
  const std::string file = File("data", 1 << 20);
  const std::string target = folder_.Write("target", "old");
  ASSERT_EQ(symlink(target.c_str(), trace().c_str()), 0);
  ASSERT_TRUE(Record({"cat", file}).exited_with(0));
  EXPECT_TRUE(std::filesystem::is_symlink(trace()));
  EXPECT_EQ(BytesOf(ReadsOf(Read(target), file)), 1 << 20);
}

TEST_F(RecordTest, NothingIsLeftBehindWhenTheCommandDoesNotStart) {
  EXPECT_TRUE(Record({"/missing/command"}).exited_with(127));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RecordTest, WhatDoesNotFitIsSaid) {
  const std::string file = File("data", 4 << 20);
  const Ended recorded = Record({"dd", "if=" + file, "of=/dev/null", "bs=128", "status=none"}, {"--capacity", "64KiB"});
  EXPECT_TRUE(recorded.exited_with(0)) << recorded.errors;
  EXPECT_THAT(recorded.errors, HasSubstr("did not fit"));
  const TraceContents contents = Read(trace());
  EXPECT_GT(contents.dropped_records, 0u);
  EXPECT_GT(contents.reads.size(), 300u);
}

TEST_F(RecordTest, BadUsageIsRefused) {
  EXPECT_TRUE(Record({"true"}, {"--capacity", "10"}).exited_with(125));
  EXPECT_TRUE(Record({"true"}, {"--trace", folder_ / "other"}).exited_with(125));
  EXPECT_TRUE(Record({"true"}, {"--ratio", "200"}).exited_with(125));
  EXPECT_TRUE(RunProgram({AHEAD, "record"}).exited_with(125));
  EXPECT_TRUE(RunProgram({AHEAD, "replay"}).exited_with(2));
  EXPECT_TRUE(RunProgram({AHEAD, "replay", "--policy", "guess", trace()}).exited_with(2));
}

TEST_F(RecordTest, PlainTraceFileIsReadableAfterAKill) {
  const std::string file = File("data", 1 << 20);
  const Ended ended =
      RunProgram({AHEAD, "run", "--trace", trace(), "--", "sh", "-c", "cat " + file + " > /dev/null; kill -9 $$"});
  EXPECT_TRUE(ended.exited_with(137)) << ended.errors;
  EXPECT_EQ(BytesOf(ReadsOf(Read(trace()), file)), 1 << 20);
}

TEST_F(RecordTest, RecorderThatIsKilledLeavesAReadableTrace) {
  const std::string file = File("data", 300'000);
  const Ended ended = Record({"sh", "-c",
                              "until [ \"$(stat -c %s " + trace() + " 2> /dev/null || echo 0)\" -gt 1000 ]; do cat " +
                                  file + " > /dev/null; done; kill -9 $PPID; cat " + file + " > /dev/null"});
  EXPECT_FALSE(ended.exited_with(0));
  const TraceContents contents = Read(trace());
  EXPECT_GE(BytesOf(ReadsOf(contents, file)), 300'000);
  EXPECT_LE(contents.broken_records, 1u);
}

TEST_F(RecordTest, SmallFilesReadWholeAndSeeksAreInTheTrace) {
  const std::string small = File("small", 5000);
  const std::string large = File("large", 1 << 20);
  const Ended recorded =
      Record({"sh", "-c", "cat " + small + " > /dev/null; tail -c 100 " + large + " > /dev/null; tac " + large});
  ASSERT_TRUE(recorded.exited_with(0)) << recorded.errors;
  const TraceContents contents = Read(trace());
  EXPECT_EQ(contents.broken_records, 0u);
  const std::vector<TracedRead> reads = ReadsOf(contents, small);
  ASSERT_GE(reads.size(), 2u) << "the file, and its end";
  EXPECT_TRUE(reads[0].unseen);
  EXPECT_EQ(reads[0].range.begin.value, 0);
  EXPECT_EQ(reads[0].returned.value, 5000);
  EXPECT_EQ(reads[1].range.begin.value, 5000);
  EXPECT_EQ(reads[1].returned.value, 0);
  int opens = 0;
  int closes = 0;
  int seeks = 0;
  for (const TracedEvent& event : contents.events) {
    const std::string& path = contents.files[event.file].path;
    opens += event.kind == TraceKind::kOpen && path == small ? 1 : 0;
    closes += event.kind == TraceKind::kClose && path == small ? 1 : 0;
    seeks += event.kind == TraceKind::kSeek && path == large ? 1 : 0;
  }
  EXPECT_EQ(opens, 1);
  EXPECT_EQ(closes, 1);
  EXPECT_GT(seeks, 0);
}

TEST_F(RecordTest, ProcessPatternGivesEachProcessItsTrace) {
  const std::string file = File("data", 100'000);
  const Ended ended = RunProgram({AHEAD, "run", "--trace", folder_ / "t.%p", "--", "sh", "-c",
                                  "cat " + file + " > /dev/null; cat " + file + " > /dev/null; true"});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  int traces = 0;
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().filename().string().rfind("t.", 0) != 0) continue;
    ++traces;
    bytes += BytesOf(ReadsOf(Read(entry.path()), file));
  }
  EXPECT_GE(traces, 2);
  EXPECT_EQ(bytes, 200'000);
}

// Threads that meet a lock that another one holds, also when they have read nothing yet through their description.
TEST_F(RecordTest, NoReadOfManyThreadsIsLost) {
  const std::string file = File("data", 16 << 20);
  const Ended recorded = Record({BUSY_READER, file});
  ASSERT_TRUE(recorded.exited_with(0)) << recorded.errors;
  const TraceContents contents = Read(trace());
  EXPECT_EQ(contents.broken_records, 0u);
  EXPECT_EQ(contents.dropped_records, 0u);
  EXPECT_EQ(ReadsOf(contents, file).size(), 16u * 500 * 3);
}

// A child of fork that reads before it becomes another program.
TEST_F(RecordTest, ChildOfForkRecordsInItsOwnName) {
  const std::string file = folder_.Write("data", "one\ntwo\nthree\n");
  const std::string script = "read a < " + file + "; ( read b; read c; echo $a $b $c ) < " + file;
  const Ended shared = Record({"bash", "-c", script});
  EXPECT_EQ(shared.output, "one one two\n");
  std::set<int32_t> processes;
  const TraceContents contents = Read(trace());
  for (const TracedRead& read : ReadsOf(contents, file)) processes.insert(contents.files[read.file].pid);
  EXPECT_EQ(processes.size(), 2u);

  const Ended apart = RunProgram({AHEAD, "run", "--trace", folder_ / "t.%p", "--", "bash", "-c", script});
  EXPECT_EQ(apart.output, "one one two\n");
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().filename().string().rfind("t.", 0) != 0) continue;
    traces += ReadsOf(Read(entry.path()), file).empty() ? 0 : 1;
  }
  EXPECT_EQ(traces, 2);
}

TEST_F(RecordTest, ForeignFileGivenAsTraceIsLeftAlone) {
  const std::string letter = folder_.Write("letter", "dear reader");
  const Ended ended = RunProgram({AHEAD, "run", "--trace", letter, "--", "cat", letter});
  EXPECT_TRUE(ended.exited_with(0));
  EXPECT_EQ(ended.output, "dear reader");
  EXPECT_THAT(ended.errors, HasSubstr("AHEAD_TRACE"));
  EXPECT_EQ(test::ReadFile(letter), "dear reader");
}

TEST_F(RecordTest, ReplayReadsWhatWasRead) {
  const std::string file = File("data", 5 << 20);
  ASSERT_TRUE(Record({"md5sum", file}).exited_with(0));
  const int64_t reads = static_cast<int64_t>(Read(trace()).reads.size());
  for (const char* policy : {"none", "fixed", "ahead", "oracle"}) {
    const Ended replayed = RunProgram({AHEAD, "replay", "--policy", policy, "--json", "-", trace()});
    ASSERT_TRUE(replayed.exited_with(0)) << replayed.errors;
    const auto json = nlohmann::json::parse(replayed.output);
    EXPECT_EQ(json["policy"], policy);
    EXPECT_EQ(json["reads"], reads);
    EXPECT_EQ(json["bytes"], 5 << 20);
    EXPECT_EQ(json["failed_reads"], 0);
    EXPECT_EQ(json["has_think_time"], true);
  }
  const std::string json = folder_ / "json";
  const Ended table = RunProgram({AHEAD, "replay", "--no-think", "--json", json, trace()});
  EXPECT_THAT(table.output, HasSubstr("policy   none"));
  EXPECT_EQ(nlohmann::json::parse(test::ReadFile(json))["has_think_time"], false);
  EXPECT_EQ(nlohmann::json::parse(test::ReadFile(json))["reads"], reads);
}

TEST_F(RecordTest, ReplaySaysWhenItsFiguresCannotBeWritten) {
  ASSERT_TRUE(Record({"cat", File("data", 300'000)}).exited_with(0));
  const std::string line = std::string(AHEAD) + " replay --model net-2ms " + trace() + " > /dev/full";
  const Ended replayed = RunProgram({"/bin/sh", "-c", line});
  EXPECT_TRUE(replayed.exited_with(1)) << replayed.errors;
  EXPECT_THAT(replayed.errors, HasSubstr("cannot write to stdout"));
}

TEST_F(RecordTest, ReplaySaysInOneLineWhyItCannot) {
  const std::string file = File("data", 100'000);
  ASSERT_TRUE(Record({"cat", file}).exited_with(0));
  std::filesystem::resize_file(file, 50'000);
  for (const std::string& bad : {trace(), file, folder_ / "missing"}) {
    const Ended refused = RunProgram({AHEAD, "replay", bad});
    EXPECT_TRUE(refused.exited_with(1)) << bad;
    EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
    EXPECT_TRUE(refused.output.empty()) << refused.output;
  }
}

}  // namespace
}  // namespace ahead
