#include "stats/trace_writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::MemoryTrace;
using test::PlanOf;
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
  facts.share = 7_MiB;
  facts.safe = 11_MiB;
  facts.habit.tails = 3;
  facts.habit.back = 44_KiB;
  facts.clock = 13_GiB;
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
  decision.hint = Decision::Hint::kNormal;
  decision.extent_count = 2;
  decision.extents[0] = {700'000, 400'000};
  decision.extents[1] = {300'000, 1};
  return decision;
}

Filter::Run SomeRun() {
  Filter::Run run;
  run.mode = Filter::Mode::kBackward;
  run.stream = {4, 9};
  run.anchor = {900};
  run.expected = {100};
  run.reads = 8;
  run.broken = true;
  return run;
}

TEST(TraceWriterTest, PlanComesBackWithAllThatBelongsToIt) {
  MemoryTrace trace(4);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TracePlanFacts plan = PlanOf(trace.get(), file, 3'000'000'000, 65536, 17_ms);
  plan.kind = TraceAccessKind::kStdio;
  plan.access.fresh = true;
  plan.access.advice = HostAdvice::kSequential;
  plan.run = SomeRun();
  plan.decision = SomeDecision();
  TracePlan(trace.get(), plan, SomeFacts());
  const PieceOutcome first[] = {{PieceOutcome::State::kIssued, true, 32, 100_us},
                                {PieceOutcome::State::kIssued, false, 30, 50_us}};
  const PieceOutcome then[] = {{PieceOutcome::State::kResident, true, 0, {}},
                               {PieceOutcome::State::kDropped, false, 0, {}},
                               {PieceOutcome::State::kPutOff, false, 0, {}}};
  const Nanos times[] = {18_ms, 19_ms, 19_ms};
  TraceIssued(trace.get(), 2, plan.sequence, 0, 2, first, times);
  TraceIssued(trace.get(), 3, plan.sequence, 2, 3, then, times);
  TraceFinish(trace.get(), 4, plan.sequence, {{{3'000'000'000}, {3'000'004'096}}, 20_ms, 3_ms}, EIO);

  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 1u);
  EXPECT_EQ(contents.broken_records, 0u);
  const TracedRead& read = contents.reads[0];
  EXPECT_EQ(read.range, (ByteRange{{3'000'000'000}, {3'000'065'536}}));
  EXPECT_EQ(read.time, 17_ms);
  EXPECT_EQ(read.tid, gettid());
  EXPECT_EQ(read.description, file);
  EXPECT_EQ(read.kind, TraceAccessKind::kStdio);
  EXPECT_TRUE(read.fresh);
  EXPECT_EQ(read.advice, HostAdvice::kSequential);
  EXPECT_FALSE(read.absorbed);
  EXPECT_FALSE(read.unseen);
  EXPECT_EQ(read.facts.file_size, 5_GiB);
  EXPECT_EQ(read.facts.page, 4_KiB);
  EXPECT_EQ(read.facts.piece, 256_KiB);
  EXPECT_EQ(read.facts.kernel_window, 8_MiB);
  EXPECT_TRUE(read.facts.kernel_leads);
  EXPECT_EQ(read.facts.initial, 64_KiB);
  EXPECT_EQ(read.facts.allowance, 3_GiB);
  EXPECT_EQ(read.facts.share, 7_MiB);
  EXPECT_EQ(read.facts.safe, 11_MiB);
  EXPECT_EQ(read.facts.habit.tails, 3);
  EXPECT_EQ(read.facts.habit.back, 44_KiB);
  EXPECT_EQ(read.facts.clock, 13_GiB);
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
  EXPECT_EQ(read.decision.hint, expected.hint);
  ASSERT_EQ(read.decision.extent_count, 2);
  EXPECT_EQ(read.decision.extents[0].begin, 700'000);
  EXPECT_EQ(read.decision.extents[0].length, 400'000);
  EXPECT_EQ(read.decision.extents[1].begin, 300'000);
  EXPECT_EQ(read.settled.mode, Filter::Mode::kBackward);
  EXPECT_EQ(read.settled.stream.index, 4);
  EXPECT_EQ(read.settled.stream.generation, 9u);
  EXPECT_EQ(read.settled.anchor.value, 900);
  EXPECT_EQ(read.settled.expected.value, 100);
  EXPECT_EQ(read.settled.reads, 8);
  EXPECT_TRUE(read.settled.broken);
  EXPECT_TRUE(read.outcome.known);
  EXPECT_EQ(read.outcome.asked, 2u);
  EXPECT_EQ(read.outcome.resident, 1u);
  EXPECT_EQ(read.outcome.dropped, 1u);
  EXPECT_EQ(read.outcome.put_off, 1u);
  EXPECT_EQ(read.outcome.sure, 2u);
  EXPECT_EQ(read.outcome.fresh_pages, 62u);
  EXPECT_EQ(read.outcome.blocked, 150_us);
  ASSERT_EQ(read.batches.size(), 2u);
  EXPECT_EQ(read.batches[0].sequence, 2u);
  EXPECT_EQ(read.batches[1].first, 2);
  ASSERT_EQ(read.batches[1].pieces.size(), 3u);
  EXPECT_EQ(read.batches[1].pieces[1].outcome.state, PieceOutcome::State::kDropped);
  EXPECT_EQ(read.batches[1].pieces[1].asked_at, 19_ms);
  EXPECT_TRUE(read.completed);
  EXPECT_EQ(read.sequence, plan.sequence);
  EXPECT_EQ(read.finish_sequence, 4u);
  EXPECT_EQ(read.returned, 4_KiB);
  EXPECT_EQ(read.end, 20_ms);
  EXPECT_EQ(read.duration, 3_ms);
  EXPECT_EQ(read.error, EIO);
}

// One that is added must be added to the trace, and above.
TEST(TraceWriterTest, FactsAndDecisionHaveNoMoreThanTheTraceHolds) {
  [[maybe_unused]] const auto [size, page, piece, window, leads, initial, allowance, share, safe, clock, habit] =
      Facts{};
  [[maybe_unused]] const auto [method, stream, first, length, step, pieces, required, limit, floor, look, check,
                               starving, alone, hint, extent_count, extents] = Decision{};
  [[maybe_unused]] const auto [state, sure, fresh, blocked] = PieceOutcome{};
}

TEST(TraceWriterTest, FactsAreWrittenAgainOnlyWhenTheyChange) {
  MemoryTrace trace(4);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const auto used = [&] { return reinterpret_cast<const TraceChunk*>(trace.get()->chunks)->used_bytes; };
  Facts facts = SomeFacts();
  TracePlan(trace.get(), PlanOf(trace.get(), file, 0, 10, 1_ms), facts);
  const uint32_t first = used();
  TracePlan(trace.get(), PlanOf(trace.get(), file, 50, 10, 2_ms), facts);
  EXPECT_EQ(used() - first, sizeof(TracePlanRecord));
  facts.allowance = 1_MiB;
  TracePlan(trace.get(), PlanOf(trace.get(), file, 90, 10, 3_ms), facts);
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 3u);
  EXPECT_TRUE(contents.reads[0].decision.empty());
  EXPECT_FALSE(contents.reads[0].completed);
  EXPECT_EQ(contents.reads[1].facts.allowance, 3_GiB);
  EXPECT_EQ(contents.reads[2].facts.allowance, 1_MiB);
}

TEST(TraceWriterTest, ReadThatPassedComesBackWithItsTime) {
  MemoryTrace trace(4);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return Nanos{time.tv_sec * 1'000'000'000 + time.tv_nsec};
  };
  const Nanos before = now();
  TracePlan(trace.get(), PlanOf(trace.get(), file, 0, 10, before), SomeFacts());
  TraceReadFacts read = ReadOf(trace.get(), file, 10, 100);
  read.kind = TraceAccessKind::kTransfer;
  read.advice = HostAdvice::kNoReuse;
  read.returned = 40;
  TraceRead(trace.get(), read);
  read.is_unseen = true;
  read.returned = -1;
  TraceRead(trace.get(), read);
  const Nanos after = now();
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 3u);
  const TracedRead& passed = contents.reads[1];
  EXPECT_TRUE(passed.absorbed);
  EXPECT_FALSE(passed.unseen);
  EXPECT_EQ(passed.kind, TraceAccessKind::kTransfer);
  EXPECT_EQ(passed.advice, HostAdvice::kNoReuse);
  EXPECT_EQ(passed.range, (ByteRange{{10}, {110}}));
  EXPECT_EQ(passed.returned, ByteCount{40});
  EXPECT_EQ(passed.error, 0);
  EXPECT_EQ(passed.facts.file_size, ByteCount{});
  EXPECT_GE(passed.time, before);
  EXPECT_LE(passed.end, after + 1_ms);
  EXPECT_TRUE(contents.reads[2].unseen);
  EXPECT_FALSE(contents.reads[2].absorbed);
  EXPECT_EQ(contents.reads[2].error, EIO);
}

TEST(TraceWriterTest, LongPathComesBackWhole) {
  Scratch scratch;
  std::string folder = scratch / "deep";
  for (int i = 0; i < 12; ++i) folder += "/" + std::string(200, static_cast<char>('a' + i));
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/file";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  MemoryTrace trace(4);
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

TEST(TraceWriterTest, ReadsOfOneLengthTakeLessAndComeBackWhole) {
  MemoryTrace trace(4);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const TraceId other = AddFile(trace.get(), trace.fd(), 2000);
  const auto used = [&] { return reinterpret_cast<const TraceChunk*>(trace.get()->chunks)->used_bytes; };
  const auto bytes_of = [&](const TraceReadFacts& read) {
    const uint32_t before = used();
    TraceRead(trace.get(), read);
    return used() - before;
  };
  EXPECT_EQ(bytes_of(ReadOf(trace.get(), file, 0, 100)), sizeof(TraceReadRecord));
  EXPECT_EQ(bytes_of(ReadOf(trace.get(), other, 777, 100)), sizeof(TraceSimilarRecord));
  TraceReadFacts unseen = ReadOf(trace.get(), file, 5, 100);
  unseen.is_unseen = true;
  unseen.kind = TraceAccessKind::kPread;
  EXPECT_EQ(bytes_of(unseen), sizeof(TraceSimilarRecord));
  TraceReadFacts less = ReadOf(trace.get(), file, 200, 100);
  less.returned = 99;
  EXPECT_EQ(bytes_of(less), sizeof(TraceReadRecord));
  TraceReadFacts late = ReadOf(trace.get(), file, 300, 100);
  late.begin_ticks += uint64_t{1} << 32;
  late.end_ticks = late.begin_ticks + 5;
  EXPECT_EQ(bytes_of(late), sizeof(TraceReadRecord));
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.broken_records, 0u);
  ASSERT_EQ(contents.reads.size(), 5u);
  EXPECT_EQ(contents.files[contents.reads[1].file].size, ByteCount{2000});
  EXPECT_EQ(contents.reads[1].range, (ByteRange{{777}, {877}}));
  EXPECT_EQ(contents.reads[1].returned, ByteCount{100});
  EXPECT_GE(contents.reads[1].time, contents.reads[0].end);
  EXPECT_TRUE(contents.reads[1].absorbed);
  EXPECT_TRUE(contents.reads[2].unseen);
  EXPECT_EQ(contents.reads[2].kind, TraceAccessKind::kPread);
  EXPECT_EQ(contents.reads[3].returned, ByteCount{99});
  EXPECT_GT(contents.reads[4].time, contents.reads[3].time);
}

TEST(TraceWriterTest, EventsComeBackInOrderOfTime) {
  Options options;
  options.ratio = 42;
  options.max = 1 << 20;
  options.memory = 3 << 20;
  MemoryTrace trace(4, options);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const auto add = [&](TraceKind kind, Nanos time, ByteRange range, uint64_t sequence = 0) {
    TraceEventFacts event;
    event.kind = kind;
    event.description = event.file = file;
    event.opened_here = true;
    event.advice = POSIX_FADV_WILLNEED;
    event.offset = range.begin.value;
    event.length = range.size().value;
    event.sequence = sequence;
    const Filter::Run run = SomeRun();
    const Facts facts = SomeFacts();
    if (sequence != 0) event.run = &run;
    TraceEvent(trace.get(), event, time, sequence != 0 ? &facts : nullptr);
  };
  add(TraceKind::kClose, 9_ms, {}, 7);
  add(TraceKind::kSeek, 2_ms, {{77}, {77}});
  add(TraceKind::kAdvice, 3_ms, {{10}, {30}});
  add(TraceKind::kMapping, 4_ms, {{0}, {4096}});
  add(TraceKind::kUnmapping, 5_ms, {{0}, {4096}});
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.broken_records, 0u);
  ASSERT_EQ(contents.processes.size(), 1u);
  EXPECT_EQ(contents.processes[0].ratio, 42);
  EXPECT_EQ(contents.processes[0].max, 1_MiB);
  EXPECT_EQ(contents.processes[0].options.memory, 3 << 20);
  EXPECT_EQ(contents.processes[0].parent_pid, getppid());
  EXPECT_EQ(contents.processes[0].parent, -1);
  ASSERT_EQ(contents.events.size(), 6u);
  EXPECT_EQ(contents.events[0].kind, TraceKind::kOpen);
  EXPECT_EQ(contents.events[1].kind, TraceKind::kSeek);
  EXPECT_EQ(contents.events[1].range.begin.value, 77);
  EXPECT_EQ(contents.events[2].kind, TraceKind::kAdvice);
  EXPECT_EQ(contents.events[2].advice, POSIX_FADV_WILLNEED);
  EXPECT_EQ(contents.events[2].range, (ByteRange{{10}, {30}}));
  EXPECT_EQ(contents.events[3].kind, TraceKind::kMapping);
  EXPECT_EQ(contents.events[4].kind, TraceKind::kUnmapping);
  EXPECT_EQ(contents.events[5].kind, TraceKind::kClose);
  EXPECT_EQ(contents.events[5].sequence, 7u);
  EXPECT_EQ(contents.events[5].settled.reads, 8);
  EXPECT_EQ(contents.events[5].facts.file_size, 5_GiB);
}

TEST(TraceWriterTest, FullTraceCountsWhatItDropsAndKeepsTheRest) {
  MemoryTrace trace(2);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  constexpr int kReads = 1000;
  for (int64_t i = 0; i < kReads; ++i) TraceRead(trace.get(), ReadOf(trace.get(), file, i, 1));
  const TraceContents contents = trace.Read();
  EXPECT_GT(contents.reads.size(), 2 * (kTraceChunkRoom / sizeof(TraceSimilarRecord)) - 40);
  EXPECT_EQ(contents.reads.size() + contents.dropped_records, size_t{kReads});
  for (size_t i = 0; i < contents.reads.size(); ++i)
    ASSERT_EQ(contents.reads[i].range.begin.value, static_cast<int64_t>(i));
  EXPECT_EQ(contents.broken_records, 0u);
}

TEST(TraceWriterTest, NothingIsLostBetweenProcessesAndThreads) {
  constexpr int kProcesses = 3;
  constexpr int kThreads = 3;
  constexpr int64_t kEach = 3000;
  MemoryTrace trace(kProcesses * kThreads * (kEach * 40 / kTraceChunkRoom + 2));
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child > 0) continue;
    TraceProcess(trace.get(), Options{}, 1_ms);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, who = process * kThreads + thread] {
        const TraceId file = AddFile(trace.get(), trace.fd(), who);
        for (int64_t i = 0; i < kEach; ++i) TraceRead(trace.get(), ReadOf(trace.get(), file, who * kEach + i, 1));
      });
    for (std::thread& thread : threads) thread.join();
    _exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) wait(nullptr);
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.processes.size(), size_t{kProcesses} + 1);
  EXPECT_EQ(contents.files.size(), size_t{kProcesses * kThreads});
  EXPECT_EQ(contents.broken_records + contents.dropped_records, 0u);
  std::set<int64_t> offsets;
  std::map<int32_t, int64_t> last;
  for (const TracedRead& read : contents.reads) {
    offsets.insert(read.range.begin.value);
    EXPECT_EQ(read.range.begin.value / kEach, contents.files[read.file].size.value);
    EXPECT_LT(std::exchange(last.try_emplace(read.tid, -1).first->second, read.range.begin.value),
              read.range.begin.value);
  }
  EXPECT_EQ(offsets.size(), size_t{kProcesses * kThreads * kEach});
}

TEST(TraceWriterTest, KilledWriterLeavesAReadableTrace) {
  MemoryTrace trace(1 << 15);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    TraceProcess(trace.get(), Options{}, 1_ms);
    const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
    for (int64_t i = 0;; ++i) {
      TracePlanFacts plan = PlanOf(trace.get(), file, i, 1, {i});
      plan.decision = SomeDecision();
      TracePlan(trace.get(), plan, SomeFacts());
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
  EXPECT_EQ(contents.broken_records, 0u);
  for (size_t i = 0; i < contents.reads.size(); ++i) {
    ASSERT_EQ(contents.reads[i].range.begin.value, static_cast<int64_t>(i));
    ASSERT_EQ(contents.reads[i].decision.pieces, 5);
  }
}

Trace* handler_trace = nullptr;
TraceId handler_file = kNoTraceId;
volatile sig_atomic_t handled = 0;

void RecordInHandler(int) {
  TraceRead(handler_trace, ReadOf(handler_trace, handler_file, 1'000'000 + handled, 1));
  handled = handled + 1;
}

// A handler that finds its thread writing gives up its own record, and harms no other.
TEST(TraceWriterTest, HandlersThatRecordHarmNothing) {
  MemoryTrace trace(4000);
  handler_trace = trace.get();
  handler_file = AddFile(trace.get(), trace.fd(), 1000);
  handled = 0;
  struct sigaction action = {};
  action.sa_handler = RecordInHandler;
  struct sigaction before;
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  constexpr int64_t kMost = 500'000;
  int64_t i = 0;
  for (; i < kMost && handled < 500; ++i) TraceRead(trace.get(), ReadOf(trace.get(), handler_file, i, 1));
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.broken_records, 0u);
  EXPECT_EQ(contents.reads.size() + contents.dropped_records, static_cast<size_t>(i + handled));
  std::set<int64_t> offsets;
  for (const TracedRead& read : contents.reads) offsets.insert(read.range.begin.value);
  EXPECT_EQ(offsets.size(), contents.reads.size());
}

sigjmp_buf start;

void JumpOut(int) {
  handled = handled + 1;
  siglongjmp(start, 1);
}

// A handler that jumps out of the writer leaves it usable, for the frames that are above it and for those that are not.
TEST(TraceWriterTest, WriterThatWasJumpedOutOfGoesOn) {
  MemoryTrace trace(4000);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  handled = 0;
  struct sigaction action = {};
  action.sa_handler = JumpOut;
  struct sigaction before;
  sigaction(SIGALRM, &action, &before);
  static int64_t i;
  i = 0;
  sigsetjmp(start, 1);
  const itimerval soon{{0, 0}, {0, 50}};
  if (handled < 300 && i < 400'000) setitimer(ITIMER_REAL, &soon, nullptr);
  for (; handled < 300 && i < 400'000; ++i) TraceRead(trace.get(), ReadOf(trace.get(), file, i, 1));
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  const uint64_t dropped = trace.get()->header->dropped_records;
  for (int64_t j = 0; j < 10; ++j) TraceRead(trace.get(), ReadOf(trace.get(), file, 1'000'000 + j, 1));
  EXPECT_EQ(trace.get()->header->dropped_records, dropped);
  const TraceContents contents = trace.Read();
  EXPECT_EQ(contents.broken_records, 0u);
  int64_t last = 0;
  for (const TracedRead& read : contents.reads) last += read.range.begin.value >= 1'000'000 ? 1 : 0;
  EXPECT_EQ(last, 10);
}

}  // namespace
}  // namespace ahead
