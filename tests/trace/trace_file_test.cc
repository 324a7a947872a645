#include "stats/trace_file.h"

#include <sys/stat.h>

#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::Scratch;

Decision SomeDecision() {
  Decision decision;
  decision.method = Class::stride;
  decision.stream = {2, 5};
  decision.first = {1 << 20};
  decision.length = 4_KiB;
  decision.step = 256_KiB;
  decision.pieces = 9;
  decision.required = 1;
  decision.limit = {8 << 20};
  decision.floor = {1 << 20};
  decision.starving = decision.alone = true;
  return decision;
}

TraceContents SomeContents() {
  TraceContents contents;
  contents.page = 4_KiB;
  contents.monotonic_start = 1_ms;
  contents.realtime_start = 2_s;
  contents.dropped_records = 3;
  TracedProcess process;
  process.pid = 77;
  process.parent_pid = 1;
  process.time = 1_ms;
  process.ratio = 60;
  process.hit_rate = 2;
  process.max = 1_MiB;
  contents.processes = {process};
  contents.files = {{"/a/" + std::string(200, 'x'), 77, 2_ms, 5, 6, 9_MiB}, {"", 77, 3_ms, 5, 7, 1_MiB}};
  TracedRead planned;
  planned.tid = 78;
  planned.description = 4;
  planned.kind = TraceAccessKind::kPread;
  planned.fresh = true;
  planned.advice = HostAdvice::kSequential;
  planned.range = {{1 << 20}, {(1 << 20) + 4096}};
  planned.time = 4_ms;
  planned.facts.file_size = 9_MiB;
  planned.facts.kernel_leads = true;
  planned.decision = SomeDecision();
  planned.sequence = 1;
  planned.settled.mode = Filter::Mode::kForward;
  planned.settled.expected = {4096};
  planned.settled.reads = 1;
  planned.batches = {{2, 0, {{{PieceOutcome::State::kIssued, true, 9, 10_us}, 5_ms}}}};
  planned.finish_sequence = 3;
  planned.completed = true;
  planned.returned = 4_KiB;
  planned.end = 6_ms;
  planned.duration = 1_ms;
  TracedRead absorbed;
  absorbed.file = 1;
  absorbed.tid = 79;
  absorbed.absorbed = true;
  absorbed.range = {{10}, {20}};
  absorbed.time = 7_ms;
  TracedRead unseen = absorbed;
  unseen.absorbed = false;
  unseen.unseen = true;
  unseen.time = 8_ms;
  unseen.completed = true;
  unseen.returned = ByteCount{5};
  unseen.duration = 1_us;
  unseen.end = unseen.time + unseen.duration;
  TracedRead imported;
  imported.tid = 78;
  imported.range = {{0}, {500}};
  imported.time = 9_ms;
  contents.reads = {planned, absorbed, unseen, imported};
  TracedEvent open;
  open.kind = TraceKind::kOpen;
  open.tid = 78;
  open.description = 4;
  open.opened_here = true;
  open.time = 4_ms;
  TracedEvent entry;
  entry.kind = TraceKind::kEntry;
  entry.file = 1;
  entry.inode = 99;
  entry.time = 8_ms;
  TracedEvent close = open;
  close.kind = TraceKind::kClose;
  close.time = 9_ms;
  close.opened_here = false;
  close.sequence = 4;
  close.settled = planned.settled;
  close.facts = planned.facts;
  contents.events = {open, entry, close};
  TracedCall forget;
  forget.kind = TraceKind::kForget;
  forget.sequence = 5;
  forget.facts = planned.facts;
  TracedCall renewed;
  renewed.kind = TraceKind::kRenewed;
  renewed.sequence = 6;
  renewed.mount = 2;
  contents.calls = {forget, renewed};
  return contents;
}

TEST(TraceFileTest, WhatIsWrittenComesBack) {
  Scratch scratch;
  const TraceContents in = SomeContents();
  ASSERT_TRUE(WriteTrace(scratch / "trace", in).ok());
  const auto read = ReadTrace(scratch / "trace");
  ASSERT_TRUE(read.ok()) << read.status();
  const TraceContents& out = *read;
  EXPECT_EQ(out.page, in.page);
  EXPECT_EQ(out.monotonic_start, in.monotonic_start);
  EXPECT_EQ(out.realtime_start, in.realtime_start);
  EXPECT_EQ(out.dropped_records, 3u);
  EXPECT_EQ(out.broken_records + out.unknown_records, 0u);
  ASSERT_EQ(out.processes.size(), 1u);
  EXPECT_EQ(out.processes[0].pid, 77);
  EXPECT_EQ(out.processes[0].ratio, 60);
  EXPECT_EQ(out.processes[0].max, 1_MiB);
  ASSERT_EQ(out.files.size(), 2u);
  EXPECT_EQ(out.files[0].path, in.files[0].path);
  EXPECT_EQ(out.files[0].inode, 6u);
  EXPECT_EQ(out.files[0].size, 9_MiB);
  EXPECT_EQ(out.files[1].path, "");
  ASSERT_EQ(out.reads.size(), 4u);
  const TracedRead& planned = out.reads[0];
  EXPECT_EQ(planned.tid, 78);
  EXPECT_EQ(planned.kind, TraceAccessKind::kPread);
  EXPECT_TRUE(planned.fresh);
  EXPECT_EQ(planned.advice, HostAdvice::kSequential);
  EXPECT_EQ(planned.range, in.reads[0].range);
  EXPECT_EQ(planned.facts.file_size, 9_MiB);
  EXPECT_EQ(planned.facts.piece, in.reads[0].facts.piece);
  EXPECT_TRUE(planned.facts.kernel_leads);
  EXPECT_EQ(planned.decision.method, Class::stride);
  EXPECT_EQ(planned.decision.pieces, 9);
  EXPECT_EQ(planned.decision.step, 256_KiB);
  EXPECT_EQ(planned.decision.stream.generation, 5u);
  EXPECT_TRUE(planned.decision.starving);
  EXPECT_TRUE(planned.decision.alone);
  EXPECT_EQ(planned.outcome.asked, 1u);
  EXPECT_EQ(planned.outcome.fresh_pages, 9u);
  EXPECT_EQ(planned.sequence, 1u);
  EXPECT_EQ(planned.finish_sequence, 3u);
  EXPECT_EQ(planned.settled.reads, 1);
  ASSERT_EQ(planned.batches.size(), 1u);
  EXPECT_EQ(planned.batches[0].sequence, 2u);
  EXPECT_EQ(planned.batches[0].pieces[0].asked_at, 5_ms);
  EXPECT_TRUE(planned.completed);
  EXPECT_EQ(planned.returned, 4_KiB);
  EXPECT_EQ(planned.end, 6_ms);
  EXPECT_EQ(planned.duration, 1_ms);
  EXPECT_TRUE(out.reads[1].absorbed);
  EXPECT_EQ(out.reads[1].file, 1u);
  EXPECT_FALSE(out.reads[1].completed);
  EXPECT_TRUE(out.reads[2].unseen);
  EXPECT_TRUE(out.reads[2].completed);
  EXPECT_EQ(out.reads[2].returned, ByteCount{5});
  EXPECT_FALSE(out.reads[3].unseen || out.reads[3].absorbed);
  EXPECT_EQ(out.reads[3].sequence, 0u);
  ASSERT_EQ(out.events.size(), 3u);
  EXPECT_EQ(out.events[0].kind, TraceKind::kOpen);
  EXPECT_TRUE(out.events[0].opened_here);
  EXPECT_EQ(out.events[0].description, 4u);
  EXPECT_EQ(out.events[1].kind, TraceKind::kEntry);
  EXPECT_EQ(out.events[1].inode, 99u);
  EXPECT_EQ(out.events[2].sequence, 4u);
  EXPECT_EQ(out.events[2].settled.reads, 1);
  ASSERT_EQ(out.calls.size(), 2u);
  EXPECT_EQ(out.calls[0].kind, TraceKind::kForget);
  EXPECT_EQ(out.calls[0].file, 0u);
  EXPECT_EQ(out.calls[0].facts.file_size, 9_MiB);
  EXPECT_EQ(out.calls[1].mount, 2u);
}

TEST(TraceFileTest, WrittenAgainItIsTheSameFile) {
  Scratch scratch;
  ASSERT_TRUE(WriteTrace(scratch / "first", SomeContents()).ok());
  const auto read = ReadTrace(scratch / "first");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(WriteTrace(scratch / "second", *read).ok());
  EXPECT_EQ(test::Content(scratch / "first"), test::Content(scratch / "second"));
}

TEST(TraceFileTest, FileIsPrivateAndReplacesWhatWasThere) {
  Scratch scratch;
  const std::string path = scratch.Write("trace", "old");
  ASSERT_TRUE(WriteTrace(path, SomeContents()).ok());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0600});
  EXPECT_TRUE(ReadTrace(path).ok());
}

TEST(TraceFileTest, PipeIsNotReplaced) {
  const Scratch scratch;
  const std::string path = scratch / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(WriteTrace(path, TraceContents{}).ok());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST(TraceFileTest, WhatCannotBeWrittenIsRefusedAndLeavesNothing) {
  Scratch scratch;
  EXPECT_EQ(WriteTrace(scratch / "missing/trace", SomeContents()).code(), absl::StatusCode::kNotFound);
  TraceContents nowhere = SomeContents();
  nowhere.reads[0].file = 2;
  EXPECT_EQ(WriteTrace(scratch / "trace", nowhere).code(), absl::StatusCode::kInvalidArgument);
  TraceContents endless = SomeContents();
  endless.files[0].path.assign(5000, 'p');
  EXPECT_EQ(WriteTrace(scratch / "trace", endless).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "."));
}

}  // namespace
}  // namespace ahead
