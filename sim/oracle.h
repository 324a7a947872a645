// What would somebody fetch, and in which order, who knew all reads beforehand? The oracle: others than the program's
// threads fetch for it, as many requests at a time as the device takes, in the order of the recording, in pieces as
// large as one request may be, and never more than a bound ahead of the readers. Eviction is the machine's, not its
// own: what is evicted before it is read, or read again, is fetched again.
//
// A piece grows from the first page missing, forwards and then backwards, over absent neighbours that are wanted within
// the horizon. It may bridge gaps, which costs bytes and saves requests. The next pieces may be put in the order of
// their places on the device, which helps a disk with an arm and delays the reader. How much of both serves best is
// found by trying (lab.cc).
//
// One that waits for opens fetches nothing of a file before the program's first call that concerns it: what an engine
// can reach at best that lives in the program and opens nothing.
//
// Where many threads read at once an arm can also be served best without such fetchers: each thread fetches for itself,
// `sorted` at a time, and the disk's own queue finds the way. That is tried, too.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/policies.h"

namespace ahead::sim {

struct OracleLimits {
  ByteCount ahead{64 << 20};    // of data fetched and not read yet; 0: only threads fetch
  ByteCount horizon{32 << 20};  // how far a neighbour may be from being wanted
  ByteCount sorted;             // of data whose requests are sorted; 0: none
  bool waits_for_opens = false;
  ByteCount gap;  // the most that is fetched in vain between two that are wanted
};

class OraclePolicy : public NonePolicy {
 public:
  // Marks what is wanted in the cache of `mount`.
  OraclePolicy(const Workload& work, const OracleLimits& limits, Mount& mount);

  PageOrder OrderFor(const Runner& runner, Mount& mount);
  void Plan(Runner& runner, const WorkStep& step) { Meet(step.file, runner.now); }
  void PlanMapping(Runner& runner, const WorkStep& step) { Plan(runner, step); }
  void Open(Runner& runner, const WorkStep& step) { Plan(runner, step); }
  void ReadIsOver(Runner& runner, Mount& mount);
  void Pump(Mount& mount, Nanos now);

 private:
  // A place in the pages of all reads, in the order of the recording.
  struct Cursor {
    size_t step = 0;
    int64_t page = -1;  // of its file; -1: the first
  };

  PageRange PagesOf(size_t step) const;
  // Moves to the next page; false at the end.
  bool Next(Cursor& cursor, PageRange& page) const;
  int64_t Position(const Cursor& cursor) const;
  static bool IsToBeFetched(const Mount& mount, const PageRange& page);
  void Meet(uint32_t file, Nanos now);
  bool TakeMet(PageRange& page);
  void Look(Mount& mount);
  void CatchUp(const Mount& mount);
  // Returns up to `most` pages around `first` that are wanted and absent.
  PageRange Grow(Mount& mount, PageRange first, int64_t most);
  bool NextAbsent(Mount& mount, PageRange& piece);
  void Gather(Mount& mount);

  const Workload& work_;
  Mount& mount_;
  OracleLimits limits_;
  int64_t ahead_pages_;
  int64_t horizon_pages_;
  int64_t piece_pages_;
  int64_t gap_pages_;
  std::vector<int64_t> first_page_;  // by step: how many pages are read before
  Cursor look_;                      // what is before is marked as wanted
  Cursor fetch_;                     // what is before was fetched, or was there
  std::vector<bool> done_;           // by step
  std::vector<bool> is_met_;         // by file
  int64_t put_off_pages_ = 0;
  // By file: its pages that were to be fetched before it was met, in the order of the recording.
  std::vector<std::deque<int64_t>> put_off_;
  std::deque<uint32_t> met_;      // files with such pages, the one that was met first before the others
  std::vector<PageRange> order_;  // gathered and not sent, the next one last
  std::vector<Fetch> fetches_;    // of the piece under way
  size_t first_fetch_ = 0;
};

static_assert(Policy<OraclePolicy>);

}  // namespace ahead::sim
