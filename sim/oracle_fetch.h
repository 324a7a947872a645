// Fetches, with perfect knowledge, what a replay is about to read: the yardstick of all benchmarks on real disks.
//
// N threads take the pieces of a FetchPlan in order, and each asks for its piece through a description of its own, on
// which the kernel does not read ahead, and waits until it is there. So at most N requests are in flight, none is
// dropped, and none is for bytes that nobody reads. A reader waits for its pieces here and then finds them cached, so
// that it never makes a request itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/units.h"
#include "sim/fetch_plan.h"
#include "sim/real_files.h"

namespace ahead::sim {

// Thread safety: Await may be called from any thread.
class OracleFetch {
 public:
  // Takes `in_flight`, the number of threads, and `ahead`, how much may be fetched and not yet awaited.
  OracleFetch(const FetchPlan& plan, const RealFiles& files, int in_flight, ByteCount ahead);
  ~OracleFetch();
  OracleFetch(const OracleFetch&) = delete;
  OracleFetch& operator=(const OracleFetch&) = delete;

  // Lets the threads begin.
  void Start();

  // Returns when all that read `index` needs is cached.
  void Await(size_t index);

 private:
  enum class State : uint8_t { kMissing, kThere, kAwaited };

  void Work();
  // Waits for room and takes the next piece; false at the end.
  bool Take(size_t& piece);
  // Returns when the piece is there.
  void Fetch(size_t piece, std::vector<char>& buffer) const;

  const FetchPlan& plan_;
  const RealFiles& files_;
  const ByteCount ahead_;
  std::unique_ptr<std::atomic<State>[]> states_;  // by piece
  std::mutex mutex_;                              // guards what follows
  std::condition_variable room_;
  bool is_started_ = false;
  bool is_stopping_ = false;
  size_t next_ = 0;
  ByteCount outstanding_;
  std::vector<std::thread> threads_;
};

}  // namespace ahead::sim
