// Threads may come, go, be cancelled anywhere and live on the smallest stacks, also on such as are no thread's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/comparison.h"

namespace ahead::shim_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ThreadsTest : public ComparisonTest {};

TEST_F(ThreadsTest, ComingAndGoingWhileOthersReadChangesNoByte) {
  const Outcome outcome = ExpectSame({Host("thread_churn"), kFile});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_THAT(outcome.out, HasSubstr("through the shared offset 3000000 of 3000000, lines 50\n"));
}

TEST_F(ThreadsTest, CancelledAnywhereTheyAreUnwoundAndOthersReadOn) {
  EXPECT_THAT(
      ExpectSame({Host("cancel_anywhere"), kFile}).out,
      AllOf(HasSubstr("\nasynchronous: cancelled 150 cleaned 150"), HasSubstr("deferred: cancelled 150 cleaned 150")));
}

TEST_F(ThreadsTest, CoroutinesTakeTurnsAndMoveBetweenThreads) {
  EXPECT_THAT(ExpectSame({Host("coroutines"), kFile}).out, HasSubstr("whole "));
}

}  // namespace
}  // namespace ahead::shim_test
