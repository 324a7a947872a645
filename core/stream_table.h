// Which reader of this file is this? A bounded table of streams, so that interleaved readers of one file, or of one
// descriptor, each keep their own window.
//
// A place costs no memory before a stream is first made there: one with all that was fetched for it takes 2 KiB, nearly
// all files have one reader, and a process may have a thousand files open (shim/files.cc).
#pragma once

#include <bit>
#include <cstdint>

#include "core/stream.h"

namespace ahead {

// Thread safety: none. Invariant: streams_[i] was made where bit i of live_ is set.
class StreamTable {
 public:
  static constexpr int kStreams = 16;

  // Not defaulted: that would make the streams.
  StreamTable() {}

  // Returns the stream that `read` goes on with, the one that expects it exactly before one that merely covers it; null
  // if there is none.
  Stream* Find(ByteRange read, ByteCount page, ByteCount slack);
  Stream* Find(StreamId id);
  StreamId IdOf(const Stream& stream) const;

  // Returns the stream that has to end before there is room for another, the one that has not read for longest; null
  // where there is room. The caller settles what is outstanding there, then calls End.
  Stream* Surplus();
  // Makes a new stream with nothing outstanding. REQUIRES: there is room.
  Stream& Make(uint32_t tick);
  void End(const Stream& stream) { live_ &= ~(uint32_t{1} << IndexOf(stream)); }

  // Goes through the streams there were when it began; any of them may end meanwhile.
  template <typename S>
  class Iterator {
   public:
    Iterator(S* streams, uint32_t left) : streams_(streams), left_(left) {}
    S& operator*() const { return streams_[std::countr_zero(left_)]; }
    Iterator& operator++() { return left_ &= left_ - 1, *this; }
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    S* streams_;
    uint32_t left_;  // a bit for each stream to come
  };

  Iterator<Stream> begin() { return {streams_, live_}; }
  Iterator<Stream> end() { return {streams_, 0}; }
  Iterator<const Stream> begin() const { return {streams_, live_}; }
  Iterator<const Stream> end() const { return {streams_, 0}; }

 private:
  static constexpr uint32_t kAll = (uint32_t{1} << kStreams) - 1;

  int64_t IndexOf(const Stream& stream) const { return &stream - streams_; }

  uint32_t live_ = 0;                    // a bit for each stream
  uint32_t generations_[kStreams] = {};  // of the place: how many streams it has had
  union {
    Stream streams_[kStreams];
  };
};

}  // namespace ahead
