#include "sim/trace_workload.h"

#include <fcntl.h>
#include <gmock/gmock.h>

namespace ahead::sim {
namespace {

// A trace of one process with the files given, to which reads and events are added.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::vector<TracedFile> files) { trace_.files = std::move(files); }

  TracedRead& Read(uint32_t file, uint32_t description, int32_t tid, int64_t time) {
    TracedRead read;
    read.file = file;
    read.description = description;
    read.tid = tid;
    read.time = {time};
    read.end = {time + 1};
    read.range = {{0}, {100}};
    read.returned = {100};
    read.completed = true;
    trace_.reads.push_back(read);
    return trace_.reads.back();
  }
  TracedEvent& Event(TraceKind kind, uint32_t file, uint32_t description, int64_t time) {
    TracedEvent event;
    event.kind = kind;
    event.file = file;
    event.description = description;
    event.time = {time};
    trace_.events.push_back(event);
    return trace_.events.back();
  }
  TraceWorkload Build(Taken taken = Taken::kReads) const { return WorkloadFrom(trace_, taken); }

 private:
  TraceContents trace_;
};

TracedFile File(const char* path, int32_t pid, uint64_t inode, int64_t size) {
  TracedFile file;
  file.path = path;
  file.pid = pid;
  file.inode = inode;
  file.size = {size};
  return file;
}

TEST(TraceWorkloadTest, OneFileOfTwoProcessesIsOneFile) {
  TraceBuilder trace({File("/a", 1, 5, 100), File("/a", 2, 5, 200), File("/b", 2, 6, 10)});
  trace.Read(0, 0, 1, 10);
  trace.Read(1, 0, 2, 20);
  trace.Read(2, 1, 2, 30);
  const Workload work = trace.Build().work;
  ASSERT_EQ(work.files.size(), 2u);
  EXPECT_EQ(work.files[0].path, "/a");
  EXPECT_EQ(work.files[0].size, ByteCount{200});
  EXPECT_EQ(work.steps[0].file, work.steps[1].file);
  EXPECT_EQ(work.readers, 3u);
  EXPECT_EQ(work.threads, 2u);
}

TEST(TraceWorkloadTest, FileIsTheKernelsWhereTheRecordingSaidSo) {
  TraceBuilder trace({File("/a", 1, 5, 100), File("/b", 1, 6, 100)});
  trace.Read(0, 0, 1, 10).facts.kernel_leads = true;
  trace.Read(1, 1, 1, 20);
  const Workload work = trace.Build().work;
  EXPECT_TRUE(work.files[0].kernel_leads);
  EXPECT_FALSE(work.files[1].kernel_leads);
}

TEST(TraceWorkloadTest, DescriptionsNumberUsedAgainIsAnotherReader) {
  TraceBuilder trace({File("/a", 1, 5, 100)});
  trace.Event(TraceKind::kOpen, 0, 3, 1);
  trace.Read(0, 3, 1, 10);
  trace.Read(0, 3, 1, 20);
  trace.Event(TraceKind::kClose, 0, 3, 25);
  trace.Event(TraceKind::kOpen, 0, 3, 26);
  trace.Read(0, 3, 1, 30);
  const Workload work = trace.Build().work;
  EXPECT_EQ(work.readers, 2u);
  EXPECT_EQ(work.steps[0].reader, work.steps[1].reader);
  EXPECT_NE(work.steps[1].reader, work.steps[2].reader);
}

TEST(TraceWorkloadTest, EverythingHasOpensClosesAdviceAndWhatMappingsWillTouch) {
  TraceBuilder trace({File("/a", 1, 5, 100 << 10), File("/a", 2, 5, 100 << 10)});
  trace.Event(TraceKind::kOpen, 0, 3, 1);
  trace.Read(0, 3, 1, 10);
  trace.Event(TraceKind::kMapping, 0, 3, 11).range = {{0}, {1 << 20}};
  trace.Event(TraceKind::kAdvice, 0, 3, 12).advice = POSIX_FADV_DONTNEED;
  trace.Event(TraceKind::kClose, 0, 3, 25);
  trace.Read(1, 3, 2, 30);
  const Workload work = trace.Build(Taken::kEverything).work;
  std::vector<StepKind> kinds;
  for (const WorkStep& step : work.steps) kinds.push_back(step.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(StepKind::kOpen, StepKind::kRead, StepKind::kMap, StepKind::kTouch,
                                          StepKind::kTouch, StepKind::kAdvise, StepKind::kClose, StepKind::kRead));
  EXPECT_EQ(work.steps[4].range, (ByteRange{{64 << 10}, {100 << 10}}));
  EXPECT_EQ(work.steps[5].advice, HostAdvice::kDontNeed);
  EXPECT_EQ(work.steps[0].reader, work.steps[6].reader);
  EXPECT_EQ(work.processes, 2u);
  EXPECT_EQ(work.ProcessOf(work.steps[7].thread), 1u);
}

TEST(TraceWorkloadTest, FirstReadIsFreshAlsoWhereNobodyWatchedUnlessItTakesTheWholeFile) {
  TraceBuilder builder({File("/large", 1, 10, 1000), File("/small", 1, 11, 100)});
  for (const uint32_t file : {0u, 1u}) {
    builder.Event(TraceKind::kOpen, file, file, 10).opened_here = true;
    builder.Read(file, file, 100, 20).unseen = true;
    builder.Read(file, file, 100, 30).unseen = true;
  }
  std::vector<bool> fresh;
  for (const WorkStep& step : builder.Build(Taken::kEverything).work.steps)
    if (step.kind == StepKind::kRead) fresh.push_back(step.fresh);
  EXPECT_THAT(fresh, testing::ElementsAre(true, false, false, false));
}

TEST(TraceWorkloadTest, WhatCannotBePerformedIsLeftOutAndCounted) {
  TraceBuilder trace({File("/a", 1, 5, 100), File("", 1, 6, 100)});
  trace.Read(0, 0, 1, 1);
  trace.Read(0, 0, 1, 2).error = 5;
  trace.Read(0, 0, 1, 3).completed = false;
  trace.Read(0, 0, 1, 4).kind = TraceAccessKind::kMapped;
  trace.Read(1, 1, 1, 5);
  const TraceWorkload built = trace.Build();
  EXPECT_EQ(built.work.steps.size(), 1u);
  EXPECT_EQ(built.failed_reads, 2u);
  EXPECT_EQ(built.mapped_reads, 1u);
  EXPECT_EQ(built.pathless_reads, 1u);
}

TEST(TraceWorkloadTest, ReadIsAsLongAsWhatItReturned) {
  TraceBuilder trace({File("/a", 1, 5, 1000)});
  trace.Read(0, 0, 1, 1).returned = {700};
  trace.Read(0, 0, 1, 2).returned = {};
  const Workload work = trace.Build().work;
  EXPECT_EQ(work.steps[0].range.size(), ByteCount{700});
  EXPECT_EQ(work.steps[1].range.size(), ByteCount{100});
}

}  // namespace
}  // namespace ahead::sim
