// How do records become values of core again? The way back of trace_encode.h, for tools: whatever is written, what
// comes out is such that core and whoever adds up can work with it.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "stats/trace_reader.h"

namespace ahead {

// One record, somewhere in memory.
class RecordView {
 public:
  RecordView() = default;  // none: of no kind
  RecordView(const char* at, size_t left) : at_(at), left_(left) {
    if (left >= sizeof(head_)) std::memcpy(&head_, at, sizeof(head_));
  }

  // Says whether its length makes sense; without it there is nothing behind it either.
  bool is_whole() const { return head_.bytes >= sizeof(head_) && head_.bytes % 8 == 0 && head_.bytes <= left_; }
  TraceKind kind() const { return head_.kind; }
  size_t bytes() const { return head_.bytes; }

  // Copies what lies at `offset` to `place`. Returns false when the record is shorter than that.
  template <typename Part>
  bool At(size_t offset, Part& place) const {
    if (offset > bytes() || sizeof(place) > bytes() - offset) return false;
    std::memcpy(&place, at_ + offset, sizeof(place));
    return true;
  }
  // Copies what there is of the record to `record`, and leaves what a shorter one lacks as it is.
  template <typename Record>
  void UpTo(Record& record) const {
    std::memcpy(static_cast<void*>(&record), at_, std::min(sizeof(record), bytes()));
  }
  std::string Text(size_t offset, size_t count) const {
    return offset <= bytes() && count <= bytes() - offset ? std::string(at_ + offset, count) : std::string();
  }

 private:
  const char* at_ = nullptr;
  size_t left_ = 0;
  TraceRecord head_{};
};

// Says whether a number is a point in time, or a time that can be added to one.
bool IsTraceTime(int64_t nanos);
// Says whether [offset, offset + length) is a range.
bool IsTraceRange(int64_t offset, int64_t length);

// Each returns false, and leaves anything behind, when the record makes no sense.
bool DecodeFacts(const RecordView& record, Facts& facts);
bool DecodeRun(const TraceRun& run, Filter::Run& out);
// All but the file, the thread and the facts.
bool DecodePlan(const RecordView& record, const TracePlanRecord& head, TracedRead& read);
bool DecodeBatch(const RecordView& record, const TraceIssuedRecord& head, TracedBatch& batch);

// Reads lines "name=number". Names that are not known are passed over.
void ReadOptions(const std::string& text, TracedProcess& process);

}  // namespace ahead
