#include "stats/owner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/stats/processes.h"

namespace ahead {
namespace {

TEST(OwnerTest, SurvivesEncodingAtItsLimits) {
  for (const Owner& owner : {Owner{Owner::State::kLive, 4194303, (uint64_t{1} << 40) - 1},
                             Owner{Owner::State::kClaiming, 1, 0}, Owner{Owner::State::kFree, 0, 0}})
    EXPECT_EQ(Owner::Decode(owner.Encode()), owner);
  EXPECT_EQ(Owner{}.Encode(), 0u) << "zeroed memory must read as free blocks";
}

TEST(OwnerTest, StartsBeforeNowAndKeepsItsStartAcrossExec) {
  const uint64_t start = StartTicks("/proc/self/stat");
  EXPECT_GT(start, 0u);
  EXPECT_LE(start, NowTicks());
}

TEST(OwnerTest, ReadsTheStartTimeBehindACommandWithParenthesesAndSpaces) {
  const TemporaryFolder folder;
  std::ofstream(folder / "stat") << "7 (a) 1 2 (b) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n";
  EXPECT_EQ(StartTicks((folder / "stat").c_str()), 987654u);
  std::ofstream(folder / "short") << "7 (a) S 1 2\n";
  EXPECT_EQ(StartTicks((folder / "short").c_str()), 0u);
  EXPECT_EQ(StartTicks((folder / "missing").c_str()), 0u);
}

TEST(OwnerTest, ALivingProcessIsNotGone) { EXPECT_FALSE(IsGone({Owner::State::kLive, getpid(), NowTicks()})); }

TEST(OwnerTest, AProcessThatWasWaitedForIsGone) {
  EXPECT_TRUE(HasEnded({Owner::State::kLive, EndedProcess(), NowTicks()}));
}

TEST(OwnerTest, ANumberInUseAgainBelongsToAnotherProcess) {
  const Owner earlier{Owner::State::kLive, getpid(), StartTicks("/proc/self/stat") - 1};
  EXPECT_FALSE(HasEnded(earlier));
  EXPECT_TRUE(IsGone(earlier));
}

TEST(OwnerTest, AClaimFromBeforeTheLastBootIsGone) {
  EXPECT_TRUE(HasEnded({Owner::State::kLive, getpid(), NowTicks() + 1000}));
}

}  // namespace
}  // namespace ahead
