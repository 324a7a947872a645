// Which reader of this file is this? A bounded table of streams, so that interleaved readers of one file, or of one
// descriptor, each keep their own window.
#pragma once

#include <cstdint>

#include "core/stream.h"

namespace ahead {

// Thread safety: none.
class StreamTable {
 public:
  static constexpr int kStreams = 16;

  // Returns the stream that `read` goes on with, the one that expects it exactly before one that merely covers it; null
  // if there is none.
  Stream* Find(ByteRange read, ByteCount page, ByteCount slack);
  Stream* Find(StreamId id);
  StreamId IdOf(const Stream& stream) const;

  // Returns the entry for a new stream: a free one, else the one that has not read for longest. The caller settles what
  // is outstanding there, then calls Renew.
  Stream& Oldest();
  // Makes the entry a new live stream with nothing outstanding.
  void Renew(Stream& stream, uint32_t tick);

  Stream* begin() { return streams_; }
  Stream* end() { return streams_ + kStreams; }
  const Stream* begin() const { return streams_; }
  const Stream* end() const { return streams_ + kStreams; }

 private:
  Stream streams_[kStreams];
};

}  // namespace ahead
