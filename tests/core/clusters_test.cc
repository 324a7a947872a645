// Reads in clusters: what is fetched for them, and when that ends.
#include "core/clusters.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kFilePages = 256 << 20 >> 12;

uint64_t Mixed(int64_t number) {
  const uint64_t product = static_cast<uint64_t>(number + 1) * 0x9e3779b97f4a7c15;
  return (product ^ product >> 29) * 0xbf58476d1ce4e5b9;
}

// The pages of a block in an order without neighbours or equal distances, another one for each.
int64_t Shuffled(int64_t block, int64_t i) {
  constexpr int64_t kOrder[] = {3, 12, 7, 0, 10, 5, 14, 1, 9, 15, 4, 2, 11, 6, 13, 8};
  return kOrder[i] ^ static_cast<int64_t>(Mixed(block) >> 60);
}

// Far from blocks of other numbers, and at no regular distance.
int64_t PlaceOf(int64_t block) {
  return static_cast<int64_t>(Mixed(block) >> 20 & (kFilePages / Clusters::kBlock - 1)) * Clusters::kBlock;
}

class ClusterHost : public Host {
 public:
  // Reads `pages` pages of a block. Returns the decisions that asked for a block; streams that come up by chance are
  // another matter.
  std::vector<Decision> ReadBlock(int64_t block, int64_t pages) {
    std::vector<Decision> asked;
    for (int64_t i = 0; i < pages; ++i) {
      const Decision decision = Read((PlaceOf(block) + Shuffled(block, i)) * kPage, kPage);
      if (decision.method == Class::onseek) asked.push_back(decision);
    }
    return asked;
  }
};

SlotRange Page(int64_t page) { return {page, page + 1}; }

TEST(ClustersTest, ABlockIsFetchedAtItsFirstReadWhenTheLastOneWasReadWhole) {
  ClusterHost host;
  host.ReadBlock(0, 16);
  const std::vector<Decision> asked = host.ReadBlock(1, 16);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].method, Class::onseek);
  EXPECT_EQ(asked[0].Piece(0), (ByteRange{{PlaceOf(1) * kPage}, {(PlaceOf(1) + 16) * kPage}}));
  EXPECT_EQ(asked[0].pieces, 1);
}

TEST(ClustersTest, WhatIsLeftOfTheFirstBlockIsFetchedOnceHalfOfItWasRead) {
  ClusterHost host;
  EXPECT_TRUE(host.ReadBlock(0, 7).empty());
  EXPECT_EQ(host.Read((PlaceOf(0) + Shuffled(0, 7)) * kPage, kPage).method, Class::onseek);
}

TEST(ClustersTest, BlocksOfWhichFewPagesAreReadAreNeverFetched) {
  ClusterHost host;
  for (int64_t block = 0; block < 100; ++block) EXPECT_TRUE(host.ReadBlock(block, 4).empty()) << block;
}

TEST(ClustersTest, WhatIsFetchedIsReadAndCountedAsHit) {
  ClusterHost host;
  for (int64_t block = 0; block < 20; ++block) host.ReadBlock(block, 16);
  // Of the first block it is not known which pages were there already.
  EXPECT_LE(host.Sum(Event::readahead, Class::onseek),
            host.Sum(Event::readahead_hit, Class::onseek) + Clusters::kBlock / 2);
  EXPECT_GE(host.Sum(Event::readahead_hit, Class::onseek), 18 * 16);
}

TEST(ClustersTest, ABlockNotReadWholeClosesIt) {
  ClusterHost host;
  for (int64_t block = 0; block < 4; ++block) host.ReadBlock(block, 16);
  int64_t asked = 0;
  for (int64_t block = 4; block < 100; ++block) asked += static_cast<int64_t>(host.ReadBlock(block, 4).size());
  // Those that are read before the first one ends.
  EXPECT_LE(asked, Clusters::kBlocks + 1);
}

// Phases of both kinds in turn: each time it takes twice as many whole blocks to open it again.
TEST(ClustersTest, AlternatingPhasesDoNotFlap) {
  ClusterHost host;
  int64_t wasted = 0;
  for (int64_t phase = 0; phase < 40; ++phase) {
    for (int64_t block = 0; block < 10; ++block) host.ReadBlock(phase * 30 + block, 16);
    for (int64_t block = 10; block < 30; ++block)
      wasted += static_cast<int64_t>(host.ReadBlock(phase * 30 + block, 2).size());
  }
  EXPECT_LE(wasted, 5 * (Clusters::kBlocks + 1));
}

// With hit_rate 4 a block of which four pages are read is as good as a whole one.
TEST(ClustersTest, HitRateSaysHowManyPagesMayBeFetchedForOneRead) {
  ClusterHost one;
  ClusterHost four;
  four.options_.hit_rate = 4;
  for (int64_t block = 0; block < 50; ++block) {
    one.ReadBlock(block, 5);
    four.ReadBlock(block, 5);
  }
  EXPECT_EQ(one.Sum(Event::readahead, Class::onseek), 0);
  EXPECT_GE(four.Sum(Event::readahead, Class::onseek), 45 * 16);
}

TEST(ClustersTest, ScanAmongClustersGetsItsStream) {
  ClusterHost host;
  for (int64_t block = 0; block < 4; ++block) host.ReadBlock(block, 16);
  constexpr int64_t kScan = 100 << 20;
  int64_t most = 0;
  for (int64_t i = 0; i < 128; ++i) {
    const Decision decision = host.Read(kScan + i * kPage, kPage);
    if (!decision.empty()) most = std::max(most, (decision.Piece(decision.pieces - 1).end - ByteOffset{kScan}).value);
    host.ReadBlock(10 + i, 16);
  }
  EXPECT_GE(most, 1 << 20) << "beyond what it had read by then: 512 KiB";
}

TEST(ClustersTest, APageReadAgainCountsOnce) {
  Clusters clusters;
  for (int i = 0; i < 100; ++i) clusters.Note(Page(5), kFilePages, 1);
  EXPECT_FALSE(clusters.is_open());
  EXPECT_EQ(clusters.Note(Page(5), kFilePages, 1)->count, 1);
}

TEST(ClustersTest, TheLastBlockOfAFileIsWholeWhenItsPagesAreRead) {
  Clusters clusters;
  for (int64_t page = 32; page < 42; ++page) clusters.Note(Page(page), 42, 1);
  EXPECT_TRUE(clusters.is_open());
}

TEST(ClustersTest, AReadOfTwoBlocksIsOfNone) {
  Clusters clusters;
  EXPECT_EQ(clusters.Note({15, 17}, kFilePages, 1), nullptr);
  EXPECT_EQ(clusters.Note({}, kFilePages, 1), nullptr);
}

// Blocks that a stream went through were read whole; that says little of reads at random.
TEST(ClustersTest, AfterAPhaseInOrderFewBlocksAreFetchedForReadsAtRandom) {
  ClusterHost host;
  for (int64_t page = 0; page < 4096; ++page) host.Read(page * kPage, kPage);
  std::vector<Decision> asked;
  for (int64_t block = 300; block < 600; ++block)
    for (const Decision& decision : host.ReadBlock(block, 1)) asked.push_back(decision);
  EXPECT_LE(asked.size(), 2u);
}

// Of readers that are each in a block of their own, none waits for the others' to be read.
TEST(ClustersTest, BlocksThatWereReadWholeLetMoreBeFetchedAtATime) {
  ClusterHost host;
  for (int64_t block = 0; block < 8; ++block) host.ReadBlock(block, 16);
  int64_t asked = 0;
  for (int64_t block = 10; block < 15; ++block) asked += host.ReadBlock(block, 1).size() == 1 ? 1 : 0;
  EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace ahead::test
