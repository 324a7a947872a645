// Which files are read from their end? Archives, columns and programs keep their index there: zip, parquet, sstables,
// ELF. Who opens such a file reads a few bytes at the end, is told by them how far back the index begins, and jumps
// there. Each of these reads waits for the device; so the first one has the end of the file fetched as a whole.
//
// How much: as far back as the indexes of other files of the folder began (habits.h), and an eighth; where nothing is
// known, a first window, or from the first read on if that is more. A read that is farther from the end than a first
// window could be one of any; so it must lie within the last sixteenth of the file.
//
// The head of a file that is read after its end is that of a newly opened one, though it is not the first read.
//
// Simulated (ahead score): zip on hdd 217 -> 210 ms, on net-2ms 73.0 -> 70.5; columns on hdd 420 -> 412.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

constexpr ByteCount kFarthestGuess{1 << 20};
constexpr int64_t kSurely = 16;
// Reads of the file between its end and its head: an index that lies outside of what was fetched.
constexpr uint32_t kSoon = 4;
// Reads that belong to the opening of a file.
constexpr int32_t kOpeningReads = 8;

// Returns whether a read lies at the end and not just anywhere.
bool IsNearEnd(ByteRange read, ByteCount farthest, const Facts& facts) {
  const ByteCount back = ByteOffset{facts.file_size.value} - read.begin;
  // What starts in the first window is not the end but all of the file.
  if (read.begin.value < facts.initial.value || back > farthest) return false;
  return back <= facts.initial || back * kSurely <= facts.file_size;
}

}  // namespace

// Returns the end of the file that the first read through a new description promises; empty where it promises nothing.
ByteRange AdaptivePolicy::TailOf(ByteRange read, const Facts& facts) {
  const Habit& habit = facts.habit;
  const bool is_sure = habit.tails >= Habit::kSure;
  if (read.size() > facts.piece || (facts.kernel_leads && !is_sure)) return {};
  if (!IsNearEnd(read, is_sure ? Habit::kFarthest : kFarthestGuess, facts)) return {};
  const ByteOffset end{facts.file_size.value};
  const ByteCount back = end - read.begin;
  ByteCount wanted = facts.initial;
  int64_t grain = facts.piece.value;
  if (habit.back.value > 0) {
    wanted = habit.back + habit.back / 8;
    grain = facts.page.value;
  }
  if (wanted < back) wanted = back;
  const ByteOffset begin{AlignDown(wanted < facts.file_size ? end.value - wanted.value : 0, grain)};
  const ByteCount size = end - begin;
  // It is not worth it where memory is short; and it is one request or nothing.
  if (!HasRoom(size, facts) || size > facts.piece * (kMostPieces - 1)) return {};
  return {begin, end};
}

// Returns whether the end of the file was read just now: then a read of its begin is one of the head.
bool AdaptivePolicy::IsAfterTail() const {
  for (const Stream& stream : table_)
    if (stream.is_tail && tick_ - stream.tick < kSoon) return true;
  return false;
}

// Returns whether one of the first reads after that of the head jumps.
bool AdaptivePolicy::IsAfterHead() const {
  return opening_.has_head && !opening_.is_from_end && opening_.reads <= static_cast<int32_t>(kSoon);
}

// Starts a stream on the end of the file. Nothing of it was read yet.
Stream& AdaptivePolicy::BeginTail(ByteRange tail, Nanos now, const Facts& facts, const Surroundings& around) {
  Stream& stream = Begin(Class::initial, Track::Forward(facts.page), tail, tail.size(), now, facts, around);
  stream.is_tail = true;
  return stream;
}

// Takes each read in turn, for what the folder's next files may be like.
void AdaptivePolicy::NoteOpening(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around) {
  if (access.fresh) {
    SettleOpening(around);
    // A file that is fetched as a whole needs nothing of this.
    if (facts.file_size <= facts.initial + facts.initial / 4) return;
    opening_.is_from_end = IsNearEnd(read, Habit::kFarthest, facts);
  } else if (opening_.reads == 0) {
    return;
  }
  ++opening_.reads;
  if (read.begin.value == 0) opening_.has_head = true;
  const ByteCount back = ByteOffset{facts.file_size.value} - read.begin;
  // Who reads on from the head comes to the end as well.
  bool goes_on = false;
  for (const Stream& stream : table_)
    goes_on = goes_on || (!stream.is_tail && stream.position > stream.first && stream.Expects(read));
  if (!goes_on && IsNearEnd(read, Habit::kFarthest, facts) && back > opening_.back) opening_.back = back;
  if (opening_.reads >= kOpeningReads) SettleOpening(around);
}

void AdaptivePolicy::SettleOpening(const Surroundings& around) {
  if (opening_.reads > 0) {
    around.learnt.LearnOpening(folder_, opening_);
    before_ = opening_;
  }
  opening_ = {};
}

}  // namespace ahead
