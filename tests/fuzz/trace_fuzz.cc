// Traces, damaged in any way. What must hold: what is loaded refers to what is there, is in order, and takes no more
// memory than the trace itself; its quantities are fit to be added up.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "stats/trace_chunks.h"
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
  const size_t records = size / sizeof(TraceCallRecord);
  size_t path_bytes = 0;
  for (const TracedFile& file : contents.files) path_bytes += file.path.size();
  Require(path_bytes <= size, "paths are no longer than the trace");
  Require(contents.files.size() + contents.reads.size() + contents.events.size() + contents.processes.size() <= records,
          "there are no more things than records");
}

// The bytes of a raw trace with `records` in chunks, or with the same in a frame: 4 KiB of header say little.
std::vector<char> Trace(const std::vector<char>& records, bool is_packed) {
  TraceHeader header{};
  std::memcpy(header.magic, kTraceMagic, sizeof(kTraceMagic));
  header.version = kTraceVersion;
  header.header_bytes = kTraceHeaderBytes;
  header.chunk_bytes = kTraceChunkBytes;
  std::string chunks;
  for (size_t at = 0; at < records.size(); at += kTraceChunkRoom) {
    TraceChunk chunk{};
    chunk.state = TraceChunk::kFull;
    chunk.used_bytes = static_cast<uint32_t>(std::min(kTraceChunkRoom, records.size() - at));
    chunk.order = ++header.claims;
    chunks.append(reinterpret_cast<const char*>(&chunk), sizeof(chunk));
    chunks.append(records.data() + at, chunk.used_bytes);
    if (!is_packed) chunks.resize(header.claims * kTraceChunkBytes);
  }
  header.chunk_count = header.claims;
  std::string trace = is_packed ? PackedHeader(header) + PackFrame(chunks)
                                : std::string(reinterpret_cast<const char*>(&header), sizeof(header));
  if (!is_packed) {
    trace.resize(kTraceHeaderBytes);
    trace += chunks;
  }
  return {trace.begin(), trace.end()};
}

void Parse(const std::vector<char>& bytes, size_t unfolded_size) {
  const absl::StatusOr<TraceContents> contents = ParseTrace("trace", bytes.data(), bytes.size());
  if (!contents.ok()) return;
  CheckOrder(*contents);
  CheckReferences(*contents);
  CheckSize(*contents, unfolded_size);
}

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const uint8_t how = bytes[0];
  const std::vector<char> rest(bytes + 1, bytes + size);
  if ((how & 1) != 0)
    ahead::fuzz::Parse(ahead::fuzz::Trace(rest, (how & 2) != 0), size);
  else
    ahead::fuzz::Parse(rest, size * 256 + (size_t{16} << 20));
  return 0;
}
