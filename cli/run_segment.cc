#include "cli/run_segment.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/engine_options.h"
#include "stats/segment_map.h"

namespace ahead::cli {

absl::StatusOr<RunSegment> RunSegment::Create(const Environment& environment) {
  const int fd = CreateSegmentMemfd(DescribeVariables(environment).c_str());
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make the memory that a run shares");
  return RunSegment(fd);
}

RunSegment& RunSegment::operator=(RunSegment&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunSegment::~RunSegment() {
  if (fd_ >= 0) close(fd_);
}

std::string RunSegment::Path() const { return absl::StrCat("/proc/", getpid(), "/fd/", fd_); }

void RunSegment::ExportTo(Environment& environment) const { environment.Set("AHEAD_SESSION", Path()); }

absl::StatusOr<Snapshot> RunSegment::Read() const {
  Segment* segment = MapSegmentFile(Path().c_str(), MapMode::kOpen);
  if (segment == nullptr) return absl::ErrnoToStatus(errno, "cannot read the memory that the run shares");
  Snapshot snapshot = ReadSnapshot(*segment);
  UnmapSegment(segment);
  return snapshot;
}

}  // namespace ahead::cli
