#include "bench/disk/disk.h"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "bench/disk/handlers.h"
#include "bench/disk/model_report.h"
#include "bench/disk/source_placement.h"

namespace ahead::disk {
namespace {

sim::Device MakeDevice(const DiskOptions& options, int root_fd) {
  const bool has_places = !std::holds_alternative<sim::NetParameters>(options.device);
  return sim::Device(options.device, has_places ? PlaceFiles(root_fd) : sim::Placement());
}

// Returns the processor time this process has used.
Nanos CpuTime() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return {int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec};
}

}  // namespace

Disk::Disk(const DiskOptions& options, int root_fd, int settled_fd)
    : options_(options),
      settled_fd_(settled_fd),
      root_fd_(root_fd),
      tree_(root_fd),
      counters_(Now()),
      replies_(MakeDevice(options, root_fd)) {}

fuse_lowlevel_ops Disk::Operations() { return Handlers::Table(); }

void Disk::Preload() {
  if (options_.preload) files_.Preload(root_fd_);
}

std::string Disk::Report() {
  const Nanos now = Now();
  const std::lock_guard lock(counters_mutex_);
  const Counters& c = counters_;
  nlohmann::ordered_json model = DescribeModel(options_.device);
  model.update({{"metadata_latency_ns", options_.metadata_latency.value},
                {"in_flight", options_.in_flight},
                {"readahead_bytes", options_.readahead.value},
                {"max_request_bytes", options_.max_request.value},
                {"keep_cache", options_.keep_cache},
                {"direct_io", options_.direct_io}});
  const nlohmann::ordered_json report = {
      {"tool", "ahead-disk"},
      {"version", AHEAD_VERSION},
      {"pid", getpid()},
      {"source", options_.source},
      {"mountpoint", options_.mountpoint},
      {"model", model},
      {"requests", c.requests},
      {"bytes", c.bytes},
      {"failures", c.failures},
      {"bytes_repeated", c.bytes_repeated},
      {"files_read", c.files_read()},
      {"seeks", c.seeks},
      {"opens", c.opens},
      {"lookups", c.lookups},
      {"getattrs", c.getattrs},
      {"opendirs", c.opendirs},
      {"readdirs", c.readdirs},
      {"readlinks", c.readlinks},
      {"in_flight", c.in_flight()},
      {"max_in_flight", c.max_in_flight},
      {"busy_ns", c.Busy(now).value},
      {"idle_ns", c.Idle(now).value},
      {"transfer_ns", c.transfer.value},
      {"arm_moves", replies_.ArmMoves() - arm_moves_at_reset_},
      {"positioning_ns", (replies_.Positioning() - positioning_at_reset_).value},
      {"late_total_ns", c.late_total.value},
      {"late_max_ns", c.late_max.value},
      {"cpu_ns", (CpuTime() - cpu_at_reset_).value},
      {"died", has_died_},
  };
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void Disk::Reset() {
  const std::lock_guard lock(counters_mutex_);
  counters_.Reset(Now());
  cpu_at_reset_ = CpuTime();
  arm_moves_at_reset_ = replies_.ArmMoves();
  positioning_at_reset_ = replies_.Positioning();
  log_.Clear();
}

Nanos Disk::AnswerQueries(bool settled) {
  log_.Flush();
  const Nanos now = Now();
  std::vector<Query> waiting;
  Nanos soonest{};
  for (const Query& query : queries_) {
    if (!settled && now < query.given_up) {
      waiting.push_back(query);
      const Nanos left = query.given_up - now;
      soonest = soonest.value == 0 ? left : std::min(soonest, left);
      continue;
    }
    const std::string report = Report();
    if (query.is_reset) Reset();
    fuse_reply_buf(query.request, report.data(), std::min(report.size(), kMostReportBytes));
  }
  queries_ = std::move(waiting);
  is_query_waiting_ = !queries_.empty();
  return soonest;
}

void Disk::Count(uint64_t Counters::*counter) {
  const std::lock_guard lock(counters_mutex_);
  ++(counters_.*counter);
}

void Disk::AnswerError(Nanos due, fuse_req_t request, int error) {
  replies_.Push(due, [request, error](Nanos) { fuse_reply_err(request, error); });
}

void Disk::AnswerRead(Nanos arrival, uint64_t inode, ByteRange range, fuse_req_t request, ReadAnswer answer) {
  ++unsent_;
  replies_.Submit(arrival, inode, range, [this, request, answer = std::move(answer)](Nanos was_due) {
    {
      const std::lock_guard lock(counters_mutex_);
      counters_.ReadAnswered(Now(), was_due);
    }
    if (answer.error != 0) {
      fuse_reply_err(request, answer.error);
    } else {
      fuse_reply_buf(request, answer.data, static_cast<size_t>(answer.size.value));
    }
    if (--unsent_ == 0 && is_query_waiting_) eventfd_write(settled_fd_, 1);
    if (is_dying_) DieIfSettled();
  });
}

void Disk::DieInsteadOf(Nanos arrival, uint64_t inode, ByteRange range) {
  replies_.Submit(arrival, inode, range, [this](Nanos) {
    is_dying_ = true;  // with an arm, this read may have overtaken others
    DieIfSettled();
  });
}

void Disk::DieIfSettled() {
  if (unsent_ != 0) return;
  {
    const std::lock_guard lock(counters_mutex_);
    has_died_ = true;
  }
  if (!options_.report.empty()) WriteReport(options_.report, Report());
  log_.Flush();
  // The kernel ends the connection with the last descriptor of /dev/fuse; nothing may run that would unmount first.
  _exit(0);
}

}  // namespace ahead::disk
