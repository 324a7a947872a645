// How much may be in flight on one mount. The kernel does not say what it queues: a FUSE or NFS mount takes a number of
// requests and then blocks the caller or silently drops more (design, facts 1 and 2). So the limit is found as TCP
// finds it: additive increase while what is asked for arrives, a cut when a call blocks or pieces are missing.
#pragma once

#include <cstdint>

#include "core/decision.h"
#include "core/units.h"

namespace ahead {

// A call that takes longer holds its reader up: where that one has data to go on with, the rest of the batch has to
// wait. Above the time of any call that is merely slow to be taken (congestion.cc), far below what waiting for data
// costs.
inline constexpr Nanos kLongestCallOfBatch{500'000};

// A mount that is full when a process has fewer pieces there than this is full of others'. One alone has 12 or 9 on a
// FUSE mount as it comes.
inline constexpr int32_t kFewPieces = 6;

// Returns whether no more of a batch is asked for after a call for piece `index` of a decision that took `blocked`.
// A reader that waits for data loses nothing by such calls, but where those who fill the mount are others, what it asks
// for takes the places of the one whose turn it is.
constexpr bool EndsBatch(const Decision& decision, int32_t index, Nanos blocked) {
  return blocked > kLongestCallOfBatch && (!decision.starving || (decision.alone && index < kFewPieces));
}

// Thread safety: none; the shim keeps one object per mount and serialises.
class Congestion {
 public:
  // Returns how many more pieces may be issued at `now`; 0 when the mount is full.
  int32_t Allowed(Nanos now) const;
  // Returns how many pieces are thought to be in flight at `now`: those issued less than one arrival time ago.
  int32_t InFlight(Nanos now) const;

  // A piece was handed to the kernel by a call that took `blocked` and ended at `now`.
  void OnIssued(Nanos now, Nanos blocked);
  // Some of the pieces issued just before `now` were not taken.
  void OnDropped(Nanos now);
  // A request, made at `now` while nothing was in flight, left nothing in the cache; or one did.
  void OnUseless(Nanos now);
  void OnUseful() { useless_ = patience_ = 0; }
  // Returns whether asking is in vain on this mount: many requests in a row left nothing in the cache (FUSE direct_io,
  // a mount without a cache). It is tried again, ever more rarely.
  bool IsPassive(Nanos now) const { return useless_ >= kTrials && now < retry_at_; }

  // A read that found nothing prefetched took `duration`: a sample of the device's latency.
  void OnMiss(Nanos duration);

  // A reader of a stream had waited for `waited` when it was `now`. `counted`: until when waiting of the stream was
  // counted before; of several readers of one stream only one counts at a time.
  void OnWaited(Nanos& counted, Nanos waited, Nanos now);
  // The first read of a new stream begins, at `now`, or is over.
  void OnFirstRead(Nanos now);
  void OnFirstReadOver();
  // Returns how many first reads are under way. One that never ends is forgotten in time.
  int32_t FirstReads() const { return first_reads_; }
  // Returns how many streams wait at a time, of late; at least 1.
  int32_t Waiting() const;
  // Returns how many wait or are about to, as far as that is known; at least 1.
  int32_t Streams() const { return first_reads_ > Waiting() ? first_reads_ : Waiting(); }
  // Returns whether they did little but wait, of late, so that what comes sooner is read sooner. Taken for granted
  // until a wait is over.
  bool IsAtFullSpeed() const;
  // Returns how many pieces each of them may have in flight; at least kLeastShare.
  int32_t Share() const;

  // The mount was full, for a call blocked or pieces were missing, when a stream whose reader waits had `held` pieces
  // on their way.
  void OnFull(int32_t held, Nanos now);
  // Returns how many pieces a stream whose reader waits, and gets `rate` of them in a nanosecond, may have ahead beside
  // others that this process does not see.
  int32_t Beside(double rate, Nanos now) const;

  // A piece that a reader waited for came `time` after it was asked for; or, where the reader did not wait, no later.
  void OnArrival(Nanos time, bool is_exact);

  // Returns the smallest time from request to arrival seen lately; 0 while unknown.
  Nanos latency() const { return latency_; }
  // Returns how long pieces took to come of late, what stood before them at the device included; 0 while unknown.
  Nanos arrival() const { return arrival_ > latency_ ? arrival_ : latency_; }
  int32_t limit() const { return limit_; }

  // A burst began at `now`: the disk behind the mount is awake (methods/burst.cc).
  void OnBurst(Nanos now) { burst_at_ = now; }
  Nanos burst_at() const { return burst_at_; }

 private:
  static constexpr int32_t kRing = 256;
  // Where a cache drops requests because it is crowded, one of so many in a row is taken.
  static constexpr int32_t kTrials = 8;

  int32_t limit_ = 128;
  int32_t fitted_ = 0;    // the most that was in flight when a call blocked, of late
  int32_t useless_ = 0;   // requests in a row
  int32_t patience_ = 0;  // trials in a row that found it passive still
  Nanos retry_at_;
  int32_t first_reads_ = 0;
  Nanos first_read_at_;
  double waited_ns_ = 0;  // by all streams, in the last elapsed_ns_; both fade
  double elapsed_ns_ = 0;
  Nanos waited_at_;
  Nanos burst_at_{-1};      // of the newest burst; -1: there was none
  Nanos others_until_{-1};  // others are taken to fill the mount until then; -1: they never were
  Nanos others_for_;        // how long that was
  int32_t credit_ = 0;      // pieces taken since the limit last grew
  Nanos latency_;
  Nanos first_miss_;  // samples of it; 0: none
  Nanos last_miss_;
  Nanos arrival_;
  Nanos soonest_;        // that a piece which was waited for came after it was asked for, of late; 0: unknown
  uint32_t issued_ = 0;  // pieces ever issued; the ring holds the times of the last kRing
  int64_t issued_at_[kRing] = {};
};

}  // namespace ahead
