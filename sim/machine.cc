#include "sim/machine.h"

#include <algorithm>

namespace ahead::sim {
namespace {

constexpr int64_t kPage = 4096;
constexpr Nanos kSecond{1'000'000'000};

}  // namespace

Machine::Machine(const Workload& work, const SlottedNetParameters& disk, const HostCosts& costs)
    : work_(work), costs_(costs), disk_(disk) {
  for (const WorkFile& file : work.files)
    pages_.emplace_back(static_cast<size_t>((file.size.value + kPage - 1) / kPage));
}

Machine::Span Machine::SpanOf(uint32_t file, ByteRange range) const {
  const auto pages = static_cast<int64_t>(pages_[file].size());
  const int64_t begin = std::clamp<int64_t>(range.begin.value / kPage, 0, pages);
  return {begin, std::clamp((range.end.value + kPage - 1) / kPage, begin, pages)};
}

int64_t Machine::Request(uint32_t file, Span span, bool is_ahead) {
  const int64_t most = std::max<int64_t>(1, disk_.parameters().max_request.value / kPage);
  std::vector<Page>& pages = pages_[file];
  int64_t requested = 0;
  for (int64_t at = span.begin; at < span.end;) {
    if (pages[static_cast<size_t>(at)].arrival != INT64_MAX) {
      ++at;
      continue;
    }
    int64_t end = at + 1;
    while (end < span.end && end - at < most && pages[static_cast<size_t>(end)].arrival == INT64_MAX) ++end;
    now_ = disk_.FreeAt(now_);
    const Nanos arrival = disk_.Submit(now_, {(end - at) * kPage});
    for (int64_t page = at; page < end; ++page) pages[static_cast<size_t>(page)] = {arrival.value, is_ahead};
    requested += end - at;
    at = end;
  }
  return requested;
}

Completion Machine::Read(const WorkStep& read) {
  const Nanos begin = now_;
  const ByteRange range = Clipped(work_, read);
  const Span span = SpanOf(read.file, range);
  if (range.empty()) {
    now_ = now_ + costs_.read;
    return {range, now_, now_ - begin};
  }
  Request(read.file, span, false);
  int64_t there = now_.value;
  for (int64_t at = span.begin; at < span.end; ++at) {
    Page& page = pages_[read.file][static_cast<size_t>(at)];
    there = std::max(there, page.arrival);
    page.is_ahead = false;
  }
  if (there > begin.value) ++score_.waits;
  now_ = Nanos{there} + costs_.read + costs_.copy_page * (span.end - span.begin);
  ++score_.reads;
  score_.read_bytes += range.size();
  if (now_ <= kSecond) score_.first_second_bytes += range.size();
  return {range, now_, now_ - begin};
}

PieceOutcome Machine::Advise(uint32_t file, ByteRange piece, bool look, bool ask) {
  PieceOutcome outcome;
  outcome.sure = true;
  const Span span = SpanOf(file, piece);
  if (look) {
    now_ = now_ + costs_.look;
    const auto& pages = pages_[file];
    const bool there = std::all_of(pages.begin() + span.begin, pages.begin() + span.end,
                                   [](const Page& page) { return page.arrival != INT64_MAX; });
    if (there) {
      outcome.state = PieceOutcome::State::kResident;
      return outcome;
    }
  }
  if (!ask) return outcome;
  ++score_.advised_pieces;
  const Nanos before = now_;
  const int64_t fresh = Request(file, span, true);
  now_ = now_ + costs_.advise + costs_.advise_page * fresh;
  outcome.state = PieceOutcome::State::kIssued;
  outcome.fresh_pages = static_cast<int32_t>(fresh);
  outcome.blocked = now_ - before;
  return outcome;
}

Nanos Machine::FetchAside(uint32_t file, ByteRange range, Nanos when) {
  const Span span = SpanOf(file, range);
  const Nanos arrival = disk_.Submit(when, {(span.end - span.begin) * kPage});
  for (int64_t at = span.begin; at < span.end; ++at) pages_[file][static_cast<size_t>(at)] = {arrival.value, true};
  return arrival;
}

Score Machine::score() const {
  Score score = score_;
  score.elapsed = now_;
  score.requests = disk_.requests();
  score.bytes = disk_.bytes();
  for (const auto& pages : pages_)
    for (const Page& page : pages)
      if (page.is_ahead) score.wasted_bytes += ByteCount{kPage};
  return score;
}

}  // namespace ahead::sim
