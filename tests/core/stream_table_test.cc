// The readers of one file: which of them a read belongs to, and what it costs to have room for many.
#include "core/stream_table.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <vector>

#include "core/adaptive_policy.h"
#include "tests/core/host.h"

namespace ahead {
namespace {

TEST(StreamTableTest, GoesThroughLiveStreamsOnlyThoughOneEnds) {
  StreamTable table;
  Stream& first = table.Make(1);
  Stream& second = table.Make(2);
  table.Make(3);
  table.End(second);
  std::vector<uint32_t> ticks;
  for (Stream& stream : table) {
    ticks.push_back(stream.tick);
    table.End(first);
  }
  EXPECT_EQ(ticks, (std::vector<uint32_t>{1, 3}));
}

TEST(StreamTableTest, AStreamThatTookTheOthersPlaceIsAnotherOne) {
  StreamTable table;
  Stream& before = table.Make(1);
  const StreamId id = table.IdOf(before);
  EXPECT_EQ(table.Find(id), &before);
  table.End(before);
  EXPECT_EQ(table.Find(id), nullptr);
  Stream& after = table.Make(2);
  EXPECT_EQ(&after, &before) << "the place is used again";
  EXPECT_EQ(table.Find(id), nullptr);
  EXPECT_NE(table.IdOf(after).generation, id.generation);
}

TEST(StreamTableTest, TheOneThatHasNotReadForLongestIsSurplusOnceItIsFull) {
  StreamTable table;
  for (uint32_t i = 0; i < StreamTable::kStreams; ++i) {
    EXPECT_EQ(table.Surplus(), nullptr);
    table.Make(100 + (i + 5) % StreamTable::kStreams);
  }
  ASSERT_NE(table.Surplus(), nullptr);
  EXPECT_EQ(table.Surplus()->tick, 100u);
}

// Memory that has not been touched yet.
class Untouched {
 public:
  explicit Untouched(size_t bytes)
      : bytes_(bytes), begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    madvise(begin_, bytes, MADV_NOHUGEPAGE);
  }
  ~Untouched() { munmap(begin_, bytes_); }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

  void* begin() const { return begin_; }
  int64_t TouchedBytes() const {
    const size_t page = static_cast<size_t>(getpagesize());
    std::vector<unsigned char> pages((bytes_ + page - 1) / page);
    EXPECT_EQ(mincore(begin_, bytes_, pages.data()), 0);
    int64_t touched = 0;
    for (const unsigned char state : pages) touched += state & 1;
    return touched * static_cast<int64_t>(page);
  }

 private:
  const size_t bytes_;
  void* const begin_;
};

TEST(StreamTableTest, PolicyOfAFileWithOneReaderTouchesTwoPages) {
  const Untouched memory(sizeof(AdaptivePolicy));
  ASSERT_NE(memory.begin(), MAP_FAILED);
  auto* const policy = new (memory.begin()) AdaptivePolicy();
  test::Host host;
  Filter filter;
  Nanos now;
  for (int64_t offset = 0; offset < 1 << 20; offset += 4096) {
    const ByteRange range{{offset}, {offset + 4096}};
    const Decision decision = policy->Plan({range, now, offset == 0}, host.facts_, filter, host.Around());
    now = now + 2_ms;
    policy->Finish(decision, {range, now, 2_ms}, host.facts_, filter, host.Around());
  }
  EXPECT_EQ(policy->ActiveStreams(), 1);
  const int64_t page = getpagesize();
  EXPECT_LE(memory.TouchedBytes(), page < 8192 ? 2 * page : page) << "of " << sizeof(AdaptivePolicy);
}

}  // namespace
}  // namespace ahead
