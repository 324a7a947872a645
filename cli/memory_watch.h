// While a run lasts, how much memory do its programs share? `ahead run` looks now and then, in the process that waits
// for the command, and says so in the run's segment. A program gets no thread and no descriptor for it.
//
// Once a second at the most. Where nothing moved since the last look, in twice the time of the last, up to kRarely: a
// run that sleeps is woken for rarely. That nothing is outstanding cannot be seen without waking up, because memory
// that is written to tells nobody; but where the kernel tells of pressure by itself (a trigger, Linux 5.2; without
// privileges 6.5) it does.
#pragma once

#include <cstdint>
#include <string>

#include "cli/job.h"
#include "cli/memory_facts.h"
#include "core/budget.h"
#include "core/units.h"
#include "stats/segment.h"

namespace ahead::cli {

class MemoryWatch : public Chore {
 public:
  // Takes the path of the run's segment; "": there is none, and nothing is looked at. `root`: as LookAtMemory.
  explicit MemoryWatch(std::string segment_path, std::string root = "");
  ~MemoryWatch() override;
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  int64_t Do() override;
  int alarm_fd() override;

  // As Do, at the time `now` of any clock.
  int64_t LookAt(Nanos now);

  // Milliseconds between two looks.
  static constexpr int64_t kOften = 1000;
  static constexpr int64_t kRarely = 8000;

 private:
  MemoryNow NowAt(Nanos now);

  const std::string segment_path_;
  const std::string root_;
  Budget budget_;
  Nanos last_look_{-1};  // -1: never
  int64_t last_stalled_ = -1;
  Held last_held_;
  int64_t interval_ = kOften;
  int alarm_ = -1;
};

}  // namespace ahead::cli
