// The policies a simulated machine can run under. A policy is a concept, not a base class: whoever has nothing to say
// to a question inherits the answer of NonePolicy.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "sim/adaptive_driver.h"
#include "sim/mount.h"
#include "sim/runner.h"
#include "sim/workload.h"

namespace ahead::sim {

template <typename P>
concept Policy = requires(P policy, Runner& runner, const WorkStep& step, PieceOrder& order, Mount& mount,
                          const PieceOutcome& outcome, const Completion& completion) {
  { P::kKernelReadsAhead } -> std::convertible_to<bool>;
  { policy.Plan(runner, step) } -> std::same_as<void>;          // a read is about to begin
  { policy.HintOf(runner) } -> std::same_as<Decision::Hint>;    // what to tell the kernel first
  { policy.PlanMapping(runner, step) } -> std::same_as<void>;   // a range was mapped
  { policy.NextPiece(runner, order) } -> std::same_as<bool>;    // what to ask for before; false: that is all
  { policy.TookPiece(runner, outcome) } -> std::same_as<void>;  // what came of it
  { policy.After(runner, completion) } -> std::same_as<void>;   // the read is over
  { policy.ReadIsOver(runner, mount) } -> std::same_as<void>;   // and so, for touches of mappings too
  { policy.Open(runner, step) } -> std::same_as<void>;
  { policy.Close(step) } -> std::same_as<void>;
  { policy.Advise(step) } -> std::same_as<void>;
  { policy.Pump(mount, Nanos{}) } -> std::same_as<void>;  // at the beginning, and when there may be room at the mount
};

// Reads, and nothing else: each fetches what it lacks.
class NonePolicy {
 public:
  static constexpr bool kKernelReadsAhead = false;

  // What a read fetches that finds its page absent. Asked only where the kernel does not read ahead.
  PageOrder OrderFor(const Runner& runner, const Mount& mount) {
    return {runner.page, std::min(runner.pages.end - runner.page, mount.limits().most), 0};
  }

  void Plan(Runner&, const WorkStep&) {}
  Decision::Hint HintOf(const Runner&) const { return Decision::Hint::kNone; }
  void PlanMapping(Runner&, const WorkStep&) {}
  bool NextPiece(Runner&, PieceOrder&) { return false; }
  void TookPiece(Runner&, const PieceOutcome&) {}
  void After(Runner&, const Completion&) {}
  void ReadIsOver(Runner&, Mount&) {}
  void Open(Runner&, const WorkStep&) {}
  void Close(const WorkStep&) {}
  void Advise(const WorkStep&) {}
  void Pump(Mount&, Nanos) {}
};

// The kernel alone.
class KernelPolicy : public NonePolicy {
 public:
  static constexpr bool kKernelReadsAhead = true;
};

// The kernel, and a fixed window ahead of each reader, whatever it does, asked for a piece at a time.
class FixedPolicy : public KernelPolicy {
 public:
  FixedPolicy(const Workload& work, ByteCount window, ByteCount piece)
      : work_(work), window_(window), piece_(piece), advised_(work.readers) {}
  void Plan(Runner& runner, const WorkStep& step);
  bool NextPiece(Runner& runner, PieceOrder& order);

 private:
  const Workload& work_;
  ByteCount window_;
  ByteCount piece_;
  std::vector<ByteRange> advised_;  // by reader
};

// The kernel, and our core.
class EnginePolicy : public KernelPolicy {
 public:
  EnginePolicy(const Workload& work, const Options& options, const DriverFacts& facts, size_t lanes)
      : driver_(work, options, facts), pending_(lanes) {}
  void Plan(Runner& runner, const WorkStep& step) { driver_.Plan(step, runner.now, pending_[runner.index]); }
  Decision::Hint HintOf(const Runner& runner) const { return pending_[runner.index].decision.hint; }
  void PlanMapping(Runner& runner, const WorkStep& step) {
    driver_.PlanMapping(step, runner.now, pending_[runner.index]);
  }
  bool NextPiece(Runner& runner, PieceOrder& order) {
    return driver_.NextPiece(pending_[runner.index], runner.now, order);
  }
  void TookPiece(Runner& runner, const PieceOutcome& outcome) {
    driver_.TookPiece(pending_[runner.index], runner.now, outcome);
  }
  void After(Runner& runner, const Completion& completion) {
    driver_.After(*runner.step, pending_[runner.index], completion);
  }
  void Open(Runner&, const WorkStep& step) { driver_.Open(step); }
  void Close(const WorkStep& step) { driver_.Close(step); }
  void Advise(const WorkStep& step) { driver_.Advise(step); }

  AdaptiveDriver& driver() { return driver_; }

 private:
  AdaptiveDriver driver_;
  std::vector<AdaptiveDriver::Pending> pending_;  // by lane
};

static_assert(Policy<NonePolicy> && Policy<KernelPolicy> && Policy<FixedPolicy> && Policy<EnginePolicy>);

}  // namespace ahead::sim
