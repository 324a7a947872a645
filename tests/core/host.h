// A make-believe host and device for tests of the policy: it reads, the policy decides, pieces arrive at once in a page
// cache without limits, and the clock moves only when told. Shows what the shim does around core, in ten lines.
#pragma once

#include <set>
#include <vector>

#include "core/adaptive_policy.h"

namespace ahead::test {

class Host {
 public:
  explicit Host(ByteCount file_size = 256_MiB) { facts_.file_size = file_size; }

  // Reads [offset, offset + count) through `filter` and returns what was decided; an absorbed read decides nothing.
  // A read of something absent takes `miss_`, of something present `hit_`.
  Decision Read(int64_t offset, int64_t count, Filter& filter, bool fresh = false) {
    ++reads_;
    if (filter.Passes({offset}, {count})) {
      ++absorbed_;
      now_ = now_ + hit_;
      filter.Absorb({offset}, {count});
      Touch({{offset}, {offset + count}});
      return {};
    }
    const ByteRange range{{offset}, {offset + count}};
    Decision decision = policy_.Plan({range, now_, fresh, advice_, own_, hinted_}, facts_, filter, Around());
    if (decision.hint != Decision::Hint::kNone) hinted_ = decision.hint == Decision::Hint::kRandom;
    const bool present = Present(range);
    Issue(decision);
    const Nanos duration = present ? hit_ : miss_;
    now_ = now_ + duration;
    Touch(range);
    policy_.Finish(decision, {range, now_, duration}, facts_, filter, Around());
    return decision;
  }
  Decision Read(int64_t offset, int64_t count) {
    const bool fresh = reads_ == 0;
    return Read(offset, count, filter_, fresh);
  }

  // Hands the pieces of `decision` to the device, which takes them all unless `drop_from_` says otherwise.
  void Issue(const Decision& decision) {
    for (int32_t i = 0; i < decision.pieces; ++i) {
      const ByteRange piece = decision.Piece(i);
      PieceOutcome outcome;
      int32_t fresh = 0;
      for (int64_t page = FirstPage(piece); page * PageBytes() < piece.end.value; ++page)
        fresh += cache_.count(page) == 0 ? 1 : 0;
      outcome.state = fresh == 0 ? PieceOutcome::State::kResident : PieceOutcome::State::kIssued;
      if (fresh != 0 && decision.look_only) outcome.state = PieceOutcome::State::kPutOff;
      outcome.sure = sure_;
      if (i >= drop_from_) outcome.state = PieceOutcome::State::kDropped;
      outcome.fresh_pages = fresh;
      if (outcome.state == PieceOutcome::State::kIssued) {
        issued_pages_ += fresh;
        Touch(piece);
      }
      policy_.Issued(decision, i, outcome, now_, facts_, Around());
    }
  }

  bool Present(ByteRange range) const {
    for (int64_t page = FirstPage(range); page * PageBytes() < range.end.value; ++page)
      if (cache_.count(page) == 0) return false;
    return true;
  }
  void Touch(ByteRange range) {
    for (int64_t page = FirstPage(range); page * PageBytes() < range.end.value; ++page) cache_.insert(page);
  }
  int64_t PageBytes() const { return facts_.page.value; }
  int64_t FirstPage(ByteRange range) const { return range.begin.value / PageBytes(); }
  Surroundings Around() { return {options_, congestion_, learnt_, ledger_}; }

  // Counts what the filter has let pass so far.
  void Settle() { policy_.Detach(filter_, facts_, Around()); }

  int64_t Sum(Event event, Class cls) const { return static_cast<int64_t>(ledger_.pages(event, cls)); }
  int64_t Sum(Event event) const {
    int64_t sum = 0;
    for (size_t cls = 0; cls < kClassCount; ++cls) sum += Sum(event, static_cast<Class>(cls));
    return sum;
  }

  AdaptivePolicy policy_;
  Filter filter_;
  HostAdvice advice_ = HostAdvice::kNormal;
  bool own_ = false;     // nobody else can have the description
  bool hinted_ = false;  // it carries advice of the engine's
  Facts facts_;
  Options options_;
  Congestion congestion_;
  Learnt learnt_;
  Ledger ledger_{};
  std::set<int64_t> cache_;  // pages
  Nanos now_ = 1_s;
  Nanos hit_ = 1_us;
  Nanos miss_ = 2_ms;
  bool sure_ = true;
  int32_t drop_from_ = INT32_MAX;
  int64_t issued_pages_ = 0;
  int64_t reads_ = 0;
  int64_t absorbed_ = 0;
};

}  // namespace ahead::test
