#include "sim/real_policies.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>

namespace ahead::sim {
Nanos MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return {int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

RealFixed::RealFixed(const Workload& work, const RealFiles& files, ByteCount window, ByteCount piece)
    : work_(work), files_(files), window_(window), piece_(piece), readers_(work.readers) {}

void RealFixed::Before(size_t index) {
  const WorkStep& read = work_.steps[index];
  auto& [advised, counts] = readers_[read.reader];
  if (read.range.begin < advised.begin || read.range.begin > advised.end)
    advised = {read.range.begin, read.range.begin};
  const ByteOffset size{work_.files[read.file].size.value};
  const ByteOffset end = std::min(read.range.end + window_, size);
  // A whole piece at a time, unless it is the last.
  while (advised.end < end && (advised.end + piece_ <= end || end == size)) {
    const ByteOffset next = std::min(advised.end + piece_, size);
    posix_fadvise(files_.reader(read.reader), advised.end.value, (next - advised.end).value, POSIX_FADV_WILLNEED);
    ++counts.pieces;
    counts.bytes += next - advised.end;
    advised.end = next;
  }
}

AheadCounts RealFixed::counts() const {
  AheadCounts sum;
  for (const Reader& reader : readers_) {
    sum.pieces += reader.counts.pieces;
    sum.bytes += reader.counts.bytes;
  }
  return sum;
}

RealAhead::RealAhead(const Workload& work, const RealFiles& files, const Options& options)
    : work_(work), files_(files), driver_(work, options, DriverFacts{}), pending_(work.threads) {}

void RealAhead::Before(size_t index) {
  const WorkStep& read = work_.steps[index];
  const int fd = files_.reader(read.reader);
  const std::lock_guard lock(mutex_);
  pending_[read.thread] = driver_.Before(
      read, [&](ByteRange piece, bool look, bool ask) { return Issue(fd, piece, look, ask); }, MonotonicNow);
  const Decision::Hint hint = pending_[read.thread].decision.hint;
  if (hint != Decision::Hint::kNone)
    posix_fadvise(fd, 0, 0, hint == Decision::Hint::kRandom ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
}

void RealAhead::After(size_t index, const Completion& completion) {
  const WorkStep& read = work_.steps[index];
  const std::lock_guard lock(mutex_);
  driver_.After(read, pending_[read.thread], completion);
}

PieceOutcome RealAhead::Issue(int fd, ByteRange piece, bool look, bool ask) {
  using State = PieceOutcome::State;
  PieceOutcome outcome;
  const int64_t pages = PagesOf(piece);
  std::optional<int64_t> before;
  if (look) before = CachedPages(fd, piece);
  if (before && *before >= pages) {
    outcome.state = State::kResident;
    outcome.sure = true;
    return outcome;
  }
  if (!ask) return outcome;
  const Nanos start = MonotonicNow();
  if (readahead(fd, piece.begin.value, static_cast<size_t>(piece.size().value)) != 0) return outcome;
  outcome.blocked = MonotonicNow() - start;
  outcome.state = State::kIssued;
  outcome.fresh_pages = static_cast<int32_t>(pages - before.value_or(0));
  // What was taken shows as cached at once, because the kernel puts the pages there before it reads them.
  if (const std::optional<int64_t> after = before ? CachedPages(fd, piece) : before; after) {
    outcome.sure = true;
    outcome.fresh_pages = static_cast<int32_t>(std::max<int64_t>(0, *after - *before));
    if (outcome.fresh_pages == 0) outcome.state = State::kDropped;
  }
  ++counts_.pieces;
  counts_.bytes += DriverFacts{}.page * outcome.fresh_pages;
  if (outcome.state == State::kDropped) ++counts_.dropped_pieces;
  return outcome;
}

}  // namespace ahead::sim
