#include "bench/disk/counters.h"

#include <algorithm>

namespace ahead::disk {
namespace {

constexpr int64_t kPage = 4096;  // the unit in which the kernel asks, so also the unit of "more than once"

}  // namespace

void Counters::ReadArrived(Nanos now, const FileKey& file, ByteOffset offset, ByteCount size, Nanos transfer_time) {
  if (in_flight_++ == 0) busy_since_ = now;
  max_in_flight = std::max(max_in_flight, in_flight_);
  ++requests;
  bytes += static_cast<uint64_t>(size.value);
  transfer = transfer + transfer_time;

  FileCounts& counts = files_[file];
  if (offset != counts.next) ++seeks;
  counts.next = offset + size;

  const ByteOffset end = offset + size;
  for (ByteOffset at = offset; at < end;) {
    const auto page = static_cast<uint64_t>(at.value / kPage);
    const ByteOffset page_end = std::min(end, ByteOffset{(at.value / kPage + 1) * kPage});
    if (page / 64 >= counts.served.size()) counts.served.resize(page / 64 + 1);
    uint64_t& word = counts.served[page / 64];
    const uint64_t bit = uint64_t{1} << (page % 64);
    if ((word & bit) != 0) bytes_repeated += static_cast<uint64_t>((page_end - at).value);
    word |= bit;
    at = page_end;
  }
}

void Counters::ReadAnswered(Nanos now, Nanos due) {
  const Nanos late = std::max(now - due, Nanos{});
  late_total = late_total + late;
  late_max = std::max(late_max, late);
  if (--in_flight_ == 0) busy_ = busy_ + (now - busy_since_);
}

void Counters::Reset(Nanos now) {
  const uint64_t in_flight = in_flight_;
  *this = Counters(now);
  in_flight_ = in_flight;
  max_in_flight = in_flight;
  busy_since_ = now;
}

}  // namespace ahead::disk
