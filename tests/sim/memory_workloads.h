// Programs that read many files at once: the workloads that memory is short for.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/workload.h"

namespace ahead::sim {

// `readers` files of `size`, each read from beginning to end in reads of `block`, by a thread of its own, at full
// speed.
inline Workload FullSpeedReaders(uint32_t readers, ByteCount size, ByteCount block) {
  Workload work;
  work.readers = work.threads = readers;
  for (uint32_t reader = 0; reader < readers; ++reader) {
    work.files.push_back({"file" + std::to_string(reader), 1, reader + 1, size});
  }
  for (int64_t at = 0; at < size.value; at += block.value) {
    for (uint32_t reader = 0; reader < readers; ++reader) {
      WorkStep& step = work.steps.emplace_back();
      step.file = step.reader = step.thread = reader;
      step.fresh = at == 0;
      step.range = {{at}, {at + block.value}};
      step.end = 1_ns;  // all at the same time
    }
  }
  return work;
}

// The same by one thread, which gives each file a read in turn, `pace` after it began with the one before.
inline Workload ReadersInTurn(uint32_t readers, ByteCount size, ByteCount block, Nanos pace = {}) {
  Workload work = FullSpeedReaders(readers, size, block);
  work.threads = 1;
  Nanos now{};
  for (WorkStep& step : work.steps) {
    step.thread = 0;
    step.begin = step.end = now;
    now = now + pace;
  }
  return work;
}

// 800 streams of one process: one read of all in each round, in another order each time, `pace` after the one before.
inline Workload SlowStreams(int rounds, ByteCount block, Nanos pace) {
  Workload work;
  work.readers = 800;
  work.threads = 1;
  std::vector<uint32_t> order;
  for (uint32_t reader = 0; reader < work.readers; ++reader) {
    work.files.push_back({"file" + std::to_string(reader), 1, reader + 1, block * rounds});
    order.push_back(reader);
  }
  std::mt19937_64 random(1);
  Nanos now{};
  for (int round = 0; round < rounds; ++round) {
    // By hand: std::shuffle is another one in each library.
    for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
    for (const uint32_t reader : order) {
      WorkStep& step = work.steps.emplace_back();
      step.file = step.reader = reader;
      step.fresh = round == 0;
      step.range = {ByteOffset{} + block * round, ByteOffset{} + block * (round + 1)};
      step.begin = step.end = now;
      now = now + pace;
    }
  }
  return work;
}

// Reads the steps of `work` file after file, all of them open until the end.
inline Workload OneAfterTheOther(Workload work) {
  std::stable_sort(work.steps.begin(), work.steps.end(),
                   [](const WorkStep& one, const WorkStep& other) { return one.file < other.file; });
  for (WorkStep& step : work.steps) {
    step.thread = 0;
    step.begin = step.end = Nanos{};
  }
  work.threads = 1;
  return work;
}

}  // namespace ahead::sim
