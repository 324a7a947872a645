// Readers in memory that has no room for the kernel's windows.
#include <gtest/gtest.h>

#include "tests/core/host.h"

namespace ahead {
namespace {

using test::Host;

constexpr int64_t kKiB = 1 << 10;

// A reader of 64 KiB at a time whose share of memory is `share`. Every read waits.
class CrowdTest : public testing::Test {
 protected:
  CrowdTest() {
    host_.facts_.safe = 64_MiB;
    host_.hit_ = host_.miss_;
    host_.congestion_.OnMiss(2_ms);
    ShareIs(128_KiB);
  }
  void ShareIs(ByteCount share) { host_.facts_.share = host_.facts_.allowance = share; }

  Decision Next(bool own = true) {
    const Access access{
        {{at_}, {at_ + 64 * kKiB}}, host_.now_, at_ == 0, HostAdvice::kNormal, own, is_hinted_,
    };
    const Decision decision = host_.policy_.Plan(access, host_.facts_, host_.filter_, host_.Around());
    if (decision.hint != Decision::Hint::kNone) is_hinted_ = decision.hint == Decision::Hint::kRandom;
    host_.Issue(decision);
    host_.now_ = host_.now_ + 2_ms;
    host_.policy_.Finish(decision, {access.range, host_.now_, 2_ms}, host_.facts_, host_.filter_, host_.Around());
    at_ += 64 * kKiB;
    return decision;
  }
  // So many others wait as well.
  void OthersWait(int32_t streams) {
    for (int32_t i = 0; i < streams; ++i) {
      Nanos counted;
      host_.congestion_.OnWaited(counted, 50_ms, host_.now_);
    }
  }

  Host host_;
  int64_t at_ = 0;
  bool is_hinted_ = false;
};

TEST_F(CrowdTest, KernelIsKeptOutFromTheFirstReadOn) {
  EXPECT_EQ(Next().hint, Decision::Hint::kRandom);
  EXPECT_EQ(Next().hint, Decision::Hint::kNone) << "once is enough";
}

TEST_F(CrowdTest, KernelIsNotKeptOutOfWhatItHasReadAheadOn) {
  ShareIs(64_MiB);
  host_.options_.ratio = 0;
  Next();
  host_.options_.ratio = 50;
  ShareIs(128_KiB);
  EXPECT_EQ(Next().hint, Decision::Hint::kNone);
}

TEST_F(CrowdTest, KernelIsNotKeptOutOfADescriptionThatOthersMayHave) {
  EXPECT_EQ(Next(false).hint, Decision::Hint::kNone);
}

TEST_F(CrowdTest, KernelIsNotKeptOutWhereItLeadsOrAdviceIsOff) {
  host_.facts_.kernel_leads = true;
  EXPECT_EQ(Next().hint, Decision::Hint::kNone);
  host_.facts_.kernel_leads = false;
  host_.options_.advice = 0;
  at_ = 0;
  EXPECT_EQ(Next().hint, Decision::Hint::kNone);
}

TEST_F(CrowdTest, KernelComesBackWhenMemoryHasRoomForItsWindows) {
  Next();
  ShareIs(1020_KiB);
  EXPECT_EQ(Next().hint, Decision::Hint::kNone);
  ShareIs(1_MiB);
  EXPECT_EQ(Next().hint, Decision::Hint::kNormal);
  ShareIs(128_KiB);
  EXPECT_EQ(Next().hint, Decision::Hint::kNone) << "it has read ahead by then";
}

TEST_F(CrowdTest, NothingIsAskedForWhereOneReadIsWhatFits) {
  Next();
  for (int i = 0; i < 8; ++i) {
    OthersWait(32);
    EXPECT_TRUE(Next().empty()) << "the kernel fetches the read";
  }
}

TEST_F(CrowdTest, ReaderInACrowdGetsTheRestOfItsPieceAndNothingAhead) {
  ShareIs(160_KiB);
  for (int i = 0; i < 4; ++i) Next();
  int asked = 0;
  for (int i = 0; i < 8; ++i) {
    OthersWait(32);
    const Decision decision = Next();
    if (decision.empty()) continue;
    ++asked;
    EXPECT_EQ(decision.limit.value, AlignUp(at_, 128 * kKiB));
  }
  EXPECT_EQ(asked, 3) << "two reads a piece, and the first two have theirs from before";
}

TEST_F(CrowdTest, ReaderInACrowdReadsWhatItHasBeforeItWaits) {
  ShareIs(160_KiB);
  OthersWait(32);
  Next();
  OthersWait(32);
  Next();
  for (int i = 0; i < 8; ++i) {
    OthersWait(32);
    const bool has_some = host_.policy_.OutstandingPages() > 0;
    EXPECT_EQ(Next().empty(), has_some);
  }
}

TEST_F(CrowdTest, ReaderInACrowdThatTheKernelHasReadForIsLeftToIt) {
  for (int i = 0; i < 4; ++i) Next(false);
  for (int i = 0; i < 8; ++i) {
    OthersWait(32);
    EXPECT_TRUE(Next(false).empty());
  }
}

}  // namespace
}  // namespace ahead
