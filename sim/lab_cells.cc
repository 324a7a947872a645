// Runs a table of cells on all processors.
#include <malloc.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "sim/lab.h"
#include "sim/lab_run.h"

namespace ahead::sim {
namespace {

// The schedules of the workloads, each made when it is first needed.
class Schedules {
 public:
  explicit Schedules(std::span<const Workload> works) : works_(works), made_(new Made[works.size()]) {}

  const Schedule& Of(uint32_t work) {
    Made& made = made_[work];
    std::call_once(made.once, [&] { made.schedule = std::make_unique<Schedule>(works_[work]); });
    return *made.schedule;
  }

 private:
  struct Made {
    std::once_flag once;
    std::unique_ptr<Schedule> schedule;
  };
  std::span<const Workload> works_;
  std::unique_ptr<Made[]> made_;
};

// Each cell takes tens of megabytes and gives them back. To fetch these from the kernel anew each time costs a tenth of
// the run (ahead-sim --speed bench/traces/*.trace).
void KeepFreedMemory() {
  constexpr int kKept = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

}  // namespace

std::vector<LabScore> RunCells(std::span<const Workload> works, std::span<const LabDevice> devices,
                               std::span<const LabPolicy> policies, std::span<const LabCell> cells, int threads,
                               const std::function<void(size_t, const LabScore&)>& on_done,
                               const std::atomic<bool>* stop) {
  KeepFreedMemory();
  LabScore not_run;
  not_run.reads = -1;
  std::vector<LabScore> scores(cells.size(), not_run);
  Schedules schedules(works);
  std::mutex done;
  const auto run = [&](size_t index) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
    const LabCell& cell = cells[index];
    scores[index] = RunOn(works[cell.workload], schedules.Of(cell.workload), devices[cell.device],
                          policies[cell.policy], HostCosts{})
                        .lab;
    if (!on_done) return;
    const std::lock_guard lock(done);
    on_done(index, scores[index]);
  };
  // More threads than processors make it no faster, and TBB complains of them.
  const int most = tbb::info::default_concurrency();
  tbb::task_arena arena(threads > 0 ? std::min(threads, most) : most);
  arena.execute([&] { tbb::parallel_for(size_t{0}, cells.size(), run, tbb::simple_partitioner()); });
  return scores;
}

}  // namespace ahead::sim
