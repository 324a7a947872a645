// The adaptive policy of one file: recognises its readers, decides what to fetch ahead of each, and keeps the account of
// what became of it. One object per (device, inode) of a process.
//
// A read's journey: the host's call does not pass the description's filter; Plan says what to ask the kernel for before
// the call (so that a window and the read that starts it wait together); the caller issues the pieces and reports each
// to Issued; the host's call happens; Finish learns how long it took, settles hits, and arms the filter again.
#pragma once

#include "core/access.h"
#include "core/congestion.h"
#include "core/decision.h"
#include "core/facts.h"
#include "core/filter.h"
#include "core/initial_size.h"
#include "core/ledger.h"
#include "core/options.h"
#include "core/stream_table.h"

namespace ahead {

// Everything a policy works with but does not own; each outlives the call.
struct Surroundings {
  const Options& options;
  Congestion& congestion;      // of the file's mount
  InitialSize& initial_size;   // of the process
  Ledger& ledger;              // of the process
};

// Thread safety: none; the caller holds the file's lock. Filters alone are shared without it.
class AdaptivePolicy {
 public:
  // Forgets everything, for a file that was not known before.
  void Reset() { *this = AdaptivePolicy(); }

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

  // The host gave advice of its own for `range` (class none).
  void OnHostAdvice(ByteRange range, const Facts& facts, const Surroundings& around);

  // The file has no description any more: what was fetched and not read is wasted.
  void Forget(const Facts& facts, const Surroundings& around);

  // Returns the pages fetched and neither read nor given up, by class if `cls` is given. Cost: O(streams).
  int64_t OutstandingPages(Class cls) const;
  int64_t OutstandingPages() const;

 private:
  StreamTable table_;
};

}  // namespace ahead
