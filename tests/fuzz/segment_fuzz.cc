// A segment that somebody else of the same user scribbles over, before and while it is used. What must hold: a process
// that counts in it is led nowhere else, and a tool that reads it prints something; nobody crashes or goes on for ever.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "stats/export.h"
#include "stats/input.h"
#include "stats/segment_map.h"
#include "stats/snapshot.h"
#include "stats/table.h"
#include "tests/fuzz/target.h"

namespace ahead::fuzz {
namespace {

constexpr uint32_t kBlocks = 4;

// The memory of a segment as any other process has it.
class Scribbler {
 public:
  explicit Scribbler(int fd)
      : bytes_(SegmentBytes(kBlocks)),
        memory_(static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0))) {
    Require(memory_ != MAP_FAILED, "the segment can be mapped");
  }
  ~Scribbler() { munmap(memory_, bytes_); }
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;

  // Writes some of the input somewhere: mostly into the header and the words of the owners, where it matters.
  void Scribble(Input& input) {
    const size_t head = sizeof(Segment) + OwnersBytes(kBlocks);
    const uint8_t where = input.Byte();
    const auto at = where < 64    ? static_cast<size_t>(input.Below(64))
                    : where < 192 ? sizeof(Segment) + static_cast<size_t>(input.Below(kBlocks)) * sizeof(uint64_t)
                    : where < 224 ? static_cast<size_t>(input.Below(static_cast<int64_t>(head)))
                                  : static_cast<size_t>(input.Below(static_cast<int64_t>(bytes_)));
    const std::string text = input.Text(1 + static_cast<size_t>(input.Below(64)));
    const size_t room = bytes_ - at;
    std::memcpy(memory_ + at, text.data(), text.size() < room ? text.size() : room);
  }

  Segment& header() { return *reinterpret_cast<Segment*>(memory_); }

 private:
  size_t bytes_;
  char* memory_;
};

void Count(SegmentView segment) {
  Block* block = ClaimBlock(segment, getpid());
  if (block == nullptr) return;
  Require(segment.blocks() <= block && block < segment.blocks() + segment.block_count(), "a block lies in the segment");
  block->ledger.Add(Event::readahead, Class::state, 3);
  Bump(block->counters.reads_seen);
}

void Print(const Snapshot& snapshot) {
  for (const TableStyle style : {TableStyle::kAhead, TableStyle::kV14}) FormatTables(snapshot, style);
  FormatProcesses(snapshot);
  FormatCsv(snapshot);
  ToJson(snapshot).dump();
  FormatOpenMetrics(snapshot);
  Difference(snapshot, snapshot);
}

// What `ahead stats` does with the path of a segment.
void Show(const std::string& path, ahead::Input::Purpose purpose) {
  const absl::StatusOr<ahead::Input> input = ahead::Input::Open(path, purpose);
  if (!input.ok() || !input->segment()) return;
  Print(ReadSnapshot(input->segment(), getpid()));
  if (purpose == ahead::Input::Purpose::kReset) Print(TakeSnapshot(input->segment()));
}

// A process and tools share a segment with somebody who writes into it between any two of their steps.
void ShareWithScribbler(Input& input) {
  const int fd = CreateSegmentMemfd("ratio=50\n", kBlocks);
  Require(fd >= 0, "a segment can be made");
  const std::string path = absl::StrCat("/proc/self/fd/", fd);
  Scribbler scribbler(fd);
  if (input.Flag()) scribbler.Scribble(input);
  const SegmentView segment = MapSegmentFile(path.c_str(), MapMode::kOpen);
  for (int step = 0; step < 20 && !input.empty(); ++step) {
    scribbler.Scribble(input);
    // What is read while counts seem to be on their way is read again for a tenth of a second: that would be most of
    // the time of a run.
    if (input.Byte() != 255) scribbler.header().folds_done = scribbler.header().folds_begun;
    if (segment) {
      Require(segment.block_count() == kBlocks, "the number of blocks is that of the mapping");
      input.Flag() ? Count(segment) : Print(ReadSnapshot(segment));
    }
    if (input.Byte() < 32) Show(path, input.Flag() ? ahead::Input::Purpose::kReset : ahead::Input::Purpose::kRead);
  }
  if (segment) UnmapSegment(segment);
  close(fd);
}

// A file that may be anything.
void OpenAnything(Input& input) {
  const int fd = memfd_create("anything", MFD_CLOEXEC);
  const bool may_create = input.Flag();
  const auto length = static_cast<off_t>(input.Below(static_cast<int64_t>(2 * SegmentBytes(kBlocks))));
  const std::string bytes = input.Rest();
  Require(fd >= 0 && ftruncate(fd, length) == 0, "a file can be made");
  Require(pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "it can be written");
  const std::string path = absl::StrCat("/proc/self/fd/", fd);
  Show(path, ahead::Input::Purpose::kRead);
  if (const SegmentView segment =
          MapSegmentFile(path.c_str(), may_create ? MapMode::kCreate : MapMode::kOpen, kBlocks)) {
    Count(segment);
    UnmapSegment(segment);
  }
  close(fd);
}

}  // namespace
}  // namespace ahead::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  ahead::fuzz::Input input(bytes, size);
  input.Byte() < 192 ? ahead::fuzz::ShareWithScribbler(input) : ahead::fuzz::OpenAnything(input);
  return 0;
}
