#include "sim/mount.h"

#include <algorithm>

namespace ahead::sim {
namespace {

Placement PlacementOf(const Workload& work) {
  std::vector<PlacedFile> files;
  files.reserve(work.files.size());
  for (const WorkFile& file : work.files) files.push_back({file.inode, file.size});
  return Placement(std::move(files));
}

int64_t Pages(ByteCount size) { return std::max<int64_t>(1, size.value / kPageBytes); }

}  // namespace

Mount::Mount(const Workload& work, const LabDevice& device)
    : work_(work),
      cache_(work, device.memory),
      device_(device.parameters, PlacementOf(work)),
      limits_{std::max<int64_t>(0, device.kernel_window.value / kPageBytes), Pages(device.max_call)},
      max_request_(Pages(device.max_request)),
      most_in_flight_(std::max(1, device.in_flight)),
      drops_silently_(device.drops_silently),
      steps_(device.steps) {}

int64_t Mount::Lock(uint32_t file, const PageOrder& order, const Fetch& like, std::vector<Fetch>& fetches) {
  const int64_t left = cache_.PagesOf(file) - order.begin;
  if (left <= 0) return 0;
  const int64_t count = std::min(order.count, left);
  const int64_t mark = order.async > 0 && order.async <= count ? order.begin + count - order.async : -1;
  int64_t locked = 0;
  bool continues = false;
  for (int64_t page = order.begin; page < order.begin + count; ++page) {
    const PageCache::Locked result = cache_.Lock(file, page, page == order.begin && like.read.Holds(file, page));
    // The kernel reads ahead as far as there is memory.
    if (result == PageCache::Locked::kNoRoom) break;
    if (result == PageCache::Locked::kWasPresent) {
      continues = false;
      continue;
    }
    ++locked;
    if (page == mark) cache_.SetFlags(file, page, page::kMarked);
    if (continues) {
      ++fetches.back().pages.end;
    } else {
      fetches.push_back(like);
      fetches.back().pages = {file, page, page + 1};
    }
    continues = true;
  }
  return locked;
}

// As fuse_readahead: only where what is left of the run is no more than the window's asynchronous part.
bool Mount::Drops(const Fetch& fetch) const {
  return drops_silently_ && fetch.state != nullptr && in_flight_ >= most_in_flight_ * 3 / 4 &&
         fetch.state->async_size >= fetch.pages.end - fetch.pages.begin;
}

// The kernel takes the pages out again. The window stays what it was: after one call that was dropped the next is as
// well (measured on Linux 6.18; tests/disk/kernel_windows_test.cc).
void Mount::Drop(Fetch& fetch) {
  for (int64_t page = fetch.pages.begin; page < fetch.pages.end; ++page) cache_.Unlock(fetch.pages.file, page);
  dropped_.push_back(fetch.pages);
  fetch.pages.begin = fetch.pages.end;
}

void Mount::SendOne(Nanos now, PageRange pages, const PageRange& read) {
  // What the read under way wants of them lies in the middle.
  const bool is_read = read.file == pages.file;
  const int64_t wanted = is_read ? std::clamp(read.begin, pages.begin, pages.end) : pages.end;
  const int64_t rest = is_read ? std::clamp(read.end, wanted, pages.end) : pages.end;
  cache_.Send(pages.file, pages.begin, wanted, true);
  cache_.Send(pages.file, wanted, rest, false);
  cache_.Send(pages.file, rest, pages.end, true);
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(sent_.size()));
    sent_.emplace_back();
  }
  const uint32_t number = free_.back();
  free_.pop_back();
  sent_[number] = pages;
  const WorkFile& file = work_.files[pages.file];
  const ByteRange range{{pages.begin * kPageBytes}, {std::min(pages.end * kPageBytes, file.size.value)}};
  device_.Submit(now, {number, file.inode, range});
  next_answer_ = device_.NextAnswer();
  if (in_flight_ == 0 && idle_log_ != nullptr) idle_log_->push_back(now - idle_since_);
  ++in_flight_;
  ++requests_;
  bytes_ += range.size();
  if (log_ != nullptr) log_->push_back(pages);
}

bool Mount::Send(Nanos now, std::vector<Fetch>& fetches, size_t& first) {
  for (; next_step_ < steps_.size() && steps_[next_step_].at <= now; ++next_step_)
    cache_.SetMemory(steps_[next_step_].memory);
  for (; first < fetches.size(); ++first) {
    Fetch& fetch = fetches[first];
    while (fetch.pages.begin < fetch.pages.end) {
      if (Drops(fetch)) {
        Drop(fetch);
        break;
      }
      if (is_full()) return false;
      PageRange part = fetch.pages;
      part.end = std::min(part.end, part.begin + max_request_);
      SendOne(now, part, fetch.read);
      fetch.pages.begin = part.end;
    }
  }
  fetches.clear();
  first = 0;
  return true;
}

PageRange Mount::TakeAnswer() {
  idle_since_ = next_answer_;
  const auto number = static_cast<uint32_t>(device_.TakeAnswer().number);
  next_answer_ = device_.NextAnswer();
  --in_flight_;
  free_.push_back(number);
  const PageRange pages = sent_[number];
  cache_.Arrive(pages.file, pages.begin, pages.end);
  return pages;
}

}  // namespace ahead::sim
