// Reads in clusters (clusters.h): the block of a read is fetched with one request. It has a stream of its own, so that
// what becomes of its pages is told as for all others; that goes no further than the block, unless its reader went
// through it in order and goes on behind it.
//
// By the kernel alone, reads in a cluster that come to lie side by side look like a stream, and it fetches beyond the
// cluster: 1.9 times the bytes at a window of 128 KiB, 5.8 times at 8 MiB (`bench/sizing/run.py --rows random`).

#include "core/adaptive_policy.h"
#include "core/request.h"

namespace ahead {
namespace {

// Others of the table are left to streams; each takes 2 KiB.
constexpr int32_t kMostStreams = StreamTable::kStreams / 4;
// So many pages of a block that are in no run with the read make a run a chance.
constexpr int64_t kJumble = 2;

}  // namespace

// Notes a read of `stream`, or of none. Returns the block of a read in no stream, or in that of a block.
Clusters::Block* AdaptivePolicy::NoteCluster(ByteRange read, Stream* stream, const Facts& facts,
                                             const Options& options) {
  const SlotRange pages = Track::Forward(facts.page).Slots(read);
  if (stream != nullptr && !stream->is_cluster) {
    clusters_.NoteInStream(pages, HitRate(options));
    return nullptr;
  }
  if (stream != nullptr) stream->is_in_order = stream->is_in_order && stream->Expects(read);
  return clusters_.Note(pages, Track::Forward(facts.page).EndSlot(facts.file_size), HitRate(options), is_near_unseen_);
}

// Says whether a read that the trail found to go on does so within a block that was read all over.
bool AdaptivePolicy::IsJumble(const TrailMatch& match, const Clusters::Block& block, const Facts& facts) {
  if (match.kind == TrailMatch::Kind::kNone) return false;
  const SlotRange run = Track::Forward(facts.page).Slots({match.run_begin, match.run_end});
  if (run.begin < block.index * Clusters::kBlock || run.end > (block.index + 1) * Clusters::kBlock) return false;
  return block.count >= run.size() + kJumble;
}

// Starts a stream on the block of a read in no stream, if that is to be fetched.
Stream* AdaptivePolicy::StartCluster(Clusters::Block& block, const Access& access, const Facts& facts,
                                     const Surroundings& around) {
  if (passive_ || access.fresh || IsAfterTail() || access.advice != HostAdvice::kNormal || around.options.ratio < 10 ||
      IsShort(facts) || around.congestion.IsPassive(access.time) || facts.page * Clusters::kBlock > facts.piece ||
      !clusters_.IsDue(block, HitRate(around.options)))
    return nullptr;
  block.is_fetched = true;
  int32_t streams = 0;
  Stream* oldest = nullptr;
  for (Stream& stream : table_) {
    if (!stream.is_cluster) continue;
    ++streams;
    if (oldest == nullptr || stream.tick < oldest->tick) oldest = &stream;
  }
  if (streams >= kMostStreams) {
    GiveUp(*oldest, oldest->useful.TakeAll(), facts, around);
    table_.End(*oldest);
  }
  const ByteOffset begin{block.index * Clusters::kBlock * facts.page.value};
  const ByteRange range{begin, begin + facts.page * block.size};
  Stream& stream = Begin(Class::onseek, Track::Forward(facts.page), range, {}, access.time, facts, around);
  stream.bound = stream.first + block.size;
  stream.is_cluster = stream.is_in_order = true;
  return &stream;
}

// Finds the stream of a block that was read in order, whose reader goes on behind it: it is a stream as any from now
// on.
Stream* AdaptivePolicy::LeaveCluster(ByteRange read) {
  for (Stream& stream : table_) {
    if (!stream.is_cluster || !stream.is_in_order || stream.position < stream.bound ||
        stream.track.Begin(stream.bound) != read.begin)
      continue;
    stream.is_cluster = false;
    stream.proved = true;
    return &stream;
  }
  return nullptr;
}

// Asks for the block, unless that was done.
Decision AdaptivePolicy::FetchCluster(Stream& stream, const Facts& facts, Nanos now, const Surroundings& around) {
  if (stream.frontier > stream.first || around.congestion.Allowed(now) < 1) return {};
  int64_t end = stream.bound;
  if (!failed_.empty()) end = failed_.Before({stream.first, end}, stream.track).end;
  if (end <= stream.first) return {};
  Decision decision = Describe(stream.track, stream.first, end, facts);
  decision.method = stream.method;
  decision.starving = true;
  return decision;
}

}  // namespace ahead
