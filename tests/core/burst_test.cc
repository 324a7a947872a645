// Burst mode: what is asked for, and when. One page a millisecond is 4 MB/s; 10 s of that are 40.96 MB.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kPiece = 32 * kPage;

// Which read asked, and up to where, in pieces.
using Asked = std::vector<std::pair<int64_t, int64_t>>;

class BurstTest : public testing::Test {
 protected:
  BurstTest() {
    host_.options_.max_time = 10;
    host_.congestion_.OnMiss(2_ms);
  }

  // Plays pieces [from, to) at 128 KiB every 32 ms. Returns what that asked for.
  Asked Play(int64_t from, int64_t to) {
    Asked asked;
    for (int64_t piece = from; piece < to; ++piece) {
      host_.now_ = host_.now_ + 32_ms;
      const Decision decision = host_.Read(piece * kPiece, kPiece);
      if (!decision.empty()) asked.emplace_back(piece, decision.Piece(decision.pieces - 1).end.value / kPiece);
    }
    return asked;
  }

  Host host_{8_GiB};
};

// 10 s are 312 pieces, a 32nd of that 10, a 16th 20.
TEST_F(BurstTest, AsksForAsMuchAsIsPlayedAndIsSilentUntilASixteenthIsLeft) {
  Play(0, 12);
  EXPECT_EQ(Play(12, 20), (Asked{{12, 79}, {13, 143}, {14, 207}, {15, 271}, {16, 323}}));
  EXPECT_EQ(Play(20, 303), Asked{});
  EXPECT_EQ(Play(303, 310), (Asked{{303, 387}, {304, 451}, {305, 515}, {306, 579}, {307, 616}}));
  EXPECT_EQ(Play(310, 596), Asked{});
}

TEST_F(BurstTest, DoesNotBurstForWhomMemoryIsTooSmall) {
  host_.facts_.allowance = 8_MiB;  // half of which is 32 pieces
  Play(0, 40);
  for (const auto& [piece, end] : Play(40, 200)) EXPECT_LE(end, piece + 1 + 32);
}

TEST_F(BurstTest, DoesNotBurstForAReaderWhoWaits) {
  host_.hit_ = 31_ms;  // the disk gives no more
  Play(0, 40);
  for (const auto& [piece, end] : Play(40, 200)) EXPECT_LE(end, piece + 128);
}

TEST_F(BurstTest, CountsWhatIsFarAhead) {
  Play(0, 1000);
  const int64_t issued = host_.Sum(Event::readahead);
  EXPECT_EQ(issued,
            host_.Sum(Event::readahead_hit) + host_.Sum(Event::readahead_waste) + host_.policy_.OutstandingPages());
  EXPECT_EQ(host_.Sum(Event::readahead_waste), 0);
}

}  // namespace
}  // namespace ahead::test
