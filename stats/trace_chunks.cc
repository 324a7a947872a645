#include "stats/trace_chunks.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ahead {
namespace {

// zstd's own default: a tenth of the bytes at 200 MB/s and more (docs/trace.md).
constexpr int kLevel = 3;
// A trace unfolds to 5 to 40 times its size; one that would to more is none.
constexpr size_t kMostGrowth = 256;
constexpr size_t kAlwaysFine = size_t{16} << 20;

absl::Status CheckHeader(const std::string& name, const TraceHeader& header) {
  if (std::memcmp(header.magic, kTraceMagic, sizeof(kTraceMagic)) != 0)
    return absl::InvalidArgumentError(absl::StrCat(name, ": not a trace"));
  if (header.version != kTraceVersion)
    return absl::UnimplementedError(absl::StrCat(name, ": a trace of version ", header.version,
                                                 ", this program reads version ", kTraceVersion, ": record it again"));
  const bool is_packed = (header.flags & TraceHeader::kCompressed) != 0;
  if (header.header_bytes < sizeof(TraceHeader) || header.header_bytes > kTraceHeaderBytes ||
      header.chunk_bytes != kTraceChunkBytes || (!is_packed && header.chunk_count > kTraceMaxChunks))
    return absl::InvalidArgumentError(absl::StrCat(name, ": a damaged trace: its header makes no sense"));
  return absl::OkStatus();
}

// Adds the chunk that begins at `at`, if its owner published anything. Returns how many bytes it takes with its records
// behind it, 0 when there is none.
size_t AddChunk(const char* at, size_t size, TraceChunks& out) {
  TraceChunkView view;
  if (size < sizeof(TraceChunk)) return 0;
  std::memcpy(&view.head, at, sizeof(view.head));
  view.records = at + sizeof(TraceChunk);
  view.bytes = view.head.used_bytes;
  if (view.bytes > kTraceChunkRoom || view.bytes > size - sizeof(TraceChunk)) return 0;
  if (view.head.state != TraceChunk::kFree && view.bytes > 0) out.chunks.push_back(view);
  return sizeof(TraceChunk) + view.bytes;
}

// Returns how many chunks of a raw trace may hold something, from the first on. Who was stopped while he claimed one is
// counted in one of the two numbers only.
uint64_t ChunksInUse(const TraceHeader& header) {
  return std::min({std::max(header.claims, header.claimed_chunks), header.chunk_count, kTraceMaxChunks});
}

absl::Status AddRaw(const std::string& name, const char* bytes, size_t size, TraceChunks& out) {
  const uint64_t used = ChunksInUse(out.header);
  const uint64_t present = size < out.header.header_bytes ? 0 : (size - out.header.header_bytes) / kTraceChunkBytes;
  if (used > present)
    return absl::DataLossError(absl::StrCat(name, ": cut short: ", present, " of ", used, " chunks are there"));
  for (uint64_t i = 0; i < std::min(present, out.header.chunk_count); ++i)
    if (AddChunk(bytes + out.header.header_bytes + i * kTraceChunkBytes, kTraceChunkBytes, out) == 0) ++out.broken;
  return absl::OkStatus();
}

// Adds the chunks of the frame at `at`. Returns false when it is none.
bool AddFrame(const char* at, size_t size, size_t room, TraceChunks& out) {
  const unsigned long long wanted = ZSTD_getFrameContentSize(at, size);
  if (wanted > kTraceMaxFrameBytes || wanted > room) return false;
  std::string& text = out.unfolded.emplace_back(wanted, 0);
  if (ZSTD_decompress(text.data(), text.size(), at, size) != wanted) {
    out.unfolded.pop_back();
    return false;
  }
  for (size_t done = 0; done < text.size();) {
    const size_t taken = AddChunk(text.data() + done, text.size() - done, out);
    if (taken == 0) return false;
    done += taken;
  }
  return true;
}

void AddFrames(const char* bytes, size_t size, TraceChunks& out) {
  size_t room = kAlwaysFine + size * kMostGrowth;
  for (size_t at = out.header.header_bytes; at < size;) {
    const size_t length = ZSTD_findFrameCompressedSize(bytes + at, size - at);
    if (ZSTD_isError(length) != 0) {
      ++out.broken;
      return;
    }
    const size_t before = out.unfolded.size();
    if (!AddFrame(bytes + at, length, room, out)) ++out.broken;
    if (out.unfolded.size() > before) room -= out.unfolded.back().size();
    at += length;
  }
}

}  // namespace

absl::StatusOr<TraceChunks> FindChunks(const std::string& name, const char* bytes, size_t size) {
  TraceChunks found;
  if (size >= sizeof(found.header)) std::memcpy(&found.header, bytes, sizeof(found.header));
  if (const absl::Status status = CheckHeader(name, found.header); !status.ok()) return status;
  if ((found.header.flags & TraceHeader::kCompressed) != 0) {
    AddFrames(bytes, size, found);
  } else if (const absl::Status status = AddRaw(name, bytes, size, found); !status.ok()) {
    return status;
  }
  std::stable_sort(found.chunks.begin(), found.chunks.end(),
                   [](const TraceChunkView& a, const TraceChunkView& b) { return a.head.order < b.head.order; });
  return found;
}

size_t BytesInUse(const TraceHeader& header, size_t size) {
  if ((header.flags & TraceHeader::kCompressed) != 0 || header.version != kTraceVersion) return size;
  return std::min<size_t>(size, kTraceHeaderBytes + ChunksInUse(header) * kTraceChunkBytes);
}

std::string PackFrame(const std::string& chunks) {
  std::string frame(ZSTD_compressBound(chunks.size()), 0);
  const size_t length = ZSTD_compress(frame.data(), frame.size(), chunks.data(), chunks.size(), kLevel);
  frame.resize(ZSTD_isError(length) != 0 ? 0 : length);
  return frame;
}

std::string PackedHeader(TraceHeader header) {
  std::memcpy(header.magic, kTraceMagic, sizeof(kTraceMagic));
  header.version = kTraceVersion;
  header.header_bytes = sizeof(TraceHeader);
  header.chunk_bytes = kTraceChunkBytes;
  header.flags |= TraceHeader::kCompressed;
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

}  // namespace ahead
