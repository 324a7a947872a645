#include "stats/trace_reader.h"

#include <cstring>

#include "gmock/gmock.h"
#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::MemoryTrace;
using test::PlanOf;
using test::ReadOf;
using test::Scratch;
using testing::HasSubstr;
using testing::Not;

// The bytes of a trace with a file and two reads, in one chunk.
std::string SmallTrace() {
  MemoryTrace trace(2);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TraceRead(trace.get(), ReadOf(trace.get(), file, 10, 5));
  TraceRead(trace.get(), ReadOf(trace.get(), file, 20, 6));
  return test::Content("/proc/self/fd/" + std::to_string(trace.fd()));
}

template <typename T>
void Poke(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

absl::StatusOr<TraceContents> Parse(const std::string& bytes) { return ParseTrace("T", bytes.data(), bytes.size()); }

// Where read `back` from the end of SmallTrace lies.
size_t ReadAt(const std::string& bytes, size_t back) {
  TraceChunk chunk;
  std::memcpy(&chunk, bytes.data() + kTraceHeaderBytes, sizeof(chunk));
  return kTraceHeaderBytes + sizeof(chunk) + chunk.used_bytes - back * sizeof(TraceReadRecord);
}

TEST(TraceReaderTest, ReadsAreInOrderOfTime) {
  MemoryTrace trace(2);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TracePlan(trace.get(), PlanOf(trace.get(), file, 10, 5, 5_ms), Facts{});
  TracePlan(trace.get(), PlanOf(trace.get(), file, 20, 5, 4_ms), Facts{});
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.reads.size(), 2u);
  EXPECT_EQ(contents.reads[0].range.begin.value, 20);
  EXPECT_EQ(contents.reads[1].range.begin.value, 10);
}

TEST(TraceReaderTest, TraceThatTakesMoreMemoryThanThereIsIsRefused) {
  const std::string bytes = SmallTrace();
  EXPECT_TRUE(ParseTrace("T", bytes.data(), bytes.size(), 1_MiB).ok());
  const absl::Status refused = ParseTrace("T", bytes.data(), bytes.size(), 1_KiB).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), testing::StartsWith("T: holds 2 reads"));
}

TEST(TraceReaderTest, UnknownKindIsSkippedAndCounted) {
  std::string bytes = SmallTrace();
  Poke(bytes, ReadAt(bytes, 1) + offsetof(TraceRecord, kind), uint8_t{200});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 1u);
  EXPECT_EQ(contents->unknown_records, 1u);
}

TEST(TraceReaderTest, ReadOfADescriptionThatIsNotThereIsBroken) {
  std::string bytes = SmallTrace();
  Poke(bytes, ReadAt(bytes, 1) + offsetof(TraceRecord, number), uint32_t{99});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 1u);
  EXPECT_EQ(contents->broken_records, 1u);
}

TEST(TraceReaderTest, SimilarReadWithoutOneBeforeItIsBroken) {
  MemoryTrace trace(2);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  for (int64_t i = 0; i < 3; ++i) TraceRead(trace.get(), ReadOf(trace.get(), file, i, 5));
  std::string bytes = test::Content("/proc/self/fd/" + std::to_string(trace.fd()));
  const size_t first = ReadAt(bytes, 1) - 2 * sizeof(TraceSimilarRecord);
  Poke(bytes, first + offsetof(TraceRecord, kind), uint8_t{200});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 0u);
  EXPECT_EQ(contents->broken_records, 2u);
}

TEST(TraceReaderTest, RecordThatDoesNotEndBeforeTheNextEndsItsChunk) {
  for (const int length : {0, 4, 12, 9000}) {
    std::string bytes = SmallTrace();
    Poke(bytes, ReadAt(bytes, 2) + offsetof(TraceRecord, bytes), static_cast<uint16_t>(length));
    const auto contents = Parse(bytes);
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_EQ(contents->reads.size(), 0u);
    EXPECT_GE(contents->broken_records, 1u);
  }
}

TEST(TraceReaderTest, WhatAForkInheritedIsItsOwn) {
  MemoryTrace trace(4);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  const TracePlanFacts plan = PlanOf(trace.get(), file, 10, 5, 5_ms);
  TracePlan(trace.get(), plan, Facts{});
  TraceProcess(trace.get(), Options{}, 6_ms, TraceBegin::kFork);
  TraceRead(trace.get(), ReadOf(trace.get(), file, 30, 5));
  const TraceContents contents = trace.Read();
  ASSERT_EQ(contents.processes.size(), 2u);
  EXPECT_EQ(contents.processes[1].parent, 0);
  EXPECT_EQ(contents.processes[1].next_sequence, plan.sequence + 1);
  ASSERT_EQ(contents.reads.size(), 2u);
  EXPECT_EQ(contents.broken_records, 0u);
  const TracedFile& inherited = contents.files[contents.reads[1].file];
  EXPECT_EQ(inherited.process, 1u);
  EXPECT_EQ(inherited.path, contents.files[contents.reads[0].file].path);
}

TEST(TraceReaderTest, SaysInOneLineWhatIsWrong) {
  std::string newer = SmallTrace();
  Poke(newer, offsetof(TraceHeader, version), kTraceVersion + 1);
  std::string old = SmallTrace();
  Poke(old, offsetof(TraceHeader, version), uint32_t{1});
  std::string cut = SmallTrace();
  cut.resize(ReadAt(cut, 1));
  std::string damaged = SmallTrace();
  Poke(damaged, offsetof(TraceHeader, chunk_bytes), uint32_t{63});
  const struct {
    std::string bytes;
    absl::StatusCode code;
    const char* says;
  } kCases[] = {
      {"", absl::StatusCode::kInvalidArgument, "not a trace"},
      {std::string(10000, 'x'), absl::StatusCode::kInvalidArgument, "not a trace"},
      {SmallTrace().substr(0, 100), absl::StatusCode::kInvalidArgument, "not a trace"},
      {newer, absl::StatusCode::kUnimplemented, "version 3, this program reads version 2"},
      {old, absl::StatusCode::kUnimplemented, "version 1, this program reads version 2"},
      {cut, absl::StatusCode::kDataLoss, "cut short"},
      {damaged, absl::StatusCode::kInvalidArgument, "damaged"},
  };
  for (const auto& each : kCases) {
    const auto contents = Parse(each.bytes);
    EXPECT_EQ(contents.status().code(), each.code) << each.says;
    EXPECT_THAT(std::string(contents.status().message()), HasSubstr(each.says));
    EXPECT_THAT(std::string(contents.status().message()), testing::StartsWith("T: "));
    EXPECT_THAT(std::string(contents.status().message()), Not(HasSubstr("\n")));
  }
}

TEST(TraceReaderTest, MissingFileAndFolderAreRefused) {
  Scratch scratch;
  EXPECT_EQ(ReadTrace(scratch / "missing").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadTrace(scratch / ".").status().code(), absl::StatusCode::kInvalidArgument);
}

// Every byte of a small trace changed to another value, one at a time: whatever is read is refused or makes sense.
TEST(TraceReaderTest, DamageNeverLeadsOutsideTheTrace) {
  const std::string good = SmallTrace();
  const size_t end = ReadAt(good, 0);
  for (size_t at = 0; at < end; at = at + 1 == sizeof(TraceHeader) ? kTraceHeaderBytes : at + 1) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(~bytes[at]);
    const auto contents = Parse(bytes);
    if (!contents.ok()) continue;
    for (const TracedRead& read : contents->reads) ASSERT_LT(read.file, contents->files.size()) << at;
    for (const TracedFile& file : contents->files) ASSERT_LE(file.path.size(), 4096u) << at;
  }
}

}  // namespace
}  // namespace ahead
