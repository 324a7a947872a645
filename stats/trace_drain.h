// Moves a trace from the memory that programs write to (CreateTraceMemfd) into a file, while they write: full chunks,
// and those of threads that are gone, are packed into frames and are free again. So a small memory carries a long
// trace, and the file can be read up to its last frame whatever becomes of the programs or of this process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/units.h"
#include "stats/new_file.h"
#include "stats/trace_format.h"

namespace ahead {

struct DrainedTrace {
  uint64_t records = 0;  // in the file
  uint64_t dropped = 0;  // did not fit into the memory, or not into the file
  ByteCount bytes;
};

// Thread safety: one owner; a thread of its own does the work, with all signals blocked.
class TraceDrain {
 public:
  // Makes the file, 0600, beside `path`, and begins. In its place it comes when the first program takes part, or at the
  // end. `most`: bytes of the file, but for its last words. Errors: as the system says.
  static absl::StatusOr<std::unique_ptr<TraceDrain>> Start(int memfd, const std::string& path, ByteCount most);
  // Without Finish there is no file, unless a program took part.
  ~TraceDrain();
  TraceDrain(const TraceDrain&) = delete;
  TraceDrain& operator=(const TraceDrain&) = delete;

  // Moves the rest, also of those who still write, and ends. Errors: as the system says of writing the file.
  absl::StatusOr<DrainedTrace> Finish();

 private:
  TraceDrain(std::string path, ByteCount most);

  enum class Take : uint8_t { kFull, kDead, kAll };

  void Work();
  void FindLatest();
  void Poll(Take take);
  TraceChunk& ChunkAt(uint64_t index) const;
  bool IsToBeTaken(const TraceChunk& chunk, Take take) const;
  void TakeChunk(TraceChunk& chunk, uint64_t index);
  void PutFrame();
  void Put(const std::string& bytes);
  void PutInPlace();
  void JoinThread();

  const std::string path_;
  const int64_t most_;
  const size_t frame_bytes_;
  std::optional<NewFile> file_;
  bool is_full_ = false;
  int error_ = 0;  // of the first thing that went wrong with the file
  char* memory_ = nullptr;
  size_t memory_bytes_ = 0;
  TraceHeader* header_ = nullptr;
  uint64_t chunk_count_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> found_;        // of one Poll: order and index
  std::map<std::pair<int32_t, int32_t>, uint64_t> latest_;  // order of the last chunk of each thread, by pid and tid
  std::string batch_;                                       // chunks of the next frame
  uint64_t batch_records_ = 0;
  DrainedTrace done_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace ahead
