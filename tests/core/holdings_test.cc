#include "core/holdings.h"

#include <gtest/gtest.h>

#include <array>

namespace ahead {
namespace {

constexpr ByteCount kMemory{64 << 20};

// A file that is told of at a time on the clock.
struct Teller {
  Holdings& holdings;
  Holdings::Of of;

  void Tell(int64_t pages, int32_t streams, int64_t clock) { holdings.Tell(of, pages, streams, {clock}, kMemory); }
};

TEST(HoldingsTest, AreTheSumOfWhatEachFileToldLast) {
  Holdings holdings;
  Teller one{holdings, {}};
  Teller other{holdings, {}};
  one.Tell(10, 1, 0);
  other.Tell(5, 2, 0);
  one.Tell(7, 1, 0);
  EXPECT_EQ(holdings.Get().pages, 12);
  EXPECT_EQ(holdings.Get().streams, 3);
  other.Tell(0, 0, 0);
  EXPECT_EQ(holdings.Get().pages, 7);
  EXPECT_EQ(holdings.Get().streams, 1);
}

TEST(HoldingsTest, OfAFileThatIsNotReadEndWhenMemoryWasFilledTwice) {
  Holdings holdings;
  Teller idle{holdings, {}};
  Teller busy{holdings, {}};
  idle.Tell(10, 1, 0);
  for (int64_t clock = 0; clock < kMemory.value; clock += 1 << 20) busy.Tell(1, 1, clock);
  EXPECT_EQ(holdings.Get().streams, 2);
  for (int64_t clock = kMemory.value; clock <= kMemory.value * 2; clock += 1 << 20) busy.Tell(1, 1, clock);
  EXPECT_EQ(holdings.Get().streams, 1);
  EXPECT_EQ(holdings.Get().pages, 1);
}

TEST(HoldingsTest, OfAFileThatIsReadAgainCountOnce) {
  Holdings holdings;
  Teller idle{holdings, {}};
  Teller busy{holdings, {}};
  for (const int64_t turns : {0, 1, 2, 3, 7, 12}) {
    idle.Tell(10, 1, kMemory.value * turns);
    for (int64_t turn = turns; turn < turns + 4; ++turn) busy.Tell(1, 1, kMemory.value * turn);
    idle.Tell(10, 1, kMemory.value * (turns + 4));
    busy.Tell(1, 1, kMemory.value * (turns + 4));
    EXPECT_EQ(holdings.Get().pages, 11) << turns;
    EXPECT_EQ(holdings.Get().streams, 2) << turns;
  }
  idle.Tell(0, 0, kMemory.value * 17);
  busy.Tell(0, 0, kMemory.value * 17);
  EXPECT_EQ(holdings.Get().pages, 0);
  EXPECT_EQ(holdings.Get().streams, 0);
}

TEST(HoldingsTest, AreNeverBelowZeroWhereMemoryIsNothing) {
  Holdings holdings;
  std::array<Teller, 3> files{{{holdings, {}}, {holdings, {}}, {holdings, {}}}};
  for (int64_t clock = 0; clock < 100; ++clock) {
    Teller& file = files[static_cast<size_t>(clock % 3)];
    holdings.Tell(file.of, clock % 7, 1, {clock}, {});
    EXPECT_GE(holdings.Get().pages, 0);
    EXPECT_GE(holdings.Get().streams, 0);
    EXPECT_LE(holdings.Get().streams, 3);
  }
}

}  // namespace
}  // namespace ahead
