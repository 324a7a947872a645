// Takes reads through core as the shim does: filter first, then Plan, the pieces, the read, Finish. What a piece and a
// read do, and what time it is, is the caller's: a simulated machine or real files.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/adaptive_policy.h"
#include "sim/workload.h"

namespace ahead::sim {

// What the driver takes for granted about memory and the device.
struct DriverFacts {
  ByteCount page{4096};
  ByteCount piece{128 << 10};
  ByteCount kernel_window{128 << 10};
  ByteCount memory{1 << 30};  // used when the options leave it to us
};

// Thread safety: none; the caller serialises, but need not while the read itself happens.
// Invariants: for each read Before and After are called once, in this order; all files are on one mount.
class AdaptiveDriver {
 public:
  // A read between Before and After.
  struct Pending {
    bool absorbed = false;
    Decision decision;
    Facts facts;
  };

  AdaptiveDriver(const Workload& work, const Options& options, const DriverFacts& facts);

  // `issue(ByteRange piece, bool look)` asks for a piece and returns its PieceOutcome, `clock()` the time.
  template <typename Issue, typename Clock>
  Pending Before(const WorkRead& read, Issue issue, Clock clock);

  void After(const WorkRead& read, const Pending& pending, const Completion& completion);

  // All files are closed: what was fetched and not read is wasted.
  void CloseAll();

  const Ledger& ledger() const { return ledger_; }
  const Congestion& congestion() const { return congestion_; }
  int64_t outstanding_pages() const { return outstanding_pages_; }
  // Reads that took the slow way.
  int64_t planned() const { return planned_; }

 private:
  AdaptivePolicy& PolicyOf(uint32_t file);
  Facts FactsOf(uint32_t file) const;
  // Runs `step`, a call of the policy of `file`, and keeps the sum of what is outstanding.
  template <typename Step>
  auto Counting(AdaptivePolicy& policy, Step step);

  const Workload& work_;
  Options options_;
  DriverFacts facts_;
  Congestion congestion_;
  InitialSize initial_size_;
  Ledger ledger_{};
  Surroundings around_{options_, congestion_, initial_size_, ledger_};
  std::vector<std::unique_ptr<AdaptivePolicy>> policies_;  // by file; null until read
  std::deque<Filter> filters_;                             // by reader
  std::vector<uint32_t> file_of_;                          // by reader
  int64_t outstanding_pages_ = 0;
  int64_t planned_ = 0;
};

template <typename Step>
auto AdaptiveDriver::Counting(AdaptivePolicy& policy, Step step) {
  struct Sum {
    int64_t& sum;
    AdaptivePolicy& policy;
    int64_t before = policy.OutstandingPages();
    ~Sum() { sum += policy.OutstandingPages() - before; }
  } sum{outstanding_pages_, policy};
  return step();
}

template <typename Issue, typename Clock>
AdaptiveDriver::Pending AdaptiveDriver::Before(const WorkRead& read, Issue issue, Clock clock) {
  Pending pending;
  Filter& filter = filters_[read.reader];
  file_of_[read.reader] = read.file;
  pending.absorbed = filter.Passes(read.range.begin, read.range.size());
  if (pending.absorbed) return pending;
  ++planned_;
  pending.facts = FactsOf(read.file);
  AdaptivePolicy& policy = PolicyOf(read.file);
  Counting(policy, [&] {
    const Access access{read.range, clock(), read.fresh};
    pending.decision = policy.Plan(access, pending.facts, filter, around_);
    for (int32_t index = 0; index < pending.decision.pieces; ++index) {
      const ByteRange piece = pending.decision.Piece(index);
      PieceOutcome outcome;
      outcome.state = PieceOutcome::State::kResident;
      if (!piece.empty()) outcome = issue(piece, pending.decision.check);
      policy.Issued(pending.decision, index, outcome, clock(), pending.facts, around_);
    }
  });
  return pending;
}

}  // namespace ahead::sim
