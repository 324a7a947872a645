// What cannot be read is not asked for again.
#include <gtest/gtest.h>

#include "core/failed_ranges.h"
#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kPiece = 32 * kPage;

// Fails a read of a piece at `offset`. Returns what was asked for before it.
Decision FailAt(Host& host, int64_t offset) {
  const ByteRange range{{offset}, {offset + kPiece}};
  const Decision decision = host.policy_.Plan({range, host.now_, false}, host.facts_, host.filter_, host.Around());
  host.Issue(decision);
  host.now_ = host.now_ + 1_s;
  host.policy_.Finish(decision, {{{offset}, {offset}}, host.now_, 1_s, true}, host.facts_, host.filter_, host.Around());
  return decision;
}

bool Touches(const Decision& decision, int64_t begin, int64_t end) {
  for (int32_t i = 0; i < decision.pieces; ++i)
    if (decision.Piece(i).begin.value < end && begin < decision.Piece(i).end.value) return true;
  return false;
}

TEST(FailedTest, RangeIsNotAskedForTwice) {
  Host host;
  for (int64_t piece = 0; piece < 20; ++piece) host.Read(piece * kPiece, kPiece);
  FailAt(host, 20 * kPiece);
  EXPECT_TRUE(FailAt(host, 20 * kPiece).empty());
  host.cache_.clear();
  int64_t asked = 0;
  for (int64_t piece = 0; piece < 20; ++piece) {
    const Decision decision = host.Read(piece * kPiece, kPiece);
    EXPECT_FALSE(Touches(decision, 20 * kPiece, 21 * kPiece)) << piece;
    asked += decision.pieces;
  }
  EXPECT_GT(asked, 0) << "another reader of what comes before";
}

TEST(FailedTest, StreamStopsThereAndGoesOnBehind) {
  Host host;
  for (int64_t piece = 0; piece < 20; ++piece) host.Read(piece * kPiece, kPiece);
  ASSERT_GT(host.policy_.OutstandingPages(), 0);
  FailAt(host, 20 * kPiece);
  EXPECT_EQ(host.policy_.OutstandingPages(), 0);
  int64_t asked = 0;
  for (int64_t piece = 21; piece < 30; ++piece) {
    const Decision decision = host.Read(piece * kPiece, kPiece);
    EXPECT_FALSE(Touches(decision, 20 * kPiece, 21 * kPiece)) << piece;
    asked += decision.pieces;
  }
  EXPECT_GT(asked, 0);
}

TEST(FailedTest, FilterLetsNothingPassAfterAnError) {
  Host host;
  host.Read(0, kPage);
  ASSERT_TRUE(host.filter_.Passes({kPage}, {kPage}));
  host.filter_.Absorb({}, {-1});
  EXPECT_FALSE(host.filter_.Passes({kPage}, {kPage}));
  EXPECT_FALSE(host.filter_.Passes({kPage}, {0}));
}

TEST(FailedTest, FileThatWasTruncatedIsNotAskedForBeyondItsEnd) {
  Host host;
  for (int64_t piece = 0; piece < 20; ++piece) host.Read(piece * kPiece, kPiece);
  host.facts_.file_size = ByteCount{24 * kPiece};
  for (int64_t piece = 20; piece < 24; ++piece)
    EXPECT_FALSE(Touches(host.Read(piece * kPiece, kPiece), 24 * kPiece, INT64_MAX)) << piece;
  host.facts_.file_size = 256_MiB;
  int64_t asked = 0;
  for (int64_t piece = 24; piece < 64; ++piece) asked += host.Read(piece * kPiece, kPiece).pieces;
  EXPECT_GT(asked, 0) << "it has grown again";
}

TEST(FailedRangesTest, AllowWhatComesBefore) {
  FailedRanges failed;
  failed.Add({{100 * kPage}, {132 * kPage}});
  const Track forward = Track::Forward({kPage});
  EXPECT_EQ(failed.Before({10, 200}, forward).end, 100);
  EXPECT_EQ(failed.Before({110, 200}, forward).end, 110);
  EXPECT_EQ(failed.Before({132, 200}, forward).end, 200);
  EXPECT_EQ(failed.Before({10, 100}, forward).end, 100);
  const Track backward = Track::Backward({201 * kPage}, {kPage});  // slot s is page 200 - s
  EXPECT_EQ(failed.Before({0, 200}, backward).end, 200 - 131);
  EXPECT_EQ(failed.Before({101, 200}, backward).end, 200);
  const Track strided = Track::Strided({0}, {10 * kPage + 1}, {2 * kPage});
  EXPECT_EQ(failed.Before({0, 50}, strided).end, 10);
  EXPECT_EQ(failed.Before({14, 50}, strided).end, 50);
}

TEST(FailedRangesTest, ManyBecomeFew) {
  FailedRanges failed;
  for (int64_t i = 0; i < 20; ++i) failed.Add({{i * 1000 * kPage}, {(i * 1000 + 1) * kPage}});
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(failed.Before({i * 1000, i * 1000 + 1}, Track::Forward({kPage})).size(), 0) << i;
}

}  // namespace
}  // namespace ahead::test
