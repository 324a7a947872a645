// Takes the steps of a workload through core as the shim does: filter first, then Plan, the pieces, the read, Finish.
// What a piece and a read do, and what time it is, is the caller's: a simulated machine or real files. As in the shim
// there is a policy for each file of a process, a congestion control for each of its devices, and one initial size and
// one ledger a process.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/adaptive_policy.h"
#include "core/budget.h"
#include "core/holdings.h"
#include "sim/memory_step.h"
#include "sim/workload.h"

namespace ahead::sim {

// What the driver takes for granted about memory and the device.
struct DriverFacts {
  ByteCount page{4096};
  ByteCount piece{128 << 10};
  ByteCount kernel_window{128 << 10};
  ByteCount memory{1 << 30};         // safe for data fetched and not read yet, of all processes
  std::vector<MemoryStep> steps;     // what a look at the memory finds once a second, from when it is at another
  std::optional<bool> kernel_leads;  // of all files; else what the workload says of each
};

// A piece to be looked at, and asked for.
struct PieceOrder {
  ByteRange range;
  bool look = false;  // where all of it is there, it is not asked for
  bool ask = false;
};

// Thread safety: none; the caller serialises, but need not while the read itself happens.
// Invariants: for each read Plan, NextPiece until it returns false, and After are called in this order, with
// TookPiece after each piece; steps of other threads may come in between.
class AdaptiveDriver {
 public:
  struct OfFile;

  // A read between Plan and After.
  struct Pending {
    bool absorbed = false;
    OfFile* file = nullptr;  // null: not observed
    Decision decision;
    Facts facts;

   private:
    friend class AdaptiveDriver;
    static constexpr int32_t kBatch = 16;
    // The batch under way, as IssueBatch of shim/issuer.cc.
    int32_t first = 0;  // of its pieces
    int32_t taken = 0;
    int32_t allowed = 0;
    bool stopped = false;
    PieceOutcome outcomes[kBatch];
    Nanos asked_at[kBatch];
  };

  AdaptiveDriver(const Workload& work, const Options& options, const DriverFacts& facts);
  ~AdaptiveDriver();
  AdaptiveDriver(const AdaptiveDriver&) = delete;
  AdaptiveDriver& operator=(const AdaptiveDriver&) = delete;

  // Decides what to ask for before a read, or for a mapping.
  void Plan(const WorkStep& read, Nanos now, Pending& pending);
  void PlanMapping(const WorkStep& map, Nanos now, Pending& pending);
  // Takes the next piece of the decision; false when there is none.
  bool NextPiece(Pending& pending, Nanos now, PieceOrder& order);
  // Says what came of it.
  void TookPiece(Pending& pending, Nanos now, const PieceOutcome& outcome);
  // The read is over.
  void After(const WorkStep& read, const Pending& pending, const Completion& completion);

  // All of these at once, but for After: `issue(ByteRange piece, bool look, bool ask)` returns the piece's
  // PieceOutcome: kResident if it is to look and finds all of it, else kPutOff unless it is to ask for it. `clock()`
  // returns the time.
  template <typename Issue, typename Clock>
  Pending Before(const WorkStep& read, Issue issue, Clock clock) {
    Pending pending;
    Plan(read, clock(), pending);
    PieceOrder order;
    while (NextPiece(pending, clock(), order)) {
      const PieceOutcome outcome = issue(order.range, order.look, order.ask);
      TookPiece(pending, clock(), outcome);
    }
    return pending;
  }

  void Open(const WorkStep& open) { Meet(open); }
  void Close(const WorkStep& close);
  void Advise(const WorkStep& advise);
  // All files are closed: what was fetched and not read is wasted.
  void CloseAll();

  // Returns the sum over all processes.
  Ledger ledger() const;
  // Reads that took the slow way.
  int64_t planned() const { return planned_; }
  // Decisions that asked for something, and a number that is another when any of them, or their order, is another.
  uint64_t decisions() const { return decisions_; }
  uint64_t digest() const { return digest_; }

 private:
  struct Process;
  struct Reader {
    Filter filter;
    OfFile* file = nullptr;  // null: not met yet
    bool is_open = false;
    bool is_own = false;                      // this process opened it
    bool is_hinted = false;                   // it carries FADV_RANDOM of the engine's
    HostAdvice advice = HostAdvice::kNormal;  // what stood at its last read
  };

  // Looks at the memory, as often as it is done until `now`.
  void Watch(Nanos now);
  Reader& Meet(const WorkStep& step);
  OfFile& FileOf(uint32_t process, uint32_t file);
  Facts FactsOf(const OfFile& file) const;
  Access AccessOf(Reader& reader, const WorkStep& read, Nanos now) const;
  void Decided(const Pending& pending);
  void ReportBatch(Pending& pending);
  void Close(Reader& reader);
  // Notes what a file holds now in the sums of its process and of the run.
  void Account(OfFile& file);
  // Runs `step`, a call of the policy of `file`, and keeps the sum of what is outstanding.
  template <typename Step>
  void WithPolicy(OfFile& file, Step step);

  const Workload& work_;
  Options options_;
  DriverFacts facts_;
  Budget budget_;
  Nanos next_look_{};
  Habits habits_;  // of the run
  std::vector<Process> processes_;
  std::vector<Reader> readers_;
  Holdings::Sum held_;  // by all processes
  int64_t planned_ = 0;
  uint64_t decisions_ = 0;
  uint64_t digest_ = 0xcbf29ce484222325;
};

}  // namespace ahead::sim
