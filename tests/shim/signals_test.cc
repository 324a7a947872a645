// Signal handlers may read, fork and jump out wherever they come, on stacks that hold little more than their frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/comparison.h"

namespace ahead::shim_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class SignalsTest : public ComparisonTest {};

TEST_F(SignalsTest, ProfilersHandlerMayReadAThousandTimesASecond) {
  EXPECT_THAT(ExpectSame({Host("profiled"), kFile}).out, EndsWith("wrong 0\n"));
}

TEST_F(SignalsTest, HandlersMayForkWhateverTheyInterrupt) {
  EXPECT_THAT(ExpectSame({Host("forking_handler"), kFile}).out, EndsWith("bad children 0\n"));
}

TEST_F(SignalsTest, FaultsInTheMidstOfReadingAreTheHosts) {
  EXPECT_THAT(ExpectSame({Host("bad_memory"), kFile}).out, AllOf(HasSubstr("signal 11\n"), HasSubstr("signal 7\n")));
}

TEST_F(SignalsTest, ReadsAreInterruptedAsTheyWere) {
  EXPECT_THAT(ExpectSame({Host("interrupted_read"), kFile}).out,
              AllOf(HasSubstr("restarted: 1 0 handled 1"), HasSubstr("interrupted: -1 4 handled 1"),
                    HasSubstr("pending 1 1 by file 12 by sigwait 15\nblocked 2\n")));
}

// With all symbols bound: binding one at its first call takes five times as much of the stack, in a bare program too.
// What is ours (-fstack-usage): ObserveRead 592, with the facts and the decision of a read that is planned, Before 176,
// the look whether there is room for more 96, and the calls between them, in the steps of 64 that the host looks in.
TEST_F(SignalsTest, HandlersStackMayBeTheSmallest) {
  const std::string file = disk_.is_mounted() ? disk_.Path("text") : text_;
  const Outcome bare = RunBare({Host("least_stack"), file}, {"LD_BIND_NOW=1"});
  const Outcome preloaded = RunPreloaded({Host("least_stack"), file}, {"LD_BIND_NOW=1"});
  ASSERT_EQ(bare.status, 0);
  ASSERT_EQ(preloaded.status, 0);
  EXPECT_LE(std::stol(preloaded.out), std::stol(bare.out) + 896);
}

}  // namespace
}  // namespace ahead::shim_test
