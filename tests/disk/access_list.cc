#include "tests/disk/access_list.h"

#include <algorithm>
#include <deque>
#include <random>
#include <utility>

namespace ahead::disk {
namespace {

constexpr ByteCount kPage = 4_KiB;
constexpr ByteCount kFile = 4_MiB;

}  // namespace

AccessList::AccessList(std::string name, ByteCount file_size) : name_(std::move(name)) {
  work_.files.push_back({.path = name_, .device = 1, .inode = 1, .size = file_size});
  work_.threads = 1;
}

AccessList& AccessList::Add(sim::StepKind kind, ByteRange range, uint32_t reader) {
  sim::WorkStep step;
  step.kind = kind;
  step.reader = reader;
  step.range = range;
  step.fresh = kind == sim::StepKind::kRead && reader >= work_.readers;
  // Far apart in time, so that what one step asked for is there before the next.
  step.begin = step.end = 1_s * static_cast<int64_t>(work_.steps.size());
  work_.readers = std::max(work_.readers, reader + 1);
  standing_.resize(work_.readers);
  step.advice = standing_[reader];
  work_.steps.push_back(step);
  return *this;
}

AccessList& AccessList::Read(ByteOffset begin, ByteCount size, uint32_t reader) {
  return Add(sim::StepKind::kRead, {begin, begin + size}, reader);
}

AccessList& AccessList::Touch(ByteOffset begin, uint32_t reader) {
  return Add(sim::StepKind::kTouch, {begin, begin + 1_B}, reader);
}

AccessList& AccessList::Advise(HostAdvice advice, ByteRange range, uint32_t reader) {
  Add(sim::StepKind::kAdvise, range, reader);
  work_.steps.back().advice = advice;
  if (advice <= HostAdvice::kNoReuse) standing_[reader] = advice;
  return *this;
}

AccessList& AccessList::Reads(ByteOffset begin, ByteCount size, int64_t count, ByteCount step, uint32_t reader) {
  for (int64_t i = 0; i < count; ++i) Read(begin + step * i, size, reader);
  return *this;
}

AccessList& AccessList::Touches(ByteOffset begin, int64_t count, ByteCount step) {
  for (int64_t i = 0; i < count; ++i) Touch(begin + step * i);
  return *this;
}

std::vector<AccessList> AccessLists() {
  std::deque<AccessList> lists;  // whose elements stay where they are
  const auto list = [&](std::string name, ByteCount size = kFile) -> AccessList& {
    return lists.emplace_back(std::move(name), size);
  };

  for (const ByteCount size : {4_KiB, 16_KiB, 64_KiB, 128_KiB, 192_KiB, 1_MiB}) {
    const std::string kib = std::to_string(size / 1_KiB) + "KiB";
    const int64_t most = 256;
    list("sequential-" + kib).Reads({0}, size, std::min(kFile / size, most), size);
    list("middle-" + kib).Reads({1 << 20}, size, std::min(2_MiB / size, most), size);
    list("odd-start-" + kib).Reads({37 * 4096 + 100}, size, std::min(2_MiB / size, most), size);
    list("backward-" + kib).Reads({(3 << 20)}, size, std::min(2_MiB / size, 64L), -size);
    list("sequential-flagged-" + kib)
        .Advise(HostAdvice::kSequential)
        .Reads({0}, size, std::min(kFile / size, most), size);
    list("random-flagged-" + kib).Advise(HostAdvice::kRandom).Reads({0}, size, std::min(kFile / size, 64L), size);
  }
  list("unaligned-5000").Reads({0}, {5000}, 200, {5000});
  list("tiny-100").Reads({0}, {100}, 300, {100});
  list("short-file", {10'000}).Reads({0}, kPage, 3, kPage);
  list("short-file-large-read", {10'000}).Read({0}, 64_KiB);
  list("beyond-the-end", {100'000}).Reads({0}, 16_KiB, 10, 16_KiB);
  list("tail-first").Read({(4 << 20) - 4096}, kPage).Reads({0}, 16_KiB, 40, 16_KiB);

  for (const int64_t pages : {2, 3, 4, 5, 8, 9, 16, 33, 64})
    list("stride-" + std::to_string(pages)).Reads({0}, kPage, 60, kPage * pages);
  for (const int64_t pages : {2, 5, 8})
    list("stride-16KiB-" + std::to_string(pages)).Reads({1 << 20}, 16_KiB, 40, kPage * (pages + 4));
  list("stride-back-4").Reads({3 << 20}, kPage, 60, kPage * -4);

  {
    AccessList& runs = list("runs-of-5-after-jumps");
    for (const int64_t at : {512, 100, 800, 300, 640, 20}) runs.Reads({at * 4096}, kPage, 5, kPage);
    AccessList& long_runs = list("runs-of-20-16KiB");
    for (const int64_t at : {512, 100, 800, 300}) long_runs.Reads({at * 4096}, 16_KiB, 20, 16_KiB);
    AccessList& reread = list("read-again");
    reread.Reads({0}, 16_KiB, 64, 16_KiB).Reads({0}, 16_KiB, 64, 16_KiB);
    AccessList& jitter = list("skips-a-page-now-and-then");
    for (int64_t i = 0; i < 100; ++i) jitter.Read({(i + i / 7) * 4096}, kPage);
  }
  for (const uint32_t streams : {2u, 3u, 8u}) {
    for (const ByteCount size : {4_KiB, 64_KiB, 128_KiB}) {
      const std::string name = std::to_string(streams) + "-streams-" + std::to_string(size / 1_KiB) + "KiB-";
      AccessList& one = list(name + "one-description", 16_MiB);
      AccessList& each = list(name + "a-description-each", 16_MiB);
      for (int64_t i = 0; i < 16; ++i) {
        for (uint32_t s = 0; s < streams; ++s) {
          const ByteOffset at = ByteOffset{int64_t{s} * (2 << 20) + 4096 * s} + size * i;
          one.Read(at, size);
          each.Read(at, size, s);
        }
      }
    }
  }
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    std::mt19937 random(seed);
    AccessList& places = list("random-" + std::to_string(seed));
    AccessList& walk = list("walk-" + std::to_string(seed), 1_MiB);
    int64_t at = 0;
    for (int i = 0; i < 150; ++i) {
      places.Read({static_cast<int64_t>(random() % 1024) * 4096}, kPage * (1 + static_cast<int64_t>(random() % seed)));
      // Mostly on from where it was, now and then elsewhere; from any of three descriptions.
      if (random() % 8 == 0) at = static_cast<int64_t>(random() % (1 << 20));
      const auto size = static_cast<int64_t>(random() % (40'000 * seed));
      walk.Read({at}, {size}, static_cast<uint32_t>(random() % 3));
      at += size;
      if (random() % 5 == 0) at += 4096 * static_cast<int64_t>(random() % 3);
    }
  }

  const auto will_need = [](int64_t begin, ByteCount size) { return ByteRange{{begin}, ByteOffset{begin} + size}; };
  list("readahead-64KiB").Advise(HostAdvice::kWillNeed, will_need(0, 64_KiB)).Reads({0}, 16_KiB, 16, 16_KiB);
  list("readahead-is-cut")
      .Advise(HostAdvice::kWillNeed, will_need(1 << 20, 2_MiB))
      .Reads({1 << 20}, 16_KiB, 64, 16_KiB);
  list("readahead-odd").Advise(HostAdvice::kWillNeed, will_need(5000, {10'000})).Read({0}, kPage);
  list("readahead-partly-there").Read({64 << 10}, 16_KiB).Advise(HostAdvice::kWillNeed, will_need(0, 128_KiB));
  list("readahead-beyond-the-end", {50'000}).Advise(HostAdvice::kWillNeed, will_need(40'000, 128_KiB));
  {
    AccessList& ahead = list("readahead-in-pieces-ahead-of-the-reader");
    for (int64_t i = 0; i < 16; ++i) {
      ahead.Advise(HostAdvice::kWillNeed, will_need((i + 2) * (128 << 10), 128_KiB));
      ahead.Reads({i * (128 << 10)}, 64_KiB, 2, 64_KiB);
    }
  }
  list("random-then-normal")
      .Advise(HostAdvice::kRandom)
      .Reads({0}, 16_KiB, 8, 16_KiB)
      .Advise(HostAdvice::kNormal)
      .Reads({128 << 10}, 16_KiB, 32, 16_KiB);
  list("random-while-a-mark-waits")
      .Reads({0}, 16_KiB, 8, 16_KiB)
      .Advise(HostAdvice::kRandom)
      .Reads({128 << 10}, 16_KiB, 32, 16_KiB);
  list("dropped-and-read-again")
      .Reads({0}, 16_KiB, 16, 16_KiB)
      .Advise(HostAdvice::kDontNeed, {{0}, {4 << 20}})
      .Reads({256 << 10}, 16_KiB, 16, 16_KiB);
  list("noreuse").Advise(HostAdvice::kNoReuse).Reads({0}, 16_KiB, 32, 16_KiB);

  list("touch-in-order").Touches({0}, 256, kPage);
  list("touch-from-the-middle").Touches({2 << 20}, 128, kPage);
  list("touch-backward").Touches({3 << 20}, 128, -kPage);
  list("touch-every-16th").Touches({0}, 60, kPage * 16);
  list("touch-every-100th", 64_MiB).Touches({0}, 150, kPage * 100);
  {
    std::mt19937 random(7);
    AccessList& touches = list("touch-at-random", 64_MiB);
    for (int i = 0; i < 150; ++i) touches.Touch({static_cast<int64_t>(random() % (64 << 8)) * 4096});
    AccessList& mixed = list("touches-among-reads", 8_MiB);
    for (int64_t i = 0; i < 32; ++i) mixed.Read({i * 16384}, 16_KiB).Touch({(4 << 20) + i * 40960});
  }

  // Many calls at once: when the kernel's own window is as large as a call, when it is small, and when there is none.
  AccessList& stream = list("crowd-after-a-stream", 16_MiB).Reads({0}, 64_KiB, 2, 64_KiB);
  AccessList& after = list("crowd-after-a-read", 16_MiB).Read({0}, kPage);
  AccessList& before = list("crowd-before-any-read", 16_MiB);
  AccessList& random = list("crowd-after-a-random-read", 16_MiB).Advise(HostAdvice::kRandom).Read({0}, kPage);
  for (AccessList* crowd : {&stream, &after, &before, &random}) {
    for (int64_t i = 4; i < 40; ++i) crowd->Advise(HostAdvice::kWillNeed, will_need(i * (128 << 10), 128_KiB));
    crowd->Read({8 << 20}, kPage);
  }
  return {lists.begin(), lists.end()};
}

}  // namespace ahead::disk
