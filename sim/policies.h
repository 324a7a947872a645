// The policies a simulated machine can run under, and the loop that runs them. A policy is a concept, not a base class:
// it is asked before each read and told after it.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "sim/adaptive_driver.h"
#include "sim/fetch_plan.h"
#include "sim/machine.h"
#include "sim/workload.h"

namespace ahead::sim {

template <typename P>
concept Policy = requires(P policy, Machine& machine, size_t index, const Completion& completion) {
  { policy.Before(machine, index) } -> std::same_as<void>;
  { policy.After(machine, index, completion) } -> std::same_as<void>;
};

// Performs all reads of `work`, one after the other. Returns what it came to.
template <Policy P>
Score Replay(const Workload& work, P& policy, Machine& machine) {
  for (size_t index = 0; index < work.steps.size(); ++index) {
    policy.Before(machine, index);
    const Completion completion = machine.Read(work.steps[index]);
    policy.After(machine, index, completion);
  }
  return machine.score();
}

// Reads, and nothing else.
class NonePolicy {
 public:
  void Before(Machine&, size_t) {}
  void After(Machine&, size_t, const Completion&) {}
};

// Keeps a fixed window ahead of each reader, whatever it does.
class FixedPolicy {
 public:
  FixedPolicy(const Workload& work, ByteCount window) : work_(work), window_(window), advised_(work.readers) {}
  void Before(Machine& machine, size_t index);
  void After(Machine&, size_t, const Completion&) {}

 private:
  const Workload& work_;
  ByteCount window_;
  std::vector<ByteRange> advised_;  // by reader
};

// The engine.
class AheadPolicy {
 public:
  AheadPolicy(const Workload& work, const Options& options, const DriverFacts& facts)
      : work_(work), driver_(work, options, facts) {}
  void Before(Machine& machine, size_t index);
  void After(Machine&, size_t index, const Completion& completion) {
    driver_.After(work_.steps[index], pending_, completion);
  }
  AdaptiveDriver& driver() { return driver_; }

 private:
  const Workload& work_;
  AdaptiveDriver driver_;
  AdaptiveDriver::Pending pending_;
};

// Knows all reads beforehand. Others than the program's thread fetch for it, as many requests at a time as the disk
// takes, and at most `ahead` bytes before they are needed.
class OraclePolicy {
 public:
  OraclePolicy(const FetchPlan& plan, ByteCount ahead)
      : plan_(plan), ahead_(ahead), arrivals_(plan.pieces.size()), consumed_(plan.pieces.size()) {}
  void Before(Machine& machine, size_t index);
  void After(Machine&, size_t, const Completion&) {}

 private:
  // Fetches what could be asked for by now, and the pieces below `required` whatever time that takes.
  void Fetch(Machine& machine, size_t required);
  void Consume(Machine& machine, size_t piece);

  const FetchPlan& plan_;
  ByteCount ahead_;
  std::vector<Nanos> arrivals_;  // of pieces below next_
  std::vector<bool> consumed_;
  size_t next_ = 0;
  Nanos time_{};  // when the last piece was asked for, or the bound last gave way
  bool is_full_ = false;
  ByteCount outstanding_{};
};

}  // namespace ahead::sim
