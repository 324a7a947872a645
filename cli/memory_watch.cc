#include "cli/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/clock.h"
#include "stats/segment_map.h"

namespace ahead::cli {
namespace {

// Tasks that wait for a tenth of the time (core/budget.cc). Users without privileges may have windows of whole pairs of
// seconds only.
constexpr char kTrigger[] = "some 200000 2000000";

// Returns a descriptor that has POLLPRI when tasks wait for memory, or -1.
int AskForAlarm(const std::string& path) {
  const int fd = path.empty() ? -1 : open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0 && write(fd, kTrigger, sizeof(kTrigger)) < 0) return close(fd), -1;
  return fd;
}

}  // namespace

MemoryWatch::MemoryWatch(std::string segment_path, std::string root)
    : segment_path_(std::move(segment_path)), root_(std::move(root)) {}

MemoryWatch::~MemoryWatch() {
  if (alarm_ >= 0) close(alarm_);
}

int64_t MemoryWatch::Do() { return LookAt(MonotonicNow()); }

int MemoryWatch::alarm_fd() { return alarm_; }

MemoryNow MemoryWatch::NowAt(Nanos now) {
  const MemoryFacts found = LookAtMemory(root_);
  MemoryNow memory = found.now;
  const int64_t milliseconds = (now - last_look_).value / 1'000'000;
  if (last_stalled_ >= 0 && found.stalled_microseconds > last_stalled_ && milliseconds > 0)
    memory.pressure = std::min<int64_t>(1000, (found.stalled_microseconds - last_stalled_) / milliseconds);
  last_stalled_ = found.stalled_microseconds;
  last_look_ = now;
  return memory;
}

int64_t MemoryWatch::LookAt(Nanos now) {
  if (segment_path_.empty()) return kNever;
  const SegmentView segment = MapSegmentFile(segment_path_.c_str(), MapMode::kOpen);
  if (!segment) return kNever;
  const bool is_first = last_look_.value < 0;
  // Where nothing can be read, as without descriptors, what was said last stands.
  if (const ByteCount budget = budget_.Look(NowAt(now)); budget > ByteCount{})
    __atomic_store_n(&segment->memory_bytes, budget.value, __ATOMIC_RELAXED);
  const Held held = HeldByOthers(segment, nullptr);
  UnmapSegment(segment);
  const bool has_moved = is_first || held.bytes != last_held_.bytes || held.streams != last_held_.streams;
  interval_ = has_moved ? kOften : std::min(interval_ * 2, kRarely);
  last_held_ = held;
  // Not before the first look: most commands are over by then.
  if (is_first) alarm_ = AskForAlarm(PressureFile(root_));
  return interval_;
}

}  // namespace ahead::cli
