// What the host advises the kernel changes what is fetched for it.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead::test {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr ByteRange kWholeFile{{0}, {256 * kMiB}};

int64_t BytesOf(const Decision& decision) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < decision.pieces; ++i) bytes += decision.Piece(i).size().value;
  return bytes;
}

TEST(AdviceTest, RandomReadsAreFetchedNothingFor) {
  Host host;
  host.advice_ = HostAdvice::kRandom;
  for (int64_t i = 0; i < 100; ++i) EXPECT_TRUE(host.Read(i * 64 * kKiB, 64 * kKiB).empty()) << i;
  EXPECT_EQ(host.issued_pages_, 0);
}

TEST(AdviceTest, NormalAdviceTakesRandomBack) {
  Host host;
  host.advice_ = HostAdvice::kRandom;
  host.Read(0, 64 * kKiB);
  host.advice_ = HostAdvice::kNormal;
  for (int64_t i = 1; i < 6; ++i) host.Read(i * 64 * kKiB, 64 * kKiB);
  EXPECT_GT(host.issued_pages_, 0);
}

TEST(AdviceTest, OneReadProvesASequentialStream) {
  Host plain;
  EXPECT_TRUE(plain.Read(64 * kMiB, 64 * kKiB).empty());
  Host host;
  host.advice_ = HostAdvice::kSequential;
  const Decision decision = host.Read(64 * kMiB, 64 * kKiB);
  EXPECT_EQ(decision.method, Class::context);
  EXPECT_GE(BytesOf(decision), kMiB - 64 * kKiB);
}

TEST(AdviceTest, FirstWindowOfASequentialReaderIsAFullOne) {
  Host plain;
  EXPECT_EQ(BytesOf(plain.Read(0, 64 * kKiB)), 128 * kKiB);
  Host host;
  host.advice_ = HostAdvice::kSequential;
  const Decision decision = host.Read(0, 64 * kKiB);
  EXPECT_EQ(decision.method, Class::initial);
  EXPECT_GE(BytesOf(decision), kMiB - 64 * kKiB);
}

TEST(AdviceTest, ReadsOfPagesUsedOnceAreNotGuessedAbout) {
  Host host;
  host.advice_ = HostAdvice::kNoReuse;
  EXPECT_TRUE(host.Read(0, 64 * kKiB).empty());
  int64_t fetched = 0;
  for (int64_t i = 1; i < 8; ++i) fetched += BytesOf(host.Read(i * 64 * kKiB, 64 * kKiB));
  EXPECT_GT(fetched, 0) << "a proved stream is carried";
}

TEST(AdviceTest, WhatTheHostDropsIsWasteAndAskedForAgain) {
  Host host;
  for (int64_t i = 0; i < 8; ++i) host.Read(i * 64 * kKiB, 64 * kKiB);
  const int64_t outstanding = host.policy_.OutstandingPages();
  ASSERT_GT(outstanding, 0);
  host.policy_.OnHostAdvice(HostAdvice::kDontNeed, kWholeFile, host.facts_, host.Around());
  host.cache_.clear();
  host.Settle();
  EXPECT_EQ(host.policy_.OutstandingPages(), 0);
  EXPECT_EQ(host.Sum(Event::readahead_waste), outstanding);
  const Decision again = host.Read(8 * 64 * kKiB, 64 * kKiB);
  EXPECT_GT(BytesOf(again), 64 * kKiB);
  host.Settle();
  EXPECT_EQ(host.Sum(Event::readahead),
            host.Sum(Event::readahead_hit) + host.Sum(Event::readahead_waste) + host.policy_.OutstandingPages());
}

TEST(AdviceTest, WhatIsDroppedBehindTheReaderChangesNothingAhead) {
  Host host;
  for (int64_t i = 0; i < 8; ++i) host.Read(i * 64 * kKiB, 64 * kKiB);
  const int64_t outstanding = host.policy_.OutstandingPages();
  host.policy_.OnHostAdvice(HostAdvice::kDontNeed, {{0}, {7 * 64 * kKiB}}, host.facts_, host.Around());
  EXPECT_EQ(host.policy_.OutstandingPages(), outstanding);
}

TEST(AdviceTest, AFileThatTheHostDroppedIsNoLongerTakenForCached) {
  Host host;
  host.Touch(kWholeFile);
  for (int64_t i = 0; i < 40; ++i) host.Read(i * 64 * kKiB, 64 * kKiB);
  ASSERT_TRUE(host.policy_.passive());
  host.policy_.OnHostAdvice(HostAdvice::kDontNeed, kWholeFile, host.facts_, host.Around());
  EXPECT_FALSE(host.policy_.passive());
}

TEST(AdviceTest, MappingOfARandomFileFetchesNothing) {
  Host host;
  EXPECT_FALSE(host.policy_.PlanMapping(kWholeFile, host.now_, host.facts_, host.Around()).empty());
  host.policy_.OnHostAdvice(HostAdvice::kRandom, kWholeFile, host.facts_, host.Around());
  EXPECT_TRUE(host.policy_.PlanMapping(kWholeFile, host.now_, host.facts_, host.Around()).empty());
  host.policy_.OnHostAdvice(HostAdvice::kNormal, kWholeFile, host.facts_, host.Around());
  EXPECT_FALSE(host.policy_.PlanMapping(kWholeFile, host.now_, host.facts_, host.Around()).empty());
}

TEST(AdviceTest, IsCountedInClassNone) {
  Host host;
  const auto advise = [&](HostAdvice advice) {
    host.policy_.OnHostAdvice(advice, {{0}, {40960}}, host.facts_, host.Around());
  };
  advise(HostAdvice::kWillNeed);
  advise(HostAdvice::kDontNeed);
  advise(HostAdvice::kSequential);
  EXPECT_EQ(host.ledger_.requests(Event::advice, Class::none), 3u);
  EXPECT_EQ(host.Sum(Event::advice, Class::none), 30);
  EXPECT_EQ(host.ledger_.requests(Event::readahead, Class::none), 1u);
  EXPECT_EQ(host.Sum(Event::readahead, Class::none), 10);
}

}  // namespace
}  // namespace ahead::test
