#include "core/stream.h"

namespace ahead {

bool Stream::Continues(ByteRange read, ByteCount page, ByteCount slack) const {
  if (is_cluster) return read.begin >= track.Begin(first) && read.end <= track.Begin(bound);
  switch (track.shape) {
    case Shape::kForward: {
      if (read.begin <= next)
        return read.begin + page >= next || (overtaking.is_shared() && useful.Any(track.Slots(read))) ||
               (read.begin >= track.Begin(first) &&
                (read.begin + slack >= next || read.begin >= track.Begin(position - overtaking.reach())));
      return read.begin < track.Begin((frontier > position ? frontier : position) + overtaking.reach());
    }
    case Shape::kBackward: {
      const ByteOffset window_begin = track.Begin((frontier > position ? frontier : position) - 1);
      if (read.end >= next)
        return read.end <= next + page || (read.end <= next + slack && read.end <= track.Begin(first) + page);
      return read.begin >= window_begin;
    }
    case Shape::kStride:
      return read.begin == next && read.size() <= track.length + page;
    case Shape::kRuns: {
      // Also where the next run comes early, and where readers overtake each other.
      const SlotRange slots = track.Slots(read);
      const int64_t run_end = track.RunAt(position > first ? position - 1 : position).slots.end;
      return slots.size() > 0 && slots.begin + slack / page >= position &&
             slots.begin <= (frontier > run_end ? frontier : run_end);
    }
  }
  return false;
}

SlotRange Stream::Advance(ByteRange read) {
  const SlotRange slots = track.Slots(read);
  const bool strayed_before = has_strayed;
  has_strayed = false;
  if (track.shape == Shape::kForward) {
    if (slots.end <= position && (useful.Any(slots) || position - slots.begin <= overtaking.reach())) {
      overtaking.OnBehind(slots.size(), position - slots.begin);
    } else if (slots.begin - position > kSlack / track.length) {
      if (!overtaking.OnAhead(slots.size(), slots.end - position)) return {position, position};
      // One read far ahead may be of a page that tells where others are, as a table's: the next says where it goes on.
      has_strayed = !strayed_before && !overtaking.was_shared() && useful.Any(slots);
      if (has_strayed) return {position, position};
    } else {
      overtaking.OnInOrder(slots.size());
    }
  }
  if (slots.end > position) {
    // A little may have been read unseen, by threads that came while the file was busy.
    const int64_t left_out = slots.begin - position;
    const bool is_near = left_out <= in_row || (jumped && left_out * track.length.value <= kSlack.value);
    in_row += slots.end - (left_out > 0 && !is_near ? slots.begin : position);
    position = slots.end;
  } else if (jumped || useful.Any(slots)) {
    in_row += slots.size();  // of a thread that was overtaken; programs read heads of files again and again
  }
  if (in_row > position - first) in_row = position - first;
  pace.OnRead(read.size());
  switch (track.shape) {
    case Shape::kForward:
      if (read.end > next) next = read.end;
      break;
    case Shape::kBackward:
      if (read.begin < next) next = read.begin;
      break;
    case Shape::kStride:
      next = read.begin + track.step;
      break;
    case Shape::kRuns:
      if (slots.end == position && slots.size() > 0) {
        const Cycle::Run run = track.RunAt(slots.end - 1);
        next = read.end < run.range.end ? read.end : track.Begin(run.slots.end);
      }
      break;
  }
  return slots;
}

void Stream::Restart(int64_t slot) {
  if (slot <= first) return;
  first = slot;
  in_row = 0;
  has_skipped = true;
}

}  // namespace ahead
