#include "stats/trace_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <set>

#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::MemoryTrace;
using test::ReadOf;
using test::Scratch;

Facts SomeFacts() {
  Facts facts;
  facts.file_size = 5_GiB;
  facts.piece = 256_KiB;
  facts.kernel_window = 8_MiB;
  facts.kernel_leads = true;
  facts.initial = 64_KiB;
  facts.allowance = 3_GiB;
  return facts;
}

Decision SomeDecision() {
  Decision decision;
  decision.method = Class::backward;
  decision.stream = {3, 77};
  decision.first = {1 << 20};
  decision.length = 128_KiB;
  decision.step = -128_KiB;
  decision.pieces = 5;
  decision.required = 2;
  decision.limit = {1152 << 10};
  decision.floor = {512 << 10};
  decision.look_only = true;
  decision.check = false;
  decision.starving = true;
  return decision;
}

TEST(TraceWriterTest, PlanComesBackWithItsFactsDecisionOutcomeAndCompletion) {
  MemoryTrace trace(100);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TraceAccess access = ReadOf(file, 3'000'000'000, 65536, 17_ms);
  access.description = 9;
  access.kind = TraceAccessKind::kStdio;
  access.access.fresh = true;
  const TraceId plan = TracePlan(trace.get(), access, SomeFacts(), SomeDecision());
  TraceOutcomeCounts counts;
  counts.Add({PieceOutcome::State::kIssued, true, 32, 100_us});
  counts.Add({PieceOutcome::State::kIssued, false, 30, 50_us});
  counts.Add({PieceOutcome::State::kResident, true, 0, {}});
  counts.Add({PieceOutcome::State::kDropped, false, 0, {}});
  counts.Add({PieceOutcome::State::kPutOff, false, 0, {}});
  TraceOutcome(trace.get(), plan, counts, 18_ms);
  TraceCompletion(trace.get(), plan, {{{3'000'000'000}, {3'000'004'096}}, 20_ms, 3_ms}, EIO);

  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 1u);
  EXPECT_EQ(contents.broken_records, 0u);
  const TracedRead& read = contents.reads[0];
  EXPECT_EQ(read.range, (ByteRange{{3'000'000'000}, {3'000'065'536}}));
  EXPECT_EQ(read.time, 17_ms);
  EXPECT_EQ(read.tid, gettid());
  EXPECT_EQ(read.description, 9u);
  EXPECT_EQ(read.kind, TraceAccessKind::kStdio);
  EXPECT_TRUE(read.fresh);
  EXPECT_FALSE(read.absorbed);
  EXPECT_EQ(read.facts.file_size, 5_GiB);
  EXPECT_EQ(read.facts.page, 4_KiB);
  EXPECT_EQ(read.facts.piece, 256_KiB);
  EXPECT_EQ(read.facts.kernel_window, 8_MiB);
  EXPECT_TRUE(read.facts.kernel_leads);
  EXPECT_EQ(read.facts.initial, 64_KiB);
  EXPECT_EQ(read.facts.allowance, 3_GiB);
  const Decision expected = SomeDecision();
  EXPECT_EQ(read.decision.method, expected.method);
  EXPECT_EQ(read.decision.stream.index, expected.stream.index);
  EXPECT_EQ(read.decision.stream.generation, expected.stream.generation);
  EXPECT_EQ(read.decision.first, expected.first);
  EXPECT_EQ(read.decision.length, expected.length);
  EXPECT_EQ(read.decision.step, expected.step);
  EXPECT_EQ(read.decision.pieces, expected.pieces);
  EXPECT_EQ(read.decision.required, expected.required);
  EXPECT_EQ(read.decision.limit, expected.limit);
  EXPECT_EQ(read.decision.floor, expected.floor);
  EXPECT_TRUE(read.decision.look_only);
  EXPECT_FALSE(read.decision.check);
  EXPECT_TRUE(read.decision.starving);
  EXPECT_TRUE(read.outcome.known);
  EXPECT_EQ(read.outcome.asked, 2u);
  EXPECT_EQ(read.outcome.resident, 1u);
  EXPECT_EQ(read.outcome.dropped, 1u);
  EXPECT_EQ(read.outcome.put_off, 1u);
  EXPECT_EQ(read.outcome.sure, 2u);
  EXPECT_EQ(read.outcome.fresh_pages, 62u);
  EXPECT_EQ(read.outcome.blocked, 150_us);
  EXPECT_TRUE(read.completed);
  EXPECT_EQ(read.returned, 4_KiB);
  EXPECT_EQ(read.end, 20_ms);
  EXPECT_EQ(read.duration, 3_ms);
  EXPECT_EQ(read.error, EIO);
}

// One that is added must be added to the trace, and above.
TEST(TraceWriterTest, FactsAndDecisionHaveNoMoreThanTheTraceHolds) {
  [[maybe_unused]] const auto [size, page, piece, window, leads, initial, allowance] = Facts{};
  [[maybe_unused]] const auto [method, stream, first, length, step, pieces, required, limit, floor, look, check,
                               starving] = Decision{};
  [[maybe_unused]] const auto [state, sure, fresh, blocked] = PieceOutcome{};
}

TEST(TraceWriterTest, EmptyDecisionTakesOneSlotAndAbsorbedReadHasNoFacts) {
  MemoryTrace trace(100);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const uint64_t before = trace.get()->header->tail_records;
  TracePlan(trace.get(), ReadOf(file, 0, 10, 1_ms), SomeFacts(), Decision{});
  TraceAbsorbed(trace.get(), ReadOf(file, 10, 10, 2_ms));
  EXPECT_EQ(trace.get()->header->tail_records, before + 2);
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 2u);
  EXPECT_TRUE(contents.reads[0].decision.empty());
  EXPECT_FALSE(contents.reads[0].completed);
  EXPECT_TRUE(contents.reads[1].absorbed);
  EXPECT_EQ(contents.reads[1].facts.file_size, ByteCount{});
}

TEST(TraceWriterTest, LongPathComesBackWhole) {
  Scratch scratch;
  std::string folder = scratch / "deep";
  for (int i = 0; i < 12; ++i) folder += "/" + std::string(200, static_cast<char>('a' + i));
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/file";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  MemoryTrace trace(100);
  AddFile(trace.get(), fd, 123, 5_ms);
  close(fd);
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.files.size(), 1u);
  EXPECT_EQ(contents.files[0].path, path);
  EXPECT_EQ(contents.files[0].pid, getpid());
  EXPECT_EQ(contents.files[0].device, 7u);
  EXPECT_EQ(contents.files[0].inode, 11u);
  EXPECT_EQ(contents.files[0].size, ByteCount{123});
  EXPECT_EQ(contents.files[0].time, 5_ms);
}

TEST(TraceWriterTest, EventsComeBackInOrderOfTime) {
  MemoryTrace trace(100);
  Options options;
  options.ratio = 42;
  options.max = 1 << 20;
  TraceProcess(trace.get(), options, 1_ms);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TraceClose(trace.get(), file, 4, 9_ms);
  TraceOpen(trace.get(), file, 4, true, 2_ms);
  TraceAdvice(trace.get(), file, 4, POSIX_FADV_WILLNEED, {{10}, {30}}, 3_ms);
  TraceMapping(trace.get(), file, 4, {{0}, {4096}}, 4_ms);
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.processes.size(), 1u);
  EXPECT_EQ(contents.processes[0].ratio, 42);
  EXPECT_EQ(contents.processes[0].max, 1_MiB);
  EXPECT_EQ(contents.processes[0].parent_pid, getppid());
  ASSERT_EQ(contents.events.size(), 4u);
  EXPECT_EQ(contents.events[0].kind, TraceKind::kOpen);
  EXPECT_TRUE(contents.events[0].opened_here);
  EXPECT_EQ(contents.events[1].kind, TraceKind::kAdvice);
  EXPECT_EQ(contents.events[1].advice, POSIX_FADV_WILLNEED);
  EXPECT_EQ(contents.events[1].range, (ByteRange{{10}, {30}}));
  EXPECT_EQ(contents.events[2].kind, TraceKind::kMapping);
  EXPECT_EQ(contents.events[3].kind, TraceKind::kClose);
}

TEST(TraceWriterTest, FullTraceCountsWhatItDropsAndKeepsTheRest) {
  MemoryTrace trace(10);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const uint64_t used = trace.get()->header->tail_records;
  for (uint64_t i = used; i < 9; ++i) TraceAbsorbed(trace.get(), ReadOf(file, 0, 1, 1_ms));
  // Two slots are asked for where one is left, then one where none is.
  EXPECT_EQ(TracePlan(trace.get(), ReadOf(file, 0, 1, 1_ms), SomeFacts(), SomeDecision()), kNoTraceId);
  EXPECT_EQ(TraceAbsorbed(trace.get(), ReadOf(file, 0, 1, 1_ms)), kNoTraceId);
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.records, 10u);
  EXPECT_EQ(contents.reads.size(), 9 - used);
  EXPECT_EQ(contents.dropped_records, 3u);
  EXPECT_EQ(contents.broken_records, 1u);
}

TEST(TraceWriterTest, NothingIsLostBetweenProcesses) {
  constexpr int kProcesses = 4;
  constexpr int64_t kEach = 3000;
  MemoryTrace trace(kProcesses * (kEach + 10));
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child > 0) continue;
    const TraceId file = AddFile(trace.get(), trace.fd(), process);
    for (int64_t i = 0; i < kEach; ++i) TraceAbsorbed(trace.get(), ReadOf(file, process * kEach + i, 1, {i}));
    _exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) wait(nullptr);
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.files.size(), size_t{kProcesses});
  EXPECT_EQ(contents.broken_records + contents.dropped_records, 0u);
  std::set<int64_t> offsets;
  for (const TracedRead& read : contents.reads) {
    offsets.insert(read.range.begin.value);
    EXPECT_EQ(read.range.begin.value / kEach, contents.files[read.file].size.value);
  }
  EXPECT_EQ(offsets.size(), size_t{kProcesses * kEach});
}

TEST(TraceWriterTest, KilledWriterLeavesAReadableTrace) {
  MemoryTrace trace(1 << 20);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
    for (int64_t i = 0;; ++i) {
      TracePlan(trace.get(), ReadOf(file, i, 1, {i}), SomeFacts(), SomeDecision());
      if (i == 1000 && write(ready[1], "x", 1) != 1) _exit(1);
    }
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  const TraceContents contents = trace.Read();
  EXPECT_GE(contents.reads.size(), 1000u);
  EXPECT_LE(contents.broken_records, 2u);  // the plan and the decision it was about to write
  for (size_t i = 0; i < contents.reads.size(); ++i) {
    ASSERT_EQ(contents.reads[i].range.begin.value, static_cast<int64_t>(i));
    ASSERT_EQ(contents.reads[i].decision.pieces, 5);
  }
}

}  // namespace
}  // namespace ahead
