#include "core/stream_table.h"

#include <new>

namespace ahead {

Stream* StreamTable::Find(ByteRange read, ByteCount page, ByteCount slack) {
  Stream* exact = nullptr;
  Stream* covering = nullptr;
  for (Stream& stream : *this) {
    if (!stream.Continues(read, page, slack)) continue;
    Stream*& best = stream.Expects(read) ? exact : covering;
    if (best == nullptr || stream.tick > best->tick) best = &stream;
  }
  if (exact != nullptr) return exact;
  return covering;
}

Stream* StreamTable::Find(StreamId id) {
  if (id.index < 0 || id.index >= kStreams) return nullptr;
  const bool is_live = (live_ >> id.index & 1) != 0 && generations_[id.index] == id.generation;
  return is_live ? &streams_[id.index] : nullptr;
}

StreamId StreamTable::IdOf(const Stream& stream) const {
  const int64_t index = IndexOf(stream);
  return {static_cast<int16_t>(index), generations_[index]};
}

Stream* StreamTable::Surplus() {
  if (live_ != kAll) return nullptr;
  Stream* oldest = &streams_[0];
  for (Stream& stream : streams_)
    if (stream.tick < oldest->tick) oldest = &stream;
  return oldest;
}

Stream& StreamTable::Make(uint32_t tick) {
  const int index = std::countr_one(live_);
  live_ |= uint32_t{1} << index;
  ++generations_[index];
  Stream* const stream = new (&streams_[index]) Stream();
  stream->tick = tick;
  return *stream;
}

}  // namespace ahead
