#include "cli/run_segment.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/engine_options.h"
#include "cli/memory_facts.h"
#include "stats/segment_map.h"

namespace ahead::cli {
namespace {

// Returns an empty text, or why there cannot be a statistics file at `path`.
std::string MakeStatsFile(const std::string& path) {
  const SegmentView segment = MapStatsFile(path.c_str(), getpid());
  if (!segment)
    return absl::StrCat("statistics file '", path,
                        "': ", errno == EBADMSG ? "it exists and is something else; name a new file" : strerror(errno));
  UnmapSegment(segment);
  return "";
}

// Says in the segment how much memory its programs share. While the run lasts it is kept up to date (memory_watch.h).
void NoteMemory(const std::string& path) {
  const SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  if (!segment) return;
  __atomic_store_n(&segment->memory_bytes, Budget().Look(LookAtBounds()).value, __ATOMIC_RELAXED);
  UnmapSegment(segment);
}

}  // namespace

absl::StatusOr<RunSegment> RunSegment::Create(const Environment& environment) {
  RunSegment made;
  const std::string stats = environment.Get("AHEAD_STATS").value_or("");
  if (stats.empty()) {
    made.fd_ = CreateSegmentMemfd(DescribeVariables(environment).c_str());
    if (made.fd_ < 0)
      return absl::InternalError(absl::StrCat("cannot make the memory that a run shares: ", strerror(errno)));
    made.path_ = absl::StrCat("/proc/", getpid(), "/fd/", made.fd_);
    if (access(made.path_.c_str(), R_OK | W_OK) == 0) {
      NoteMemory(made.path_);
      return made;
    }
    return absl::InternalError(absl::StrCat("its programs cannot reach ", made.path_, " (", strerror(errno),
                                            "): is /proc mounted? --stats FILE needs none"));
  }
  if (HasProcessPattern(stats.c_str()))
    return absl::UnavailableError(absl::StrCat("each process has a statistics file of its own, ", stats));
  if (const std::string refused = MakeStatsFile(stats); !refused.empty()) return absl::FailedPreconditionError(refused);
  char path[PATH_MAX];
  if (ExpandProcessPattern(stats.c_str(), getpid(), path, sizeof path)) made.path_ = path;
  NoteMemory(made.path_);
  if (const absl::Status read = made.Restart(); !read.ok()) return absl::FailedPreconditionError(read.message());
  return made;
}

RunSegment::RunSegment(RunSegment&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), before_(std::move(other.before_)) {}

RunSegment& RunSegment::operator=(RunSegment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(before_, other.before_);
  return *this;
}

RunSegment::~RunSegment() {
  if (fd_ >= 0) close(fd_);
}

void RunSegment::ExportTo(Environment& environment) const {
  // The library prefers a session to AHEAD_STATS.
  fd_ >= 0 ? environment.Set("AHEAD_SESSION", path_) : environment.Unset("AHEAD_SESSION");
}

absl::Status RunSegment::Restart() {
  absl::StatusOr<Snapshot> all = ReadAll();
  if (!all.ok()) return all.status();
  before_ = *std::move(all);
  return absl::OkStatus();
}

absl::StatusOr<Snapshot> RunSegment::Read() const {
  absl::StatusOr<Snapshot> all = ReadAll();
  if (!all.ok()) return all;
  return Difference(before_, *all);
}

absl::StatusOr<Snapshot> RunSegment::ReadAll() const {
  const SegmentView segment = MapSegmentFile(path_.c_str(), MapMode::kOpen);
  if (!segment) return absl::UnavailableError(absl::StrCat("cannot read the counts of the run: ", strerror(errno)));
  Snapshot snapshot = ReadSnapshot(segment);
  UnmapSegment(segment);
  return snapshot;
}

}  // namespace ahead::cli
