#include "sim/speed.h"

#include <time.h>

#include <vector>

#include "sim/lab.h"
#include "sim/patterns.h"

namespace ahead::sim {
namespace {

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// Each file is read from beginning to end, and once more from memory.
Workload PassesOverFiles() {
  const Workload one = FindPattern("seq-4k")->make(64_MiB);
  Workload work;
  work.threads = 1;
  for (uint32_t file = 0; file < 32; ++file) {
    work.files.push_back(one.files[0]);
    work.files.back().inode = file;
    for (int pass = 0; pass < 2; ++pass) {
      for (WorkStep step : one.steps) {
        step.file = file;
        step.reader = work.readers;
        work.steps.push_back(step);
      }
      ++work.readers;
    }
  }
  return work;
}

Speed MeasureSpeed(const std::vector<Workload>& works, int threads, int rounds) {
  const std::vector<LabDevice>& devices = LabDevices();
  const std::vector<LabPolicy> policies{LabPolicy{}};
  std::vector<LabCell> table;
  for (int round = 0; round < rounds; ++round)
    for (uint32_t work = 0; work < works.size(); ++work)
      for (uint32_t device = 0; device < devices.size(); ++device) table.push_back({work, device, 0});
  Speed speed;
  speed.threads = threads;
  const double wall = Seconds(CLOCK_MONOTONIC);
  const double processor = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (const LabScore& score : RunCells(works, devices, policies, table, threads)) speed.accesses += score.reads;
  speed.wall_seconds = Seconds(CLOCK_MONOTONIC) - wall;
  speed.processor_seconds = Seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
  return speed;
}

}  // namespace ahead::sim
