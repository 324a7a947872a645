// Traces, damaged in any way. What must hold: what is loaded refers to what is there, is in order, and takes no more
// memory than the trace itself; its quantities are fit to be added up.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "stats/trace_reader.h"
#include "tests/fuzz/target.h"

namespace ahead::fuzz {
namespace {

void CheckOrder(const TraceContents& contents) {
  for (size_t i = 1; i < contents.reads.size(); ++i)
    Require(contents.reads[i - 1].time <= contents.reads[i].time, "reads are in ascending order of time");
  for (size_t i = 1; i < contents.events.size(); ++i)
    Require(contents.events[i - 1].time <= contents.events[i].time, "events are in ascending order of time");
}

void CheckReferences(const TraceContents& contents) {
  for (const TracedRead& read : contents.reads) {
    Require(read.file < contents.files.size(), "a read is of a file that is there");
    Require(read.range.begin <= read.range.end, "a range does not end before it begins");
    Require(read.facts.page.value > 0 && read.facts.piece >= read.facts.page, "a piece has at least one page");
    for (int32_t i = 0; i < std::min(read.decision.pieces, 100); ++i)
      Require(read.decision.Piece(i).size().value >= 0, "a piece does not end before it begins");
  }
  for (const TracedEvent& event : contents.events) {
    Require(event.file < contents.files.size(), "an event is of a file that is there");
    Require(event.range.begin <= event.range.end, "a range does not end before it begins");
  }
}

void CheckSize(const TraceContents& contents, size_t size) {
  const size_t slots = size / kTraceRecordBytes;
  size_t path_bytes = 0;
  for (const TracedFile& file : contents.files) path_bytes += file.path.size();
  Require(path_bytes <= size, "paths are no longer than the trace");
  Require(contents.files.size() + contents.reads.size() + contents.events.size() + contents.processes.size() <= slots,
          "there are no more things than records");
}

// A header that lets `records` be looked at, and those, mostly whole: the bytes of a trace, 4 KiB of which say little.
std::vector<char> Trace(std::vector<char> records, bool has_marks) {
  const uint64_t count = records.size() / kTraceRecordBytes;
  for (uint64_t slot = 0; has_marks && slot < count; ++slot) {
    const uint32_t mark = TraceMark(slot);
    std::memcpy(&records[slot * kTraceRecordBytes], &mark, sizeof(mark));
  }
  TraceHeader header{};
  std::memcpy(header.magic, kTraceMagic, sizeof(kTraceMagic));
  header.version = kTraceVersion;
  header.header_bytes = kTraceHeaderBytes;
  header.record_bytes = kTraceRecordBytes;
  header.capacity_records = header.tail_records = count;
  std::vector<char> trace(kTraceHeaderBytes + records.size());
  std::memcpy(trace.data(), &header, sizeof(header));
  std::copy(records.begin(), records.end(), trace.begin() + kTraceHeaderBytes);
  return trace;
}

void Parse(const std::vector<char>& bytes) {
  const absl::StatusOr<TraceContents> contents = ParseTrace("trace", bytes.data(), bytes.size());
  if (!contents.ok()) return;
  CheckOrder(*contents);
  CheckReferences(*contents);
  CheckSize(*contents, bytes.size());
}

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const uint8_t how = bytes[0];
  std::vector<char> rest(bytes + 1, bytes + size);
  ahead::fuzz::Parse((how & 1) != 0 ? ahead::fuzz::Trace(std::move(rest), (how & 2) != 0) : rest);
  return 0;
}
