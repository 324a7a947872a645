// Programs that read many files at once: the workloads that memory is short for.
#pragma once

#include <algorithm>
#include <string>

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

}  // namespace ahead::sim
