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
  Play(0, 13);
  EXPECT_EQ(Play(13, 20), (Asked{{13, 80}, {14, 144}, {15, 208}, {16, 272}, {17, 324}}));
  EXPECT_EQ(Play(20, 304), Asked{});
  EXPECT_EQ(Play(304, 310), (Asked{{304, 388}, {305, 452}, {306, 516}, {307, 580}, {308, 617}}));
  EXPECT_EQ(Play(310, 597), Asked{});
}

TEST_F(BurstTest, IsSilentWhileTheReaderPauses) {
  Play(0, 20);
  host_.now_ = host_.now_ + 3600_s;
  EXPECT_EQ(Play(20, 300), Asked{}) << "what is there lasts for as long as it did before";
}

TEST_F(BurstTest, AfterAJumpABurstIsModestUntilAsMuchWasRead) {
  Play(0, 400);
  for (const auto& [piece, end] : Play(4000, 4010)) EXPECT_LE(end, piece + 1 + 10) << "the rest is windows";
  const Asked trusted = Play(4010, 4030);
  ASSERT_FALSE(trusted.empty());
  EXPECT_GE(trusted.back().second, 4010 + 312) << "400 pieces were read before the jump";
  Play(4030, 4050);
  Play(8000, 8010);
  const Asked doubted = Play(8010, 8030);
  ASSERT_FALSE(doubted.empty());
  EXPECT_LE(doubted.back().second, 8000 + 60) << "50 pieces were read before that jump";
}

TEST_F(BurstTest, StreamsOfAMountBurstTogether) {
  Host other(8_GiB);
  other.options_.max_time = 10;
  Play(0, 160);
  const auto play_other = [&](int64_t piece) {
    other.now_ = host_.now_;
    other.congestion_ = host_.congestion_;
    return other.Read(piece * kPiece, kPiece);
  };
  for (int64_t piece = 160; piece < 304; ++piece) {
    Play(piece, piece + 1);
    play_other(piece - 160);
  }
  int64_t joined = 0;
  for (int64_t piece = 304; piece < 330; ++piece) {
    Play(piece, piece + 1);
    if (!play_other(piece - 160).empty() && joined == 0) joined = piece;
  }
  EXPECT_EQ(joined, 304) << "when the first one bursts, with half of the own burst left";
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
