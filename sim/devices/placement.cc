#include "sim/devices/placement.h"

#include <algorithm>

namespace ahead::sim {
namespace {

constexpr int64_t kPage = 4096;
constexpr uint64_t kUnknownSlots = 1024;
constexpr ByteCount kUnknownSlot = 64_MiB;

}  // namespace

Placement::Placement(std::vector<PlacedFile> files) {
  std::sort(files.begin(), files.end(), [](const PlacedFile& a, const PlacedFile& b) {
    return a.inode != b.inode ? a.inode < b.inode : a.size > b.size;
  });
  starts_.reserve(files.size());
  for (const PlacedFile& file : files) {
    if (!starts_.empty() && starts_.back().inode == file.inode) continue;
    starts_.push_back({file.inode, end_});
    end_ = end_ + ByteCount{(std::max<int64_t>(file.size.value, 0) + kPage - 1) / kPage * kPage};
  }
}

Position Placement::Of(uint64_t inode, ByteOffset offset) const {
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), inode,
                                      [](const Start& start, uint64_t wanted) { return start.inode < wanted; });
  if (found != starts_.end() && found->inode == inode) return found->position + (offset - ByteOffset{});
  const auto slot = static_cast<int64_t>(inode % kUnknownSlots);
  return end_ + kUnknownSlot * slot + (offset - ByteOffset{});
}

}  // namespace ahead::sim
