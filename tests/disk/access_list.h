// Lists of accesses, to be made on a real file and in the simulator.
#pragma once

#include <string>
#include <vector>

#include "core/access.h"
#include "core/units.h"
#include "sim/workload.h"

namespace ahead::disk {

// A list under construction, of one file; each access is over before the next begins.
class AccessList {
 public:
  AccessList(std::string name, ByteCount file_size);

  // Each adds one step of description `reader`; a description is opened by its first.
  AccessList& Read(ByteOffset begin, ByteCount size, uint32_t reader = 0);
  AccessList& Touch(ByteOffset begin, uint32_t reader = 0);
  AccessList& Advise(HostAdvice advice, ByteRange range = {}, uint32_t reader = 0);

  // Reads `count` times, from `begin` on, `step` bytes further each time.
  AccessList& Reads(ByteOffset begin, ByteCount size, int64_t count, ByteCount step, uint32_t reader = 0);
  // Touches `count` places in the same way.
  AccessList& Touches(ByteOffset begin, int64_t count, ByteCount step);

  const std::string& name() const { return name_; }
  const sim::Workload& work() const { return work_; }

 private:
  AccessList& Add(sim::StepKind kind, ByteRange range, uint32_t reader);

  std::string name_;
  sim::Workload work_;
  std::vector<HostAdvice> standing_;  // by reader
};

// Returns the lists by which the simulated kernel is held against the real one.
std::vector<AccessList> AccessLists();

}  // namespace ahead::disk
