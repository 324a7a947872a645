#include "stats/trace_reader.h"

#include <cstring>

#include "gmock/gmock.h"
#include "tests/trace/scratch.h"

namespace ahead {
namespace {

using test::AddFile;
using test::MemoryTrace;
using test::ReadOf;
using test::Scratch;
using testing::HasSubstr;
using testing::Not;

// The bytes of a trace with a file and two reads.
std::string SmallTrace() {
  MemoryTrace trace(100);
  const TraceId file = AddFile(trace.get(), trace.fd(), 1000);
  TraceAbsorbed(trace.get(), ReadOf(file, 10, 5, 2_ms));
  TraceAbsorbed(trace.get(), ReadOf(file, 20, 5, 1_ms));
  return test::Content("/proc/self/fd/" + std::to_string(trace.fd()));
}

template <typename T>
void Poke(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

absl::StatusOr<TraceContents> Parse(const std::string& bytes) { return ParseTrace("T", bytes.data(), bytes.size()); }

// Where slot `back` from the end of SmallTrace lies.
size_t SlotAt(const std::string& bytes, uint64_t back) {
  TraceHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return kTraceHeaderBytes + (header.tail_records - back) * kTraceRecordBytes;
}

TEST(TraceReaderTest, ReadsAreInOrderOfTime) {
  const auto contents = Parse(SmallTrace());
  ASSERT_TRUE(contents.ok()) << contents.status();
  ASSERT_EQ(contents->reads.size(), 2u);
  EXPECT_EQ(contents->reads[0].range.begin.value, 20);
  EXPECT_EQ(contents->reads[1].range.begin.value, 10);
}

TEST(TraceReaderTest, HalfWrittenSlotIsSkippedAndCounted) {
  std::string bytes = SmallTrace();
  Poke(bytes, SlotAt(bytes, 2), uint32_t{0});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 1u);
  EXPECT_EQ(contents->broken_records, 1u);
}

TEST(TraceReaderTest, UnknownKindIsSkippedAndCounted) {
  std::string bytes = SmallTrace();
  Poke(bytes, SlotAt(bytes, 1) + offsetof(TracePlanRecord, kind), uint8_t{200});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 1u);
  EXPECT_EQ(contents->unknown_records, 1u);
}

TEST(TraceReaderTest, ReadOfAFileThatIsNotThereIsBroken) {
  std::string bytes = SmallTrace();
  Poke(bytes, SlotAt(bytes, 1) + offsetof(TracePlanRecord, file), TraceId{99});
  const auto contents = Parse(bytes);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->reads.size(), 1u);
  EXPECT_EQ(contents->broken_records, 1u);
}

TEST(TraceReaderTest, SaysInOneLineWhatIsWrong) {
  std::string newer = SmallTrace();
  Poke(newer, offsetof(TraceHeader, version), kTraceVersion + 1);
  std::string cut = SmallTrace();
  cut.resize(SlotAt(cut, 1));
  std::string damaged = SmallTrace();
  Poke(damaged, offsetof(TraceHeader, record_bytes), uint32_t{63});
  const struct {
    std::string bytes;
    absl::StatusCode code;
    const char* says;
  } kCases[] = {
      {"", absl::StatusCode::kInvalidArgument, "not a trace"},
      {std::string(10000, 'x'), absl::StatusCode::kInvalidArgument, "not a trace"},
      {SmallTrace().substr(0, 100), absl::StatusCode::kInvalidArgument, "not a trace"},
      {newer, absl::StatusCode::kUnimplemented, "version 2"},
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
  const size_t end = SlotAt(good, 0);
  for (size_t at = 0; at < end; at = at == 255 ? kTraceHeaderBytes : at + 1) {
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
