// `ahead stats` as a user runs it: what it prints, where, and with which status. The test itself stands in for
// `ahead run` by holding the memfd of a run.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "stats/segment_map.h"
#include "tests/stats/processes.h"

namespace ahead {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kPublished = TEST_DATA "/events-v14.txt";

// A program that runs, with its two outputs in pipes.
class Program {
 public:
  explicit Program(const std::vector<std::string>& words, const std::vector<std::string>& environment = {}) {
    pid_ = Spawn([&] {
      dup2(out_.ends[1], STDOUT_FILENO);
      dup2(err_.ends[1], STDERR_FILENO);
      dup2(in_.ends[0], STDIN_FILENO);
      for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
      Become(words);
      return 127;
    });
    in_.CloseRead(), out_.CloseWrite(), err_.CloseWrite();
  }
  ~Program() {
    in_.CloseWrite();
    if (pid_ > 0) Finish();
  }

  pid_t pid() const { return pid_; }
  // Waits for the next line of its output; empty at the end.
  std::string Line() {
    std::string line;
    for (char c; line.empty() || line.back() != '\n'; line += c)
      if (read(out_.ends[0], &c, 1) != 1) break;
    return line;
  }
  std::string Rest() { return ReadAll(out_.ends[0]); }
  std::string Errors() { return ReadAll(err_.ends[0]); }
  int Finish() {
    in_.CloseWrite();
    const pid_t pid = pid_;
    pid_ = 0;
    return Wait(pid);
  }

 private:
  static std::string ReadAll(int fd) {
    std::string text;
    char part[4096];
    for (ssize_t got; (got = read(fd, part, sizeof(part))) > 0;) text.append(part, static_cast<size_t>(got));
    return text;
  }

  Pipe in_, out_, err_;
  pid_t pid_ = 0;
};

struct Result {
  int status;
  std::string out;
  std::string err;
};

Result Stats(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {AHEAD, "stats"});
  Program program(arguments);
  std::string out = program.Rest();
  std::string err = program.Errors();
  return {program.Finish(), std::move(out), std::move(err)};
}

// A run: this process, as holder of the memfd.
class HeldRun {
 public:
  HeldRun() : fd_(CreateSegmentMemfd("ratio=50\n", 16)) {}
  ~HeldRun() { close(fd_); }
  std::string path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_); }
  std::string pid() const { return std::to_string(getpid()); }
  void Count(int pages) const { EXPECT_EQ(Wait(SpawnProgram({CLAIMER, path(), std::to_string(pages)})), 0); }

 private:
  int fd_;
};

uint64_t PagesIn(const nlohmann::json& tables) { return tables["pages"]["readahead"]["state"]; }

TEST(StatsCommandTest, CompatPrintsThePublishedTablesAgain) {
  const Result result = Stats({"--compat", "v14", kPublished});
  EXPECT_EQ(result.status, 0) << result.err;
  std::ifstream file(kPublished);
  for (std::string line; std::getline(file, line);)
    if (line.rfind("#", 0) != 0 && line.rfind("var_ra_size", 0) != 0) {
      EXPECT_THAT(result.out, HasSubstr(line + "\n"));
    }
}

TEST(StatsCommandTest, ShowsARunByItsNumberByItsPathAndByAProcess) {
  const HeldRun run;
  Program counting({CLAIMER, run.path(), "30", "-"}, {"AHEAD_SESSION=" + run.path()});
  ASSERT_EQ(counting.Line(), "counted\n");
  run.Count(4);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--session", run.pid()}, {"--session", run.path()}, {run.path()}}) {
    const Result result = Stats(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\nreadahead               34         0        34         0"));
    EXPECT_THAT(result.out, HasSubstr("\nall 2 "));
  }
  const Result one = Stats({"--pid", std::to_string(counting.pid())});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("\nreadahead               30         0        30         0"));
  EXPECT_THAT(one.out, HasSubstr("\nstats_claimer   "));
}

TEST(StatsCommandTest, FindsTheFilesOfAProcess) {
  const TemporaryFolder folder;
  Program counting({"/bin/cat"}, {"AHEAD_STATS=" + (folder / "%p.stats")});
  const std::string pid = std::to_string(counting.pid());
  const Result before = Stats({"--pid", pid});
  SegmentView segment = MapStatsFile((folder / "%p.stats").c_str(), counting.pid());
  ASSERT_TRUE(segment);
  ClaimBlock(segment, counting.pid())->ledger.Add(Event::readahead, Class::state, 21);
  const Result after = Stats({"--pid", pid, "--format", "json"});
  ASSERT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(PagesIn(nlohmann::json::parse(after.out)), 21u);
  UnmapSegment(segment);
}

TEST(StatsCommandTest, AProcessThatEndedIsFoundInTheRunThatCountedIt) {
  const HeldRun run;
  const pid_t child = SpawnProgram({CLAIMER, run.path(), "17"});
  ASSERT_EQ(Wait(child), 0);
  const Result result = Stats({"--pid", std::to_string(child), "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(PagesIn(nlohmann::json::parse(result.out)), 17u);
}

TEST(StatsCommandTest, ListsTheRunsWhenThereIsMoreThanOne) {
  const HeldRun run;
  const pid_t other = Spawn([] {
    const int fd = CreateSegmentMemfd(nullptr, 1);
    const Result result = Stats({});
    close(fd);
    const std::string both[] = {std::to_string(getppid()), std::to_string(getpid())};
    for (const std::string& pid : both)
      if (result.err.find(pid) == std::string::npos) return 1;
    return result.status == 1 && result.out.empty() ? 0 : 2;
  });
  EXPECT_EQ(Wait(other), 0);
}

TEST(StatsCommandTest, ResetPrintsWhatItTakesOut) {
  const HeldRun run;
  run.Count(8);
  const Result first = Stats({run.path(), "--reset", "--format", "json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(PagesIn(nlohmann::json::parse(first.out)), 8u);
  run.Count(3);
  const Result second = Stats({run.path(), "--reset", "--format", "json"});
  EXPECT_EQ(PagesIn(nlohmann::json::parse(second.out)), 3u);
}

TEST(StatsCommandTest, WatchEndsWithTheRunAndShowsItsLastState) {
  Pipe go;
  int paths[2];
  ASSERT_EQ(pipe(paths), 0);
  const pid_t session = Spawn([&] {
    go.CloseWrite();
    const HeldRun run;
    const std::string line = run.path() + "\n";
    if (write(paths[1], line.data(), line.size()) < 0) return 1;
    go.Get();
    run.Count(12);
    return 0;
  });
  close(paths[1]);
  char path[64] = {};
  ASSERT_GT(read(paths[0], path, sizeof(path) - 1), 0);
  close(paths[0]);

  Program watch({AHEAD, "stats", "--session", std::to_string(session), "--watch", "3600", "--format", "json"});
  const auto first = nlohmann::json::parse(watch.Line());
  EXPECT_EQ(PagesIn(first["total"]), 0u);
  EXPECT_FALSE(first.contains("difference"));
  go.CloseWrite();
  EXPECT_EQ(Wait(session), 0);
  const auto last = nlohmann::json::parse(watch.Line());
  EXPECT_EQ(PagesIn(last["total"]), 12u);
  EXPECT_EQ(PagesIn(last["difference"]), 12u);
  EXPECT_EQ(watch.Line(), "");
  EXPECT_EQ(watch.Finish(), 0);
}

TEST(StatsCommandTest, WatchRepeatsAndAnInterruptEndsItCleanly) {
  const HeldRun run;
  Program watch({AHEAD, "stats", run.path(), "--watch", "0.02", "--format", "csv"});
  EXPECT_EQ(watch.Line(), "elapsed_s,span,table,row,class,value\n");
  int headless = 0;
  for (std::string line; headless < 3 && !(line = watch.Line()).empty();)
    headless += line.find(",difference,requests,cache_miss,total,0\n") != std::string::npos;
  EXPECT_EQ(headless, 3);
  kill(watch.pid(), SIGINT);
  watch.Rest();
  EXPECT_EQ(watch.Errors(), "");
  EXPECT_EQ(watch.Finish(), 0);
}

TEST(StatsCommandTest, BadUsageIsOneLineThatNamesValueAndChoice) {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } kCases[] = {
      {{"--format", "xml"}, "ahead stats: --format: 'xml' is not one of table, json, csv, openmetrics\n"},
      {{"--compat", "v15"}, "ahead stats: --compat: 'v15' is not one of v14\n"},
      {{"--watch", "0"}, "ahead stats: --watch: '0' is not a number of seconds from 0.01 to 86400\n"},
      {{"--watch", "nan"}, "ahead stats: --watch: 'nan' is not a number of seconds from 0.01 to 86400\n"},
      {{"--pid", "x"}, "ahead stats: --pid: 'x' is not a whole number from 1 to 4194304\n"},
      {{kPublished, "--compat", "v14", "--format", "openmetrics"},
       "ahead stats: --compat: v14 is for --format table, json and csv\n"},
  };
  for (const auto& each : kCases) {
    const Result result = Stats(each.words);
    EXPECT_EQ(result.status, 2) << each.message;
    EXPECT_EQ(result.err, each.message);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(Stats({"a", "--pid", "1"}).status, 2);
  EXPECT_EQ(Stats({"--session", "1", "--pid", "1"}).status, 2);
  EXPECT_EQ(Stats({"--reset", "--watch", "1"}).status, 2);
  EXPECT_EQ(Stats({kPublished, "--reset"}).status, 2);
}

TEST(StatsCommandTest, WhatCannotBeReadIsNamedWithTheReason) {
  const TemporaryFolder folder;
  std::ofstream(folder / "blank") << std::string(SegmentBytes(), '\0');
  std::ofstream(folder / "empty");
  std::ofstream(folder / "noise") << std::string(
      "\x7f"
      "ELF\n\0\1",
      7);
  UnmapSegment(MapSegmentFile((folder / "cut").c_str(), MapMode::kCreate, 2));
  ASSERT_EQ(truncate((folder / "cut").c_str(), 5000), 0);
  UnmapSegment(MapSegmentFile((folder / "other").c_str(), MapMode::kCreate, 2));
  std::fstream(folder / "other", std::ios::in | std::ios::out).seekp(7).put('~');
  const struct {
    std::string name;
    std::string reason;
  } kCases[] = {
      {"none", "cannot be opened: No such file or directory"},
      {"blank", "is blank: nothing has been counted in it"},
      {"empty", "is empty: nothing has been counted in it"},
      {"noise", "is neither a statistics file nor the text of event tables: line 1: '?ELF' stands outside a table"},
      {"cut", "is a statistics file that was cut short"},
      {"other", "was written by another version of ahead"},
      {".", "is a folder"},
  };
  for (const auto& each : kCases) {
    const Result result = Stats({folder / each.name});
    EXPECT_EQ(result.status, 1) << each.name;
    EXPECT_EQ(result.err, "ahead stats: '" + (folder / each.name) + "' " + each.reason + "\n");
    EXPECT_EQ(result.out, "");
  }
  const std::string ended = std::to_string(EndedProcess());
  EXPECT_EQ(Stats({"--pid", ended}).status, 1);
  EXPECT_EQ(Stats({"--session", ended}).status, 1);
  EXPECT_THAT(Stats({"--session", ended}).err, StartsWith("ahead stats: --session " + ended + ": "));
}

TEST(StatsCommandTest, AFullOutputIsAnError) {
  Program program({"/bin/sh", "-c", "exec \"$0\" stats \"$1\" >/dev/full", AHEAD, kPublished});
  EXPECT_EQ(program.Errors(), "ahead stats: cannot write to standard output\n");
  EXPECT_EQ(program.Finish(), 1);
}

}  // namespace
}  // namespace ahead
