// Whatever the host does, the account is right: issued = hit + wasted + outstanding, for each class, and no request
// leaves the file; with any size of page.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

class PropertyTest : public testing::TestWithParam<std::tuple<uint32_t, ByteCount>> {};

// A mixture of all patterns, jumps, evictions, drops and odd sizes.
void Misbehave(Host& host, std::mt19937& random, std::vector<Filter>& filters) {
  const auto pick = [&](int64_t below) { return static_cast<int64_t>(random() % static_cast<uint64_t>(below)); };
  const int64_t size = host.facts_.file_size.value;
  const int64_t start = pick(size);
  const int64_t count = 1 + pick(pick(3) == 0 ? 2 << 20 : 70'000);
  const int64_t step = pick(2) == 0 ? count : pick(2) == 0 ? -count : pick(4 << 20) - (2 << 20);
  const int64_t reads = 1 + pick(60);
  Filter& filter = filters[static_cast<size_t>(pick(static_cast<int64_t>(filters.size())))];
  host.drop_from_ = pick(5) == 0 ? static_cast<int32_t>(pick(6)) : INT32_MAX;
  host.sure_ = pick(4) != 0;
  host.hit_ = Nanos{pick(3) == 0 ? 400'000 : 1'000};
  if (pick(10) == 0) host.cache_.clear();
  for (int64_t i = 0; i < reads; ++i) {
    const int64_t offset = start + i * step + (pick(20) == 0 ? pick(100'000) : 0);
    if (offset < 0) break;
    const Decision decision = host.Read(offset, count, filter, pick(50) == 0);
    for (int32_t piece = 0; piece < decision.pieces; ++piece) {
      ASSERT_GE(decision.Piece(piece).begin.value, 0);
      ASSERT_LE(decision.Piece(piece).end.value, size);
      ASSERT_LE(decision.Piece(piece).size().value, std::max<int64_t>(host.facts_.piece.value, count));
    }
  }
}

TEST_P(PropertyTest, IssuedIsHitPlusWastedPlusOutstanding) {
  std::mt19937 random(std::get<0>(GetParam()));
  Host host(ByteCount{1 + static_cast<int64_t>(random() % (64u << 20))});
  host.facts_.page = std::get<1>(GetParam());
  std::vector<Filter> filters(3);
  for (int round = 0; round < 60; ++round) {
    Misbehave(host, random, filters);
    if (testing::Test::HasFatalFailure()) return;
    for (size_t index = 0; index < kClassCount; ++index) {
      const Class cls = static_cast<Class>(index);
      ASSERT_EQ(host.Sum(Event::readahead, cls), host.Sum(Event::readahead_hit, cls) +
                                                     host.Sum(Event::readahead_waste, cls) +
                                                     host.policy_.OutstandingPages(cls))
          << "class " << index << ", round " << round;
    }
  }
  for (Filter& filter : filters) host.policy_.Detach(filter, host.facts_, host.Around());
  host.policy_.Forget(host.facts_, host.Around());
  EXPECT_EQ(host.policy_.OutstandingPages(), 0);
  EXPECT_EQ(host.Sum(Event::readahead), host.Sum(Event::readahead_hit) + host.Sum(Event::readahead_waste));
}

// The pages of x86 and of the kernels for arm64.
INSTANTIATE_TEST_SUITE_P(SeedsAndPages, PropertyTest,
                         testing::Combine(testing::Range(1u, 41u), testing::Values(4_KiB, 16_KiB, 64_KiB)));

// What the filter lets pass would have decided nothing.
TEST(AbsorptionTest, AnAbsorbedReadIsOneThatPlanWouldAnswerWithNothing) {
  std::mt19937 random(7);
  int64_t compared = 0;
  for (int round = 0; round < 200; ++round) {
    Host host(64_MiB);
    const int64_t count = int64_t{4096} << random() % 5;
    const int64_t start = static_cast<int64_t>(random() % 100) * 65536;
    for (int64_t i = 0; i < 200; ++i) {
      const int64_t offset = start + i * count;
      if (host.filter_.Passes({offset}, {count}) && !host.policy_.passive()) {
        AdaptivePolicy shadow = host.policy_;
        Congestion congestion = host.congestion_;
        Ledger ledger{};
        Filter open;  // nothing passes: the shadow has to decide
        const Decision decision = shadow.Plan({{{offset}, {offset + count}}, host.now_, false}, host.facts_, open,
                                              {host.options_, congestion, host.learnt_, ledger});
        ASSERT_TRUE(decision.empty()) << "round " << round << " read " << i;
        ++compared;
      }
      host.Read(offset, count);
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace ahead::test
