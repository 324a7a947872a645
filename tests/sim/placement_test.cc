// Do files lie in the order of their inode numbers, each at a place of its own?
#include "sim/devices/placement.h"

#include <gtest/gtest.h>

namespace ahead::sim {
namespace {

TEST(PlacementTest, FilesLieOneAfterTheOtherByInodeNumber) {
  const Placement placement({{30, 4096_B}, {10, 10000_B}, {20, 1_B}});
  EXPECT_EQ(placement.Of(10, {0}), Position{0});
  EXPECT_EQ(placement.Of(20, {0}), Position{12288});
  EXPECT_EQ(placement.Of(30, {0}), Position{16384});
  EXPECT_EQ(placement.end(), Position{20480});
}

TEST(PlacementTest, BytesOfAFileFollowEachOther) {
  const Placement placement({{10, 4096_B}, {20, 1_MiB}});
  EXPECT_EQ(placement.Of(20, {5000}), Position{4096 + 5000});
  EXPECT_EQ(placement.Of(20, {1 << 20}), placement.end());
}

TEST(PlacementTest, AnEmptyFileTakesNoPlace) {
  const Placement placement({{10, 0_B}, {20, 4096_B}, {30, -5_B}});
  EXPECT_EQ(placement.Of(10, {0}), placement.Of(20, {0}));
  EXPECT_EQ(placement.Of(30, {0}), placement.end());
}

TEST(PlacementTest, ANameMoreForAFileMovesNothing) {
  const Placement placement({{10, 4096_B}, {10, 8192_B}, {10, 4096_B}, {20, 4096_B}});
  EXPECT_EQ(placement.Of(20, {0}), Position{8192});
}

TEST(PlacementTest, AnUnknownFileLiesBeyondTheKnownOnesWhereItsNumberSays) {
  const Placement placement({{10, 4096_B}});
  EXPECT_EQ(placement.Of(2048, {0}), Position{4096});
  EXPECT_EQ(placement.Of(2051, {100}), (Position{4096 + (3 << 26) + 100}));
  EXPECT_EQ(Placement().Of(1, {0}), Position{1 << 26});
}

}  // namespace
}  // namespace ahead::sim
