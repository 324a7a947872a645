// How much has a stream proved, and how far may it be ahead on the strength of that?
//
// At most 7/4 of what it has read in a row, and never less than the startup distance, so that a reader that stops after
// N bytes has cost at most 7/4 N more, or the startup distance. Both are cut by the tap (tap.h) where what was fetched
// for the stream, or of the file, was not read; with the tap closed a stream has to read a whole piece in a row before
// anything is fetched for it. Nor is the startup distance for a stream that skips most of where it
// goes: random reads fall into windows by chance, 3 of 100 into one of 1 MiB in a file of 32, and each would have the
// window go on from there.
//
// A scan beside which single pages of the file are looked up is one of a table among others: it ends within the file,
// and nothing tells where. What is ahead of it then is lost, and so that is little beside what it has read.

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

bool HasReadPiece(const Stream& stream, const Facts& facts) {
  return stream.in_row * stream.track.PagesPerSlot(facts.page) >= facts.piece / facts.page;
}

// What a stream that has read a piece in a row may leave out before that says anything: readers in several threads
// overtake each other, and some are not seen. With 0, 128, 256, 512, 768 KiB threads-interleaved reaches -0.01, -0.01,
// -0.01, 0.92, 0.92 of the oracle on hdd and 0.67, 0.94, 0.94, 0.94, 0.78 at 0.2 ms (ahead score; measured with
// all streams allowed so much, which costs sqlite-lookup 3 % more bytes).
constexpr ByteCount kUnseen{512 << 10};

// Look-ups of late from which on scans of the file are among them. With 12 base-mixed takes a quarter longer at 20 ms.
constexpr int32_t kManyLookUps = 16;
// Pieces ahead of such a scan, or this part of what it has read where that is more. Simulated (ahead score, base-mixed,
// all scans bounded from their begin), bytes beside the kernel's and time at 20 ms: with 2 pieces 1.01, 1.54; with 3
// 1.01, 0.88; 4 1.02, 0.66; 6 1.03, 0.48; 12 1.08, 0.35; unbounded 1.11, 0.34. A part alone is no bound to be had: with
// a fiftieth 1.01 and 1.44, a twentieth 1.04 and 0.94.
constexpr int64_t kPiecesAmongLookUps = 4;
constexpr int64_t kPartAmongLookUps = 50;

// Says whether more was left out than may be fetched for what was read.
bool IsSparse(const Stream& stream, const Facts& facts, const Options& options) {
  const int64_t unseen = HasReadPiece(stream, facts) ? kUnseen.value / stream.track.length.value : 0;
  return stream.track.shape != Shape::kRuns &&
         stream.in_row * (1 + HitRate(options)) + unseen < stream.position - stream.first;
}

}  // namespace

// Returns what of a guess the stream may have, in 1/Tap::kWhole.
int64_t AdaptivePolicy::Opening(const Stream& stream, const Surroundings& around) const {
  // A file that nothing is known of yet is as the others of the process.
  const int64_t of_file = tap_.is_new() ? around.learnt.tap.opening() : tap_.opening();
  const int64_t of_stream = stream.tap.opening();
  return of_file < of_stream ? of_file : of_stream;
}

// Returns how many of the `slots` that a proved stream starts with it may have.
int64_t AdaptivePolicy::Guess(const Stream& stream, int64_t slots, const Facts& facts,
                              const Surroundings& around) const {
  if (IsByChance(stream, facts) || IsSparse(stream, facts, around.options) ||
      (stream.has_skipped && !HasReadPiece(stream, facts)))
    return 0;
  return slots * Opening(stream, around) / Tap::kWhole;
}

// Returns the most slots ahead of a proved stream. `startup`: what it may have on a guess.
int64_t AdaptivePolicy::Proof(const Stream& stream, int64_t startup, const Facts& facts,
                              const Surroundings& around) const {
  const int64_t opening = Opening(stream, around);
  if (IsByChance(stream, facts) || IsSparse(stream, facts, around.options) ||
      (opening == 0 && !HasReadPiece(stream, facts)))
    return 0;
  int64_t proved = stream.track.shape == Shape::kStride ? 8 * stream.in_row : stream.in_row * 7 / 4;
  if (opening < Tap::kWhole / 2) proved = proved * (Tap::kWhole / 2 + opening) / Tap::kWhole;
  if (proved < startup) proved = startup;
  // Of several threads that take blocks in turn some are not seen to go on.
  if (lookups_ >= kManyLookUps && stream.track.shape == Shape::kForward && stream.overtaking.reach() == 0) {
    const int64_t least = kPiecesAmongLookUps * UnitOf(stream.track, facts);
    const int64_t part = stream.in_row / kPartAmongLookUps;
    const int64_t most = part > least ? part : least;
    if (proved > most) proved = most;
  }
  return proved;
}

}  // namespace ahead
