// What a replay on real files does ahead of its readers: the counterparts of policies.h, with real calls and threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/access.h"
#include "core/options.h"
#include "sim/adaptive_driver.h"
#include "sim/fetch_plan.h"
#include "sim/oracle_fetch.h"
#include "sim/real_files.h"
#include "sim/workload.h"

namespace ahead::sim {

// Returns the monotonic time.
Nanos MonotonicNow();

// What was asked for ahead of the readers.
struct AheadCounts {
  int64_t pieces = 0;
  ByteCount bytes;
  int64_t dropped_pieces = 0;  // asked for, and not taken by the kernel
};

// Reads, and nothing else.
class RealNone {
 public:
  void Start() {}
  void Before(size_t) {}
  void After(size_t, const Completion&) {}
  AheadCounts counts() const { return {}; }
};

// Keeps a fixed window ahead of each reader with FADV_WILLNEED, a piece at a time, whatever it does.
// Thread safety: one thread a reader.
class RealFixed {
 public:
  RealFixed(const Workload& work, const RealFiles& files, ByteCount window, ByteCount piece);
  void Start() {}
  void Before(size_t index);
  void After(size_t, const Completion&) {}
  AheadCounts counts() const;

 private:
  const Workload& work_;
  const RealFiles& files_;
  ByteCount window_;
  ByteCount piece_;
  struct Reader {
    ByteRange advised;
    AheadCounts counts;
  };
  std::vector<Reader> readers_;
};

// The engine, with readahead(2), as the shim does it. Thread safety: any threads; one at a time decides.
class RealAhead {
 public:
  RealAhead(const Workload& work, const RealFiles& files, const Options& options);
  void Start() {}
  void Before(size_t index);
  void After(size_t index, const Completion& completion);
  AheadCounts counts() const { return counts_; }
  AdaptiveDriver& driver() { return driver_; }

 private:
  PieceOutcome Issue(int fd, ByteRange piece, bool look, bool ask);

  const Workload& work_;
  const RealFiles& files_;
  std::mutex mutex_;  // guards what follows
  AdaptiveDriver driver_;
  AheadCounts counts_;
  std::vector<AdaptiveDriver::Pending> pending_;  // by thread
};

// Knows all reads beforehand.
class RealOracle {
 public:
  RealOracle(const FetchPlan& plan, const RealFiles& files, int in_flight, ByteCount ahead)
      : plan_(plan), fetch_(plan, files, in_flight, ahead) {}
  void Start() { fetch_.Start(); }
  void Before(size_t index) { fetch_.Await(index); }
  void After(size_t, const Completion&) {}
  AheadCounts counts() const { return {static_cast<int64_t>(plan_.pieces.size()), plan_.bytes, 0}; }

 private:
  const FetchPlan& plan_;
  OracleFetch fetch_;
};

}  // namespace ahead::sim
