// The files of a workload, opened for a replay: checked against the trace, and made cold on demand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/units.h"
#include "sim/workload.h"

namespace ahead::sim {

// Owns its descriptors. Movable only.
class RealFiles {
 public:
  // Opens a description for each reader of `work` and, with `aside`, one more for each file, on which the kernel does
  // not read ahead. All before any reading: a file that is opened anew may lose its cached pages (design, fact 9).
  // Errors: FailedPrecondition naming the first file that is not there, cannot be read or has another size than in the
  // trace; ResourceExhausted when the limit of open files is too low.
  static absl::StatusOr<RealFiles> Open(const Workload& work, bool aside);

  RealFiles(RealFiles&&) = default;
  RealFiles& operator=(RealFiles&&) = delete;
  ~RealFiles();

  int reader(uint32_t reader) const { return readers_[reader]; }
  int aside(uint32_t file) const { return aside_[file]; }

  // Tells the kernel to read nothing but what is asked for, on all readers' descriptions.
  void SetRandom() const;

  // Takes the files out of memory. Errors: Unavailable, naming a file that stays there, or where that cannot be told.
  absl::Status Evict() const;

 private:
  RealFiles() = default;

  std::vector<int> readers_;
  std::vector<int> aside_;
  std::vector<int> owners_;  // a reader of each file
  std::vector<std::string> paths_;
};

// Returns how many pages of `range` are in the cache or on their way; nothing when the kernel does not tell (cachestat,
// 6.5+, is refused for files one neither owns nor may write). Length 0 means to the end.
std::optional<int64_t> CachedPages(int fd, ByteRange range);

// Returns how many pages `range` touches.
int64_t PagesOf(ByteRange range);

}  // namespace ahead::sim
