#include "core/stream_table.h"

namespace ahead {

Stream* StreamTable::Find(ByteRange read, ByteCount page, ByteCount slack) {
  Stream* exact = nullptr;
  Stream* covering = nullptr;
  for (Stream& stream : streams_) {
    if (!stream.live || !stream.Continues(read, page, slack)) continue;
    Stream*& best = stream.Expects(read) ? exact : covering;
    if (best == nullptr || stream.tick > best->tick) best = &stream;
  }
  if (exact != nullptr) return exact;
  return covering;
}

Stream* StreamTable::Find(StreamId id) {
  if (id.index < 0 || id.index >= kStreams) return nullptr;
  Stream& stream = streams_[id.index];
  return stream.live && stream.generation == id.generation ? &stream : nullptr;
}

StreamId StreamTable::IdOf(const Stream& stream) const {
  return {static_cast<int16_t>(&stream - streams_), stream.generation};
}

Stream& StreamTable::Oldest() {
  Stream* oldest = &streams_[0];
  for (Stream& stream : streams_) {
    if (!stream.live) return stream;
    if (stream.tick < oldest->tick) oldest = &stream;
  }
  return *oldest;
}

void StreamTable::Renew(Stream& stream, uint32_t tick) {
  const uint32_t generation = stream.generation + 1;
  stream = Stream{};
  stream.live = true;
  stream.generation = generation;
  stream.tick = tick;
}

}  // namespace ahead
