// What `ahead stats` reads: a segment, mapped, or the text of event tables.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "stats/snapshot.h"

namespace ahead {

// Thread safety: as a segment's for a segment, else none.
class Input {
 public:
  enum class Purpose : uint8_t { kRead, kReset };

  // Opens file `path`. Errors: what is wrong with it, without its name: it cannot be opened, is empty, was written by
  // another version, is cut short, or is neither of the two.
  static absl::StatusOr<Input> Open(const std::string& path, Purpose purpose);

  // Returns the segment, none for a text. It stays mapped, also after its processes ended. REQUIRES: opened for kReset
  // where it is written to.
  SegmentView segment() const { return {segment_.get(), block_count_}; }
  // The tables of a text.
  const Snapshot& text() const { return text_; }

 private:
  struct Unmap {
    size_t bytes;
    void operator()(Segment* segment) const;
  };

  std::unique_ptr<Segment, Unmap> segment_;
  uint32_t block_count_ = 0;
  Snapshot text_;
};

}  // namespace ahead
