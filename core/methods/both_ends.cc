// Which files are begun at both ends? Who opens an archive or a table reads its end, and then its head; who opens a
// program or a film reads its head, which says that the index lies at the end, and jumps there. Each of the two waits
// for the device. Where files of the folder were begun so, or this one was before, the first read has both ends fetched
// in one batch, what it needs itself first.
//
// What that may cost: nothing is fetched before two files in a row were begun so, then up to 64 KiB, and twice as much
// with each file more; a longer index is not fetched in part. Where nothing of it is read in the file's opening the
// folder's count starts anew: one wrong guess for two right ones at the most.
//
// Simulated (tests/sim/both_ends_test.cc), 40 files on net-2ms, ms under the kernel, without this, with it, and with
// perfect knowledge of open files: zip 353, 192, 110, 96; parquet 436, 358, 193, 98; mp4 362, 276, 114, 103; ELF 359,
// 270, 106, 95.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

constexpr ByteCount kUnproved{64 << 10};

// Adds the pieces of `range` as the decision's last extent. REQUIRES: the decision is of a forward window, which ends
// before, or begins behind; or empty.
void Append(Decision& decision, ByteRange range, const Facts& facts) {
  const ByteRange window =
      decision.empty() ? ByteRange{} : ByteRange{decision.Piece(0).begin, decision.Piece(decision.pieces - 1).end};
  if (!window.empty())
    decision.extents[decision.extent_count++] = {window.begin.value, static_cast<int32_t>(window.size().value)};
  else
    decision.first = range.begin;
  decision.extents[decision.extent_count++] = {range.begin.value, static_cast<int32_t>(range.size().value)};
  decision.floor = {0};
  decision.limit = {facts.file_size.value};
  decision.length = decision.step = facts.piece;
  decision.pieces = 0;
  for (int32_t i = 0; i < decision.extent_count; ++i) decision.pieces += decision.PiecesOf(decision.extents[i]);
}

}  // namespace

// Returns what else to fetch for the stream that begins the file: its head, or its end; empty where nothing is known.
ByteRange AdaptivePolicy::OtherEndOf(const Stream& stream, const Decision& decision, const Facts& facts) const {
  const Habit& habit = facts.habit;
  if (stream.is_tail) {
    if (habit.heads < Habit::kSure && !(before_.is_from_end && before_.has_head)) return {};
    const ByteOffset end = stream.track.Begin(stream.first);
    const ByteOffset head{facts.initial.value};
    return {{0}, head < end ? head : end};
  }
  if (stream.first != 0) return {};
  const bool was_so = before_.back.value > 0;
  if (habit.tails < Habit::kSure && !was_so) return {};
  ByteCount wanted = was_so ? before_.back : habit.back + habit.back / 8;
  const int32_t sureness = habit.tails > Habit::kSure ? habit.tails - Habit::kSure : 0;
  if (wanted.value <= 0 || wanted.value > kUnproved.value << sureness) return {};
  ByteOffset begin{AlignDown(facts.file_size.value - wanted.value, facts.page.value)};
  if (!decision.empty() && begin < decision.Piece(decision.pieces - 1).end)
    begin = decision.Piece(decision.pieces - 1).end;
  // What the first read itself takes, or the kernel for it.
  if (begin.value < facts.initial.value) begin = {facts.initial.value};
  const ByteOffset end{facts.file_size.value};
  return begin < end ? ByteRange{begin, end} : ByteRange{};
}

// A stream begins the file: adds the other end to what is asked for. Its pieces are the last extent's.
void AdaptivePolicy::AddOtherEnd(Stream& stream, Decision& decision, Nanos now, const Facts& facts,
                                 const Surroundings& around) {
  if (stream.method != Class::initial || stream.left_alone || decision.look_only || !failed_.empty() ||
      around.options.ratio < 10)
    return;
  const ByteRange range = OtherEndOf(stream, decision, facts);
  const int64_t pieces = (range.size().value + facts.piece.value - 1) / facts.piece.value;
  // It is not worth it where memory is short, or the mount busy.
  if (range.empty() || !HasRoom(range.size(), facts) || decision.pieces + pieces > kMostPieces ||
      decision.pieces + pieces > around.congestion.Allowed(now))
    return;
  Stream& other = Begin(Class::initial, Track::Forward(facts.page), range, range.size(), now, facts, around);
  other.is_tail = !stream.is_tail;
  other.is_first_read = false;  // perhaps there is none
  around.congestion.OnFirstReadOver();
  stream.other_end = table_.IdOf(other);
  opening_.has_both = true;
  Append(decision, range, facts);
  decision.method = Class::initial;
}

// Returns from which of its pieces on a decision is the other end's.
int32_t AdaptivePolicy::FirstOfOtherEnd(const Stream& stream, const Decision& decision) {
  if (stream.other_end.index < 0 || decision.extent_count == 0) return decision.pieces;
  return decision.pieces - decision.PiecesOf(decision.extents[decision.extent_count - 1]);
}

}  // namespace ahead
