#include "sim/trace_workload.h"

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
  void Event(TraceKind kind, uint32_t file, uint32_t description, int64_t time) {
    TracedEvent event;
    event.kind = kind;
    event.file = file;
    event.description = description;
    event.time = {time};
    trace_.events.push_back(event);
  }
  TraceWorkload Build() const { return WorkloadFrom(trace_); }

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
  EXPECT_EQ(work.reads[0].file, work.reads[1].file);
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
  EXPECT_EQ(work.reads[0].reader, work.reads[1].reader);
  EXPECT_NE(work.reads[1].reader, work.reads[2].reader);
}

TEST(TraceWorkloadTest, WhatCannotBePerformedIsLeftOutAndCounted) {
  TraceBuilder trace({File("/a", 1, 5, 100), File("", 1, 6, 100)});
  trace.Read(0, 0, 1, 1);
  trace.Read(0, 0, 1, 2).error = 5;
  trace.Read(0, 0, 1, 3).completed = false;
  trace.Read(0, 0, 1, 4).kind = TraceAccessKind::kMapped;
  trace.Read(1, 1, 1, 5);
  const TraceWorkload built = trace.Build();
  EXPECT_EQ(built.work.reads.size(), 1u);
  EXPECT_EQ(built.failed_reads, 2u);
  EXPECT_EQ(built.mapped_reads, 1u);
  EXPECT_EQ(built.pathless_reads, 1u);
}

TEST(TraceWorkloadTest, ReadIsAsLongAsWhatItReturned) {
  TraceBuilder trace({File("/a", 1, 5, 1000)});
  trace.Read(0, 0, 1, 1).returned = {700};
  trace.Read(0, 0, 1, 2).returned = {};
  const Workload work = trace.Build().work;
  EXPECT_EQ(work.reads[0].range.size(), ByteCount{700});
  EXPECT_EQ(work.reads[1].range.size(), ByteCount{100});
}

}  // namespace
}  // namespace ahead::sim
