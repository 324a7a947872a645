// `ahead trace` as a user sees it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/parity.h"
#include "stats/trace_file.h"
#include "stats/trace_reader.h"
#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TraceCommandTest : public testing::Test {
 protected:
  // A trace of a file that is read forwards: three reads, an open and a close.
  std::string SmallTrace() const {
    const std::string data = folder_.Write("a \"quoted\", name", std::string(12288, 'x'));
    TraceContents contents;
    contents.page = 4_KiB;
    contents.files = {{data, 44, 1_ms, 7, 11, 12288_B}};
    TracedEvent event;
    event.kind = TraceKind::kOpen;
    event.tid = 55;
    event.description = 1;
    event.opened_here = true;
    event.time = 1_ms;
    contents.events.push_back(event);
    for (int64_t i = 0; i < 3; ++i) {
      TracedRead read;
      read.tid = 55;
      read.description = 1;
      read.absorbed = read.completed = true;
      read.range = {{i * 4096}, {i * 4096 + 4096}};
      read.returned = 4_KiB;
      read.time = 2_ms + 1_ms * i;
      read.duration = 100_us;
      contents.reads.push_back(read);
    }
    event.kind = TraceKind::kClose;
    event.time = 9_ms;
    contents.events.push_back(event);
    const std::string trace = folder_ / "trace";
    EXPECT_TRUE(WriteTrace(trace, contents).ok());
    return trace;
  }

  static Ended Trace(std::vector<std::string> words) {
    words.insert(words.begin(), {AHEAD, "trace"});
    return RunProgram(words);
  }

  Folder folder_;
};

TEST_F(TraceCommandTest, TableNamesWhatWasRead) {
  const Ended ended = Trace({SmallTrace()});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_EQ(ended.errors, "");
  EXPECT_THAT(ended.output, HasSubstr("reads          3, 12.0 KiB; 0 at end of file, 0 failed, 0 unfinished\n"));
  EXPECT_THAT(ended.output, HasSubstr("consecutive 100.0 %, sequential 0.0 %"));
  EXPECT_THAT(ended.output, HasSubstr("opens 1, closes 1"));
  EXPECT_THAT(ended.output, HasSubstr("think times    median 900.00 us"));
  EXPECT_THAT(ended.output, HasSubstr(folder_ / "a \"quoted\", name\n"));
}

TEST_F(TraceCommandTest, JsonHoldsTheSameNumbers) {
  const auto json = nlohmann::json::parse(Trace({"--format", "json", SmallTrace()}).output);
  EXPECT_EQ(json["all"]["reads"], 3);
  EXPECT_EQ(json["all"]["steps"]["consecutive"], 2);
  EXPECT_EQ(json["all"]["run_bytes"]["median"], 12288);
  EXPECT_EQ(json["files"][0]["path"], folder_ / "a \"quoted\", name");
  EXPECT_EQ(json["think_ns"]["count"], 2);
}

TEST_F(TraceCommandTest, NumberOfFilesShownIsChosen) {
  EXPECT_THAT(Trace({"--top", "0", SmallTrace()}).output, testing::Not(HasSubstr("quoted\", name\n\n")));
  const auto json = nlohmann::json::parse(Trace({"--format", "json", "--top", "0", SmallTrace()}).output);
  EXPECT_TRUE(json["files"].empty());
  EXPECT_EQ(json["file_count"], 1);
}

TEST_F(TraceCommandTest, CsvHasALineForEachReadAndQuotesPaths) {
  const Ended ended = Trace({"--export", "csv", SmallTrace()});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  std::istringstream lines(ended.output);
  std::vector<std::string> read;
  for (std::string line; std::getline(lines, line);) read.push_back(line);
  ASSERT_EQ(read.size(), 4u);
  EXPECT_THAT(read[0], StartsWith("time_ns,duration_ns,pid,tid,kind,"));
  EXPECT_THAT(read[2], StartsWith("3000000,100000,"));
  EXPECT_THAT(read[2], HasSubstr(",55,read,1,4096,4096,4096,0,1,,0,7,11,"));
  EXPECT_THAT(read[2], HasSubstr("/a \"\"quoted\"\", name\""));
}

TEST_F(TraceCommandTest, JsonLinesHoldReadsAndEventsInOrderOfTime) {
  const std::string out = folder_ / "out";
  const Ended ended = Trace({"--export", "jsonl", "-o", out, SmallTrace()});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_EQ(ended.output, "");
  struct stat status;
  ASSERT_EQ(stat(out.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0600});
  std::istringstream lines(ReadFile(out));
  std::vector<std::string> kinds;
  for (std::string line; std::getline(lines, line);) kinds.push_back(nlohmann::json::parse(line)["kind"]);
  EXPECT_THAT(kinds, ElementsAre("open", "read", "read", "read", "close"));
}

// The reads of `path` in a trace, one a line, as OFFSET+RETURNED.
std::string ReadsIn(const std::string& trace, const std::string& path) {
  const auto contents = ReadTrace(trace);
  EXPECT_TRUE(contents.ok()) << contents.status();
  std::string reads;
  if (!contents.ok()) return reads;
  for (const TracedRead& read : contents->reads)
    if (contents->files[read.file].path == path)
      reads += std::to_string(read.range.begin.value) + "+" + std::to_string(read.returned.value) + "\n";
  return reads;
}

class StraceLiveTest : public TraceCommandTest, public testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(StraceLiveTest, ImportHoldsWhatTheProgramRead) {
  if (access("/usr/bin/strace", X_OK) != 0) GTEST_SKIP() << "strace is not installed";
  const std::string data = folder_.Write("data", std::string(40000, 'x'));
  std::vector<std::string> words = {"/usr/bin/strace", "-f", "-o", folder_ / "out"};
  words.insert(words.end(), GetParam().begin(), GetParam().end());
  words.insert(words.end(), {READING_SUBJECT, data});
  const Ended run = RunProgram(words);
  if (!run.exited_with(0)) GTEST_SKIP() << "strace does not work here: " << run.errors;
  const Ended imported = Trace({"--import", "strace", folder_ / "out", "-o", folder_ / "trace"});
  ASSERT_TRUE(imported.exited_with(0)) << imported.errors;
  EXPECT_THAT(imported.errors, testing::Not(HasSubstr("left out")));
  EXPECT_EQ(ReadsIn(folder_ / "trace", data), run.output);
  EXPECT_THAT(run.output, HasSubstr("\n39995+5\n40000+0\n")) << "the subject did not do what it is for";
}

INSTANTIATE_TEST_SUITE_P(EachForm, StraceLiveTest,
                         testing::Values(std::vector<std::string>{"-ttt", "-T"}, std::vector<std::string>{"-tt", "-y"},
                                         std::vector<std::string>{"-ttt", "-T", "-v", "-s", "0"}));

TEST_F(TraceCommandTest, ImportSaysWhatIsLeftOut) {
  const std::string text = folder_.Write("text", "open(\"/f\", O_RDONLY) = 3\nread(3, \"\", 5) = 5\nnonsense\n");
  const Ended ended = Trace({"--import", "strace", "-o", folder_ / "out", text});
  EXPECT_TRUE(ended.exited_with(0));
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors, "ahead trace: " + text +
                              ": 1 reads and 1 events of 1 files; left out: 1 of 3 lines, the first of them line 3: "
                              "not understood\n");
  EXPECT_EQ(ReadsIn(folder_ / "out", "/f"), "0+5\n");
}

TEST_F(TraceCommandTest, ImportOfDarshansOutputMakesATrace) {
  const std::string text = folder_.Write("text",
                                         "# DXT, file_id: 1, file_name: /f\n"
                                         " X_POSIX       0   read        0              10             100      "
                                         "4.9500      4.9501\n");
  EXPECT_TRUE(Trace({"--import", "dxt", "-o", folder_ / "out", text}).exited_with(0));
  EXPECT_EQ(ReadsIn(folder_ / "out", "/f"), "10+100\n");
}

TEST_F(TraceCommandTest, ImportOfWhatHoldsNoReadIsRefused) {
  const std::string text = folder_.Write("text", "hello\n");
  const Ended ended = Trace({"--import", "strace", "-o", folder_ / "out", text});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  EXPECT_TRUE(Trace({"--import", "strace", "-o", folder_ / "out", folder_.path()}).exited_with(1));
  EXPECT_TRUE(Trace({"--import", "strace", "-o", folder_ / "out", folder_ / "missing"}).exited_with(1));
}

TEST_F(TraceCommandTest, AnonymousTraceHasNoNames) {
  const std::string out = folder_ / "out";
  ASSERT_TRUE(Trace({"--anonymize", "-o", out, SmallTrace()}).exited_with(0));
  const auto contents = ReadTrace(out);
  ASSERT_TRUE(contents.ok()) << contents.status();
  for (const TracedFile& file : contents->files) {
    EXPECT_THAT(file.path, testing::Not(HasSubstr("quoted")));
    EXPECT_THAT(file.path, testing::Not(HasSubstr("ahead-cli")));
  }
  EXPECT_THAT(Trace({out}).output, HasSubstr("reads          3, 12.0 KiB"));
}

TEST_F(TraceCommandTest, AnonymousTraceSaysTheSameToTheLaboratory) {
  const std::string recorded = folder_ / "recorded", anonymous = folder_ / "anonymous";
  std::vector<std::string> words = {AHEAD, "record", "-o", recorded, "--", "/bin/cat"};
  for (const char* name : {"one", "two"}) words.push_back(folder_.Write(name, std::string(3 << 20, 'x')));
  const Ended run = RunProgram(words);
  ASSERT_TRUE(run.exited_with(0)) << run.errors;
  ASSERT_TRUE(Trace({"--anonymize", "-o", anonymous, recorded}).exited_with(0));
  const auto before = ReadTrace(recorded), after = ReadTrace(anonymous);
  ASSERT_TRUE(before.ok() && after.ok());
  // Core is asked the same and answers the same, and the simulated machine does the same.
  const sim::ParityResult old = sim::CheckParity(*before), now = sim::CheckParity(*after);
  EXPECT_GT(now.decisions, 0);
  EXPECT_EQ(now.calls, old.calls);
  EXPECT_EQ(now.differing_decisions, old.differing_decisions) << now.first_difference;
  for (const char* model : {"net-2ms", "hdd"}) {
    const auto replay = [&](const std::string& trace) {
      const Ended ended = RunProgram({AHEAD, "replay", "--model", model, trace});
      return ended.output.substr(ended.output.find('\n'));
    };
    EXPECT_EQ(replay(anonymous), replay(recorded));
    EXPECT_THAT(replay(recorded), HasSubstr("oracle"));
  }
}

TEST_F(TraceCommandTest, WhatIsNoTraceIsRefusedInOneLine) {
  const std::string other = folder_.Write("other", "no trace");
  const Ended ended = Trace({other});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors, "ahead trace: " + other + ": not a trace\n");
  EXPECT_TRUE(Trace({folder_ / "missing"}).exited_with(1));
}

TEST_F(TraceCommandTest, OutputThatCannotBeWrittenIsSaid) {
  const Ended ended = Trace({"-o", folder_ / "missing/out", SmallTrace()});
  EXPECT_TRUE(ended.exited_with(1));
  EXPECT_THAT(ended.errors, StartsWith("ahead trace: cannot write '"));
}

TEST_F(TraceCommandTest, PipeIsWrittenToAndStays) {
  const std::string trace = SmallTrace();
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int fd = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(Trace({"--export", "csv", "-o", pipe, trace}).exited_with(0));
  std::string text(10'000, 0);
  const ssize_t got = read(fd, text.data(), text.size());
  close(fd);
  ASSERT_GT(got, 0);
  EXPECT_EQ(text.substr(0, static_cast<size_t>(got)), Trace({"--export", "csv", trace}).output);
  struct stat status;
  ASSERT_EQ(stat(pipe.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST_F(TraceCommandTest, LimitOfFileSizesIsSaidAndLeavesNothing) {
  const std::string trace = SmallTrace();
  for (const std::string& what : {std::string("--export csv"), std::string("--anonymize")}) {
    const std::string line = "ulimit -f 0; exec " + std::string(AHEAD) + " trace " + what + " -o out " + trace;
    const Ended refused = RunProgram({"/bin/sh", "-c", "cd " + folder_.path() + "; " + line});
    EXPECT_TRUE(refused.exited_with(1)) << refused.errors;
    EXPECT_THAT(refused.errors, HasSubstr("File too large"));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("out")) << entry.path();
}

TEST_F(TraceCommandTest, PipeIsNoTrace) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Ended refused = RunProgram({"/usr/bin/timeout", "20", AHEAD, "trace", pipe});
  EXPECT_TRUE(refused.exited_with(1)) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("not a regular file"));
}

TEST_F(TraceCommandTest, BadUsageIsRefused) {
  EXPECT_TRUE(Trace({}).exited_with(2));
  EXPECT_TRUE(Trace({"--export", "xml", "t"}).exited_with(2));
  EXPECT_TRUE(Trace({"--anonymize", "t"}).exited_with(2));
  EXPECT_TRUE(Trace({"--import", "strace", "t"}).exited_with(2));
  EXPECT_TRUE(Trace({"--import", "strace", "--export", "csv", "-o", "o", "t"}).exited_with(2));
  EXPECT_TRUE(Trace({"--all", "--top", "3", "t"}).exited_with(2));
}

}  // namespace
}  // namespace ahead::test
