// How far ahead of its reader a stream is led in time: design, fact 14.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kRead = 64 * kKiB;

class DistanceTest : public testing::Test {
 protected:
  // Reads on, 64 KiB each millisecond. Returns how many bytes that asked for.
  int64_t Read(int64_t bytes) {
    const int64_t issued = host_.issued_pages_;
    for (const int64_t end = at_ + bytes; at_ < end; at_ += kRead) {
      host_.now_ = host_.now_ + 1_ms;
      const Decision decision = host_.Read(at_, kRead);
      if (!decision.empty()) farthest_ = decision.Piece(decision.pieces - 1).end.value - at_ - kRead;
    }
    return (host_.issued_pages_ - issued) * host_.PageBytes();
  }
  void Pause() { host_.now_ = host_.now_ + 60_s; }

  Host host_{8_GiB};
  int64_t at_ = 0;
  int64_t farthest_ = 0;  // that the newest request reached ahead of the reader
};

// Four seconds of 256 KiB in eight, give or take a factor of two, and the least window of 256 KiB.
TEST_F(DistanceTest, IsNoMoreThanSecondsOfWhatIsReadBeyondTheLeastWindow) {
  Read(256 * kKiB);
  EXPECT_GT(farthest_, 512 * kKiB);
  int64_t asked = 0;
  for (int burst = 0; burst < 20; ++burst) {
    Pause();
    farthest_ = 0;
    asked += Read(256 * kKiB);
    EXPECT_LE(farthest_, 512 * kKiB) << burst;
  }
  EXPECT_GT(asked, 0);
}

TEST_F(DistanceTest, IsSmallAgainAfterAnUnusualPause) {
  Read(8 << 20);
  EXPECT_GT(Read(256 * kKiB), 0);
  Pause();
  EXPECT_EQ(Read(256 * kKiB), 0) << "what is there is more than a stream starts with";
  EXPECT_GT(Read(1 << 20), 0);
}

TEST_F(DistanceTest, IsKeptOverAPauseLikeOneBefore) {
  Read(kRead);
  Pause();
  Read(8 << 20);
  Pause();
  EXPECT_GT(Read(256 * kKiB), 0);
}

// Of a disk with an arm the latency is that of a seek: what it says is in flight has come long ago.
TEST_F(DistanceTest, OfAReaderWhoWaitsIsTwoPiecesHoweverFullTheMountSeems) {
  host_.hit_ = 1_ms;
  Read(2 << 20);
  int64_t end = at_ + farthest_;
  for (int read = 0; read < 64; ++read, at_ += kRead) {
    while (host_.congestion_.Allowed(host_.now_) > 0) host_.congestion_.OnIssued(host_.now_, 1_ms);
    const Decision decision = host_.Read(at_, kRead);
    if (!decision.empty()) end = decision.Piece(decision.pieces - 1).end.value;
    EXPECT_GE(end - at_, 256 * kKiB) << read;
  }
}

TEST(MappingDistanceTest, IsNothingForAMappingOfAMountThatKeepsNothing) {
  Host host(100_KiB);
  for (int i = 0; i < 8; ++i) host.congestion_.OnUseless(host.now_);
  ASSERT_TRUE(host.congestion_.IsPassive(host.now_));
  EXPECT_TRUE(host.policy_.PlanMapping({{0}, {4096}}, host.now_, host.facts_, host.Around()).empty());
}

// As sqlite scans a table: one page far ahead says where the next pages are, and the scan goes on where it was.
TEST(StrayTest, APageFarAheadInTheWindowMovesNoStream) {
  Host host;
  for (int64_t i = 0; i < 128; ++i) host.Read(i * 4096, 4096);
  host.Read(700 << 10, 4096);
  ASSERT_TRUE(host.Present({{700 << 10}, {704 << 10}})) << "it lies in what was fetched";
  for (int64_t i = 128; i < 256; ++i) {
    const Decision decision = host.Read(i * 4096, 4096);
    EXPECT_TRUE(decision.empty() || decision.method == Class::state) << "no other stream begins, at page " << i;
  }
  EXPECT_EQ(host.Sum(Event::random_read, Class::state), 0);
}

TEST(StrayTest, AReaderThatGoesOnFarAheadIsFollowedThere) {
  Host host;
  for (int64_t i = 0; i < 128; ++i) host.Read(i * 4096, 4096);
  int64_t asked = 0;
  for (int64_t i = 180; i < 400; ++i) {
    const Decision decision = host.Read(i * 4096, 4096);
    if (!decision.empty()) asked = decision.Piece(decision.pieces - 1).end.value;
  }
  EXPECT_GE(asked, 400 * 4096);
}

// How far a scan from the start is asked for beyond its reader when it has read 6 MiB, waiting for each piece. Of the
// look-ups beside it there is one after each `apart` reads.
int64_t MostAheadOfScan(int64_t lookups, int64_t apart = 64) {
  Host host;
  Filter scan;
  Filter other;
  int64_t most = 0;
  for (int64_t i = 0; i < 2048; ++i) {
    if (i % apart == 0 && i / apart < lookups) host.Read((128 << 20) + i * i * 4096 * 7919 % (100 << 20), 4096, other);
    host.now_ = host.now_ + 20_us;
    const Decision decision = host.Read(i * 4096, 4096, scan, i == 0);
    if (decision.empty() || i < 1536) continue;
    const int64_t ahead = decision.Piece(decision.pieces - 1).end.value - i * 4096;
    if (ahead > most) most = ahead;
  }
  return most;
}

TEST(LookUpTest, KeepsWhatIsAheadOfAScanBesideItToAFewPieces) {
  EXPECT_LE(MostAheadOfScan(32), 4 * (128 << 10) + 4096);
  EXPECT_GT(MostAheadOfScan(0), 4 * (128 << 10) + 4096);
}

TEST(LookUpTest, MeansNothingToAScanAfterIt) { EXPECT_GT(MostAheadOfScan(32, 1), 4 * (128 << 10) + 4096); }

TEST(LookUpTest, KeepsThatWhereMostLookUpsPassUnseen) {
  Host host;
  Filter filter;
  uint32_t noise = 1;
  int64_t most = 0;
  for (int64_t i = 0; i < 600; ++i) {
    for (int k = 0; k < 9; ++k) {
      noise = noise * 1664525 + 1013904223;
      host.Read((128 << 20) + static_cast<int64_t>(noise >> 17) * 4096, 4096, filter);
    }
    const Decision decision = host.Read(i * 4096, 4096, filter);
    if (decision.empty() || i < 100) continue;
    const int64_t ahead = decision.Piece(decision.pieces - 1).end.value - i * 4096;
    if (ahead > most) most = ahead;
  }
  EXPECT_GT(host.absorbed_, 2000);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 4 * (128 << 10) + 4096);
}

}  // namespace
}  // namespace ahead::test
