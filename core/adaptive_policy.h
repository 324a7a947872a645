// The adaptive policy of one file: recognises its readers, decides what to fetch ahead of each, and keeps the account
// of what became of it. One object per (device, inode) of a process.
//
// A read's journey: the host's call does not pass the description's filter; Plan says what to ask the kernel for before
// the call (so that a window and the read that starts it wait together); the caller issues the pieces and reports each
// to Issued; the host's call happens; Finish learns how long it took, settles hits, and arms the filter again.
#pragma once

#include "core/access.h"
#include "core/clusters.h"
#include "core/concurrency.h"
#include "core/congestion.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/failed_ranges.h"
#include "core/filter.h"
#include "core/learnt.h"
#include "core/ledger.h"
#include "core/methods/mapped.h"
#include "core/methods/runs.h"
#include "core/options.h"
#include "core/random_hint.h"
#include "core/stream_table.h"
#include "core/stride.h"
#include "core/tap.h"
#include "core/trail.h"

namespace ahead {

// Everything a policy works with but does not own; each outlives the call.
struct Surroundings {
  const Options& options;
  Congestion& congestion;  // of the file's mount
  Learnt& learnt;          // of the process
  Ledger& ledger;          // of the process
};

// Thread safety: none; the caller holds the file's lock. Filters alone are shared without it.
class AdaptivePolicy {
 public:
  // Not defaulted: `AdaptivePolicy()` would then write zeros to all of it, and the streams (stream_table.h) be in
  // memory.
  AdaptivePolicy() {}

  // Decides what to fetch before a read that `filter`, the filter of its description, did not absorb.
  // Total: any access gives a valid decision. Cost: no allocation, O(streams + trail).
  Decision Plan(const Access& access, const Facts& facts, Filter& filter, const Surroundings& around);

  // Reports what became of piece `index` of `decision`; in ascending order, each once, all of them.
  void Issued(const Decision& decision, int32_t index, const PieceOutcome& outcome, Nanos now, const Facts& facts,
              const Surroundings& around);

  // Reports the end of the read that was planned, and arms `filter` for the next.
  void Finish(const Decision& decision, const Completion& completion, const Facts& facts, Filter& filter,
              const Surroundings& around);

  // Decides what to fetch for a new mapping of `range`: a small file whole, else the first window.
  Decision PlanMapping(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around);

  // The description of `filter` is gone, or moves to a place the policy should not read anything into.
  void Detach(Filter& filter, const Facts& facts, const Surroundings& around);

  // The host gave advice of its own for `range`. What it drops is not waited for any longer.
  void OnHostAdvice(HostAdvice advice, ByteRange range, const Facts& facts, const Surroundings& around);

  // Counts advice of the host in class none, for a file that has no policy.
  static void CountAdvice(HostAdvice advice, ByteRange range, const Facts& facts, Ledger& ledger);

  // The file has no description any more: what was fetched and not read is wasted.
  void Forget(const Facts& facts, const Surroundings& around);

  // Returns the pages fetched and neither read nor given up, by class if `cls` is given. Cost: O(streams).
  int64_t OutstandingPages(Class cls) const;
  int64_t OutstandingPages() const;

  // Returns how many streams hold such pages, or have read of late and not come to the end of the file: those that
  // share the memory. Cost: O(streams).
  int32_t ActiveStreams() const;

  // Returns what memory was safe for data fetched ahead, as facts said last.
  ByteCount safe() const { return safe_; }

  // Returns whether the file is known to be cached: Plan will not ask for anything, whatever the facts, and the caller
  // may spare itself the system calls that find them.
  bool passive() const { return passive_; }

 private:
  Decision AskForMapping(Stream& stream, SlotRange slots, Nanos now, const Facts& facts);
  Decision ContinueMappings(ByteRange range, Nanos now, const Facts& facts, const Surroundings& around);
  Stream* Match(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around);
  Stream* Start(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around,
                const TrailMatch& match, ByteCount hop, ByteCount jump);
  Stream* StartCycle(ByteRange read, Stream* covering, Nanos now, const Facts& facts, const Surroundings& around);
  Clusters::Block* NoteCluster(ByteRange read, Stream* stream, const Facts& facts, const Options& options);
  static bool IsJumble(const TrailMatch& match, const Clusters::Block& block, const Facts& facts);
  Stream* StartCluster(Clusters::Block& block, const Access& access, const Facts& facts, const Surroundings& around);
  Stream* LeaveCluster(ByteRange read);
  Decision FetchCluster(Stream& stream, const Facts& facts, Nanos now, const Surroundings& around);
  int64_t BoundOfPass(const Track& track, int64_t first, const Facts& facts) const;
  static ByteRange TailOf(ByteRange read, const Facts& facts);
  bool IsAfterTail() const;
  bool IsAfterHead() const;
  void NoteOpening(ByteRange read, const Access& access, const Facts& facts, const Surroundings& around);
  void LearnInitial(Stream& stream, const Facts& facts, const Surroundings& around);
  void SettleInitial(Stream& stream, const Facts& facts, const Surroundings& around);
  void SettleOpening(const Surroundings& around);
  ByteRange OtherEndOf(const Stream& stream, const Decision& decision, const Facts& facts) const;
  void AddOtherEnd(Stream& stream, Decision& decision, Nanos now, const Facts& facts, const Surroundings& around);
  static int32_t FirstOfOtherEnd(const Stream& stream, const Decision& decision);
  Stream& BeginTail(ByteRange tail, Nanos now, const Facts& facts, const Surroundings& around);
  bool HasFailed(const Facts& facts, const Surroundings& around);
  Stream& Begin(Class method, const Track& track, ByteRange read, ByteCount distance, Nanos now, const Facts& facts,
                const Surroundings& around);
  Decision Extend(Stream& stream, SlotRange read, const Facts& facts, Nanos now, const Surroundings& around);
  struct Reach;
  bool IsLeftAlone(const Stream& stream, const Facts& facts, Nanos now, const Surroundings& around) const;
  static Decision LeaveToKernel(Stream& stream);
  bool FindWant(Stream& stream, SlotRange read, Reach& reach, const Facts& facts, const Surroundings& around);
  bool FindWindow(Stream& stream, SlotRange read, Reach& reach, const Facts& facts, const Surroundings& around);
  static void KeepToBurst(Stream& stream, Reach& reach, Nanos now, const Surroundings& around);
  static Decision PutOff(Stream& stream, const Reach& reach, Ledger& ledger);
  static Decision AskFor(Stream& stream, const Reach& reach, const Facts& facts, Nanos now, const Surroundings& around);
  bool IsLed(Stream& stream);
  Decision LookAhead(Stream& stream, int64_t from, const Facts& facts);
  void JudgeKernel(Stream& stream, const Facts& facts);
  // How many reads ahead a strided stream starts. A network mount takes many at a time, and 48 of 4 KiB are no more
  // than a first window; a local disk may have one arm. Simulated at 2 ms, 64 in flight: 16, 32, 48 reach 0.82, 0.84,
  // 0.88 of the oracle (ahead-sim stride).
  static int64_t StrideStartup(const Facts& facts) { return facts.kernel_leads ? 8 : 48; }
  static int64_t SafeBytes(const Stream& stream, const Facts& facts, const Options& options);
  static int64_t MostBytes(const Stream& stream, const Facts& facts, const Options& options);
  // Returns how near the control law may come to a reader: one piece that is read while another is on its way.
  static int64_t LeastDistance(const Track& track, const Facts& facts);
  static void KeepTime(Stream& stream, Nanos now, const Facts& facts, const Options& options);
  static int64_t Beside(const Stream& stream, const Facts& facts, const Surroundings& around);
  int64_t Startup(const Stream& stream, const Facts& facts, const Surroundings& around) const;
  int64_t Opening(const Stream& stream, const Surroundings& around) const;
  int64_t Guess(const Stream& stream, int64_t slots, const Facts& facts, const Surroundings& around) const;
  int64_t Proof(const Stream& stream, int64_t startup, const Facts& facts, const Surroundings& around) const;
  int64_t Want(Stream& stream, SlotRange read, const Facts& facts, const Surroundings& around) const;
  int64_t BurstSlots(const Stream& stream, const Facts& facts, const Surroundings& around) const;
  static bool JoinsBurst(const Stream& stream, int64_t burst, Nanos now, const Surroundings& around);
  static bool Hurries(const Stream& stream, int64_t burst, const Options& options);
  static int64_t BurstMark(const Stream& stream, const Surroundings& around);
  const Stream* Latest() const;
  static bool IsLeisurely(const Pace& pace);
  static ByteCount EnoughFor(const Pace& pace, const Facts& facts, const Surroundings& around);
  static int64_t LowWater(const Stream& stream, SlotRange read, const Facts& facts, const Surroundings& around);
  ByteCount EnoughAfterJump(ByteRange read, const Facts& facts, const Surroundings& around) const;
  void NoteHaste(const Stream& stream, const Facts& facts, const Surroundings& around);
  static int64_t CycleStartup(const Track& track, const Facts& facts);
  void OnProgress(Stream& stream, Nanos waited, Nanos now, const Surroundings& around);
  void CountLookUp(ByteRange read, bool is_one, const Facts& facts);
  void Consume(Stream& stream, const TrailMatch& match, ByteRange read, Nanos now);
  // Says whether memory has no room for the two windows that the kernel keeps for each stream.
  static bool IsShort(const Facts& facts) { return facts.share < facts.kernel_window * 2; }
  // Says whether memory has room for what is fetched on the strength of a guess.
  static bool HasRoom(ByteCount size, const Facts& facts) {
    return facts.share >= size * 4 && facts.allowance >= size * 4;
  }
  void KeepKernelOut(const Stream& stream, const Access& access, const Facts& facts, const Surroundings& around);
  static bool IsCrowded(const Surroundings& around);
  bool IsInCrowd(const Stream& stream, const Surroundings& around) const;
  int64_t CrowdEnd(const Stream& stream, int64_t from, const Facts& facts, const Surroundings& around) const;
  static bool IsAtRisk(Stream& stream, int64_t from, const Facts& facts, const Options& options);
  int64_t TakeLost(Stream& stream, SlotRange slots, int64_t fresh, bool is_ahead, const Facts& facts,
                   const Surroundings& around);
  void ChargeLost(Stream& stream, const Usefulness::Count& lost, const Facts& facts, const Surroundings& around);
  void LearnFromLoss(Stream& stream, int64_t slot, const Facts& facts, const Surroundings& around);
  void OnMissing(Stream& stream, ByteRange read, Nanos now, const Facts& facts, const Surroundings& around);
  static int64_t SafeSlots(Stream& stream, int64_t want);
  // Says whether a stream is what random reads look like by chance.
  bool IsByChance(const Stream& stream, const Facts& facts) const;
  Decision::Hint HintFor(const Access& access, const Stream* stream, SlotRange read, const Decision& decision,
                         const Facts& facts, const Surroundings& around);
  Class MethodOf(const Stream& stream, const Decision& decision) const;
  void Fail(const Decision& decision, ByteOffset at, const Facts& facts, const Surroundings& around);
  void CloseBooks(Stream& stream, const Decision& decision, Nanos now, const Facts& facts, const Surroundings& around);
  void PlaceMark(Stream& stream, const Decision& decision, const Facts& facts, const Surroundings& around);
  void BePassive() {
    passive_ = true;
    fast_reads_ = kCachedReads;
  }
  void Replay(const Filter::Run& run, const Track& track, const Facts& facts);
  void SettleFilter(Filter& filter, Nanos now, const Facts& facts, const Surroundings& around);
  void NoteScattered(Nanos waited);
  void SettleScattered(int64_t reads, const Surroundings& around);
  bool ArmScattered(Filter& filter, const Stream* stream, ByteRange read, const Facts& facts) const;
  void ArmFilter(Filter& filter, const Stream* stream, ByteRange read, const Facts& facts);
  void LearnSpeed(const Decision& decision, const Completion& completion, Stream* stream, bool in_window, bool fast,
                  bool was_alone, const Facts& facts, const Surroundings& around);
  bool IsOutstanding(ByteRange range) const;
  void CreditHits(Stream& stream, SlotRange slots, const Facts& facts, const Surroundings& around);
  void CreditOthers(const Stream* own, ByteRange read, const Facts& facts, const Surroundings& around);
  void Credit(Stream& stream, const Usefulness::Count& hits, const Facts& facts, const Surroundings& around);
  enum class Unread : uint8_t { kForGood, kLeftBehind, kResting };
  void GiveUp(Stream& stream, const Usefulness::Count& lost, const Facts& facts, const Surroundings& around,
              Unread why = Unread::kForGood);
  // Gives up what was fetched ahead of the reader.
  void Rest(Stream& stream, const Facts& facts, const Surroundings& around);
  void RestIdleStreams(const Facts& facts, const Surroundings& around);

  Nanos waited_;            // by all readers of the file
  ByteRange kernel_asked_;  // what the kernel has on its way since the last read that missed
  Concurrency concurrency_;
  Trail trail_;
  StrideDetector stride_;
  RunLog runs_;
  MappedRun mapped_run_;
  Clusters clusters_;
  uint32_t tick_ = 0;         // reads that did not pass a filter
  int32_t lookups_ = 0;       // small reads of late in no stream, less those that began one
  uint32_t last_lookup_ = 0;  // the tick of the last of those
  ByteCount page_{4096};
  ByteCount safe_{INT64_MAX};
  uint32_t folder_ = 0;  // of the file, as facts said last
  FirstReads opening_;
  FirstReads before_;  // the opening before that
  FailedRanges failed_;
  Class last_method_ = Class::none;  // of the file's last request: what a miss is charged to
  Tap tap_;
  RandomHint hint_;
  Nanos scattered_wait_;           // of the last read in no stream
  bool is_near_unseen_ = false;    // the read lies near one that passed
  bool is_random_ = false;         // the host says so of the file: mapping it means nothing
  bool keeps_kernel_out_ = false;  // with the read under way (methods/crowd.cc)
  bool kernel_has_read_ = false;   // the kernel has read ahead, or may have, through the newest description
  bool kernel_is_better_ = false;  // it was tried, and our windows were no faster (methods/led.cc)
  ByteCount startup_{kStartup};    // distance of a stream that was just proved, as learnt from earlier ones

  // The file is known to be cached: any read passes, and one of pass_calls_ is timed to see whether it still is.
  bool passive_ = false;
  int32_t fast_reads_ = 0;  // surely cached, in a row, without anything of ours outstanding: at most kCachedReads
  int64_t pass_calls_ = kFewPasses;
  bool goes_on_unseen_ = false;  // the reads that passed last followed each other

  StreamTable table_;  // last, so that the rest lies next to the first stream

  // 1 MiB ahead of a reader, of which a quarter of a piece is left for the read under way: md5sum, which reads 32 KiB
  // at a time, has a file of 1 MiB asked for at once, and a reader of 64 KiB never more than 1 MiB ahead, which at 0.2
  // ms x 100 MB/s is all that sizing allows (tests/sim/sizing_test.cc).
  static constexpr int64_t kStartup = 992 << 10;
  static constexpr int64_t kFewPasses = 16;
  static constexpr int32_t kCachedReads = 4;
};

}  // namespace ahead
