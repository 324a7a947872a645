#include "cli/job.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace ahead::cli {
namespace {

TEST(JobTest, StatusOfADeathIsTheSameWithAndWithoutCore) {
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(0, SIGSEGV)), 128 + SIGSEGV);
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(0, SIGSEGV) | WCOREFLAG), 128 + SIGSEGV);
  EXPECT_EQ(ShellStatusOf(W_EXITCODE(200, 0)), 200);
}

}  // namespace
}  // namespace ahead::cli
