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

  // `issue(ByteRange piece, bool look, bool ask)` returns the piece's PieceOutcome: kResident if it is to look and
  // finds all of it, else kPutOff unless it is to ask for it. `clock()` returns the time.
  template <typename Issue, typename Clock>
  Pending Before(const WorkStep& read, Issue issue, Clock clock);

  void After(const WorkStep& read, const Pending& pending, const Completion& completion);

  // All files are closed: what was fetched and not read is wasted.
  void CloseAll();

  const Ledger& ledger() const { return ledger_; }
  const Congestion& congestion() const { return congestion_; }
  int64_t outstanding_pages() const { return outstanding_pages_; }
  // Reads that took the slow way.
  int64_t planned() const { return planned_; }

 private:
  static constexpr int32_t kBatch = 16;

  template <typename Issue, typename Clock>
  void IssueBatch(AdaptivePolicy& policy, const Pending& pending, int32_t first, Issue& issue, Clock& clock);
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

// As IssueBatch of shim/issuer.cc: the mount's limit is looked at once a batch, a call that blocked a reader which had
// data to go on with ends it, and the policy hears of it afterwards.
template <typename Issue, typename Clock>
void AdaptiveDriver::IssueBatch(AdaptivePolicy& policy, const Pending& pending, int32_t first, Issue& issue,
                                Clock& clock) {
  using State = PieceOutcome::State;
  const Decision& decision = pending.decision;
  const int32_t count = decision.pieces - first < kBatch ? decision.pieces - first : kBatch;
  int32_t allowed = congestion_.Allowed(clock());
  PieceOutcome outcomes[kBatch];
  Nanos asked_at[kBatch];
  bool stopped = false;
  for (int32_t i = 0; i < count; ++i) {
    const ByteRange piece = decision.Piece(first + i);
    outcomes[i].state = State::kResident;
    if (!piece.empty())
      outcomes[i] = issue(piece, decision.check,
                          ((!stopped && allowed > 0) || first + i < decision.required) && !decision.look_only);
    asked_at[i] = clock();
    if (outcomes[i].state != State::kIssued && outcomes[i].state != State::kDropped) continue;
    --allowed;
    stopped = outcomes[i].blocked > kLongestCallOfBatch && !decision.starving;
  }
  for (int32_t i = 0; i < count; ++i)
    policy.Issued(decision, first + i, outcomes[i], asked_at[i], pending.facts, around_);
}

template <typename Issue, typename Clock>
AdaptiveDriver::Pending AdaptiveDriver::Before(const WorkStep& read, Issue issue, Clock clock) {
  Pending pending;
  Filter& filter = filters_[read.reader];
  file_of_[read.reader] = read.file;
  pending.absorbed = filter.Passes(read.range.begin, read.range.size());
  if (pending.absorbed) return pending;
  ++planned_;
  pending.facts = FactsOf(read.file);
  AdaptivePolicy& policy = PolicyOf(read.file);
  Counting(policy, [&] {
    const Access access{read.range, clock(), read.fresh, read.advice};
    pending.decision = policy.Plan(access, pending.facts, filter, around_);
    for (int32_t first = 0; first < pending.decision.pieces; first += kBatch)
      IssueBatch(policy, pending, first, issue, clock);
  });
  return pending;
}

}  // namespace ahead::sim
