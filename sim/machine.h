// A simulated machine: threads of programs, a page cache, the kernel's readahead, and a mount with a device behind it,
// in virtual time.
//
// What is modelled: threads run side by side and wait for pages and for room at the mount; reads, faults of mappings
// and advice do what the kernel does (kernel_readahead.h, page_lists.h); calls and copies take the host's time. What is
// not: a processor that threads share, locks, metadata, writes.
//
// A machine is run by events in the order of their time; at equal times answers of the device come first, then threads
// in the order of their lanes. What a policy does stands in policies.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/access.h"
#include "core/decision.h"
#include "sim/kernel_readahead.h"
#include "sim/lab.h"
#include "sim/mount.h"
#include "sim/runner.h"
#include "sim/schedule.h"
#include "sim/workload.h"

namespace ahead::sim {

// What the host's own work takes. Measured on a Xeon of 2 x 2.9 GHz, FUSE, Linux 6.18: cached pread of 4 KiB 0.8 us, of
// 64 KiB 9 us (perf-free loops of ahead-patterns); 45 ms in readahead(2) for 256 MiB; design, facts 3 and 6.
struct HostCosts {
  Nanos read{500};
  Nanos copy_page{500};
  Nanos look{500};         // whether a piece is resident
  Nanos advise{4'000};     // a readahead call
  Nanos advise_page{550};  // and each page it allocates, as does each read
  // From a request's call to the device and from its answer to the thread that waited, together. A read of 4 KiB on
  // ahead-disk takes 44 us more than its model says with latency 0, 65 us more with 100 us (docs/simulator.md).
  Nanos trip{60'000};
};

// The lanes of a workload and its think times: the same for all devices and policies.
struct Schedule {
  explicit Schedule(const Workload& work) : lanes(MakeLanes(work)), think(ThinkTimes(work)) {}
  std::vector<Lane> lanes;
  std::vector<Nanos> think;
};

// What the machine itself counts.
struct MachineScore {
  Nanos elapsed;
  int64_t reads = 0;
  int64_t waits = 0;  // reads that waited for the device
  ByteCount read_bytes;
  ByteCount first_second_bytes;
};

// Thread safety: none.
template <typename Policy>
class Machine {
 public:
  // All arguments outlive this.
  Machine(const Workload& work, const Schedule& schedule, Mount& mount, const HostCosts& costs, Policy& policy)
      : work_(work),
        schedule_(schedule),
        mount_(mount),
        cache_(mount.cache()),
        costs_(costs),
        policy_(policy),
        states_(work.readers, ReaderState::Opened(mount.limits())),
        standing_(work.readers, HostAdvice::kNormal),
        runners_(schedule.lanes.size()) {
    for (uint32_t lane = 0; lane < runners_.size(); ++lane) {
      runners_[lane].lane = &schedule.lanes[lane];
      runners_[lane].index = lane;
    }
  }

  // Performs all steps.
  MachineScore Run();

 private:
  using Stage = Runner::Stage;
  // What a thread does next: goes on, or waits for somebody.
  enum class Then : bool { kGoOn, kWait };

  void Go(Runner& runner);
  Then Advance(Runner& runner);
  Then NextStep(Runner& runner);
  Then BeginStep(Runner& runner);
  Then NextPiece(Runner& runner);
  Then AskForPiece(Runner& runner);
  Then PieceSent(Runner& runner);
  Then Read(Runner& runner);
  Then ReadPresent(Runner& runner);
  Then MeetMark(Runner& runner, int64_t index, int64_t request);
  Then Touch(Runner& runner);
  Then Fault(Runner& runner, uint16_t flags);
  void MapAround(Runner& runner);
  Then Miss(Runner& runner);
  Then Advise(Runner& runner);
  // Advice that stands for the description.
  void Stand(uint32_t reader, HostAdvice advice);
  // Advice of the engine's for the description in `state`.
  static void Heed(Decision::Hint hint, ReaderState& state);
  // Fetches what is absent of `order`, for a description in `state` (null: none of it may be dropped); what the thread
  // does besides takes `cost`.
  Then Order(Runner& runner, const PageOrder& order, ReaderState* state, Nanos cost);
  Then Await(Runner& runner);
  Then EndRead(Runner& runner);
  Then EndStep(Runner& runner);
  bool IsGateOpen(const Runner& runner) const;
  void OpenGates(Nanos now);
  void TakeAnswer();
  void SendWaiting(Nanos now);
  void Wake(const PageRange& pages, Nanos now);
  void WakeDropped(Nanos now);
  int64_t CountPresent(uint32_t file, ByteRange piece) const;

  struct Ready {
    Nanos time;
    uint32_t lane;
    bool operator>(const Ready& other) const { return time != other.time ? time > other.time : lane > other.lane; }
  };
  void MakeReady(const Runner& runner) { ready_.push({runner.now, runner.index}); }

  const Workload& work_;
  const Schedule& schedule_;
  Mount& mount_;
  PageCache& cache_;
  const HostCosts costs_;
  Policy& policy_;
  std::vector<ReaderState> states_;   // by reader
  std::vector<HostAdvice> standing_;  // by reader
  std::vector<Runner> runners_;       // by lane
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::deque<uint32_t> senders_;   // lanes that wait for room at the mount, in order
  std::vector<uint32_t> waiting_;  // lanes that wait for pages
  std::vector<uint32_t> gated_;    // lanes that wait for others
  MachineScore score_;
};

template <typename Policy>
MachineScore Machine<Policy>::Run() {
  for (const Runner& runner : runners_) MakeReady(runner);
  policy_.Pump(mount_, Nanos{});
  for (;;) {
    const Nanos answer = mount_.next_answer();
    const Nanos ready = ready_.empty() ? kNever : ready_.top().time;
    if (answer <= ready) {
      if (answer == kNever) break;
      TakeAnswer();
      continue;
    }
    Runner& runner = runners_[ready_.top().lane];
    ready_.pop();
    Go(runner);
  }
  return score_;
}

// Until it waits, or something else comes first.
template <typename Policy>
void Machine<Policy>::Go(Runner& runner) {
  for (;;) {
    if (Advance(runner) == Then::kWait) return;
    if (runner.now >= mount_.next_answer() || (!ready_.empty() && runner.now >= ready_.top().time))
      return MakeReady(runner);
  }
}

template <typename Policy>
typename Machine<Policy>::Then Machine<Policy>::Advance(Runner& runner) {
  switch (runner.stage) {
    case Stage::kStep:
      return NextStep(runner);
    case Stage::kBegin:
      return BeginStep(runner);
    case Stage::kPieces:
      return NextPiece(runner);
    case Stage::kAsk:
      return AskForPiece(runner);
    case Stage::kPieceSent:
      return PieceSent(runner);
    case Stage::kRead:
      return runner.step->kind == StepKind::kTouch ? Touch(runner) : Read(runner);
    case Stage::kReadOver:
      return EndRead(runner);
    case Stage::kAdviceSent:
      return EndStep(runner);
    case Stage::kOver:
      break;
  }
  return Then::kWait;
}

template <typename Policy>
void Machine<Policy>::TakeAnswer() {
  const Nanos now = mount_.next_answer();
  Wake(mount_.TakeAnswer(), now);
  SendWaiting(now);
  policy_.Pump(mount_, now);
}

// Threads that wait for room send as soon as there is some, the one that came first before the others.
template <typename Policy>
void Machine<Policy>::SendWaiting(Nanos now) {
  while (!senders_.empty() && !mount_.is_full()) {
    Runner& runner = runners_[senders_.front()];
    const bool is_all = mount_.Send(now, runner.fetches, runner.first_fetch);
    WakeDropped(now);
    if (!is_all) return;
    senders_.pop_front();
    runner.now = now + runner.owed;
    MakeReady(runner);
  }
}

template <typename Policy>
void Machine<Policy>::Wake(const PageRange& pages, Nanos now) {
  for (size_t i = 0; i < waiting_.size();) {
    Runner& runner = runners_[waiting_[i]];
    if (!pages.Holds(runner.pages.file, runner.awaited)) {
      ++i;
      continue;
    }
    waiting_[i] = waiting_.back();
    waiting_.pop_back();
    runner.now = now + costs_.trip;
    MakeReady(runner);
  }
}

template <typename Policy>
void Machine<Policy>::WakeDropped(Nanos now) {
  for (const PageRange& pages : mount_.dropped()) Wake(pages, now);
  mount_.dropped().clear();
}

template <typename Policy>
bool Machine<Policy>::IsGateOpen(const Runner& runner) const {
  const Gate& gate = runner.lane->gates[runner.gate];
  for (size_t lane = 0; lane < gate.done_reads.size(); ++lane)
    if (runners_[lane].at < gate.done_reads[lane]) return false;
  return true;
}

template <typename Policy>
void Machine<Policy>::OpenGates(Nanos now) {
  for (size_t i = 0; i < gated_.size();) {
    Runner& runner = runners_[gated_[i]];
    if (!IsGateOpen(runner)) {
      ++i;
      continue;
    }
    gated_[i] = gated_.back();
    gated_.pop_back();
    runner.now = std::max(runner.now, now);
    MakeReady(runner);
  }
}

}  // namespace ahead::sim

#include "sim/machine_steps.h"
