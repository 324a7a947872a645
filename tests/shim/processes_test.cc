// Whatever a program does with its processes, the preload changes nothing: children of every kind, programs executed in
// turn, deaths, tracers, other users and limits, descriptors all closed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/shim/comparison.h"

namespace ahead::shim_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class ProcessesTest : public ComparisonTest {};

TEST_F(ProcessesTest, ChildrenOfEveryKindReadOnWhereTheirParentWas) {
  EXPECT_THAT(ExpectSame({Host("kinds_of_children"), kFile}).out, AllOf(HasSubstr("daemon: "), HasSubstr("whole: ")));
}

TEST_F(ProcessesTest, ProgramsExecutedInTurnReadOnWhereTheLastOneWas) {
  const Outcome outcome = ExpectSame({Host("exec_relay"), kFile, "100"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 101);
}

TEST_F(ProcessesTest, DeathsAreToldAsTheyWere) {
  const Outcome outcome = ExpectSame({Host("own_death"), kFile, folder_.Path("")});
  EXPECT_THAT(outcome.out, HasSubstr("signal 6 core 0 exit -1\n"));
  EXPECT_EQ(outcome.status, 128 + 6);
}

TEST_F(ProcessesTest, TracersOfTheirOwnChildrenSeeItsReadsOnly) {
  const Outcome outcome = ExpectSame({Host("tracer"), kFile});
  if (outcome.out.find("reads") == std::string::npos) GTEST_SKIP() << "no process may be traced here";
  EXPECT_THAT(outcome.out, HasSubstr("bytes 3000000\n"));
}

TEST_F(ProcessesTest, OtherUsersLimitsAndNameSpacesChangeNothing) {
  EXPECT_THAT(ExpectSame({Host("restrictions"), kFile}).out, HasSubstr("user name space: 0 0 "));
}

TEST_F(ProcessesTest, NoDescriptorAndNoThreadIsEverOurs) {
  const Outcome outcome = ExpectSame({Host("open_numbers"), kFile});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("one by one: 0 1 2, threads 1\n"), HasSubstr("scratch 0123456789\n")));
}

// Once a filter is there the library asks the kernel nothing of its own.
TEST_F(ProcessesTest, FiltersThatKillFindTheHostsCallsOnly) {
  const Outcome outcome = ExpectSame({Host("sealed"), kFile});
  if (outcome.out.find("ended 4d00") != std::string::npos) GTEST_SKIP() << "no system call filter may be set here";
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("prctl: ended 0\n"), HasSubstr("seccomp: ended 0\n")));
}

TEST_F(ProcessesTest, SandboxLaunchersFindOneThread) {
  if (RunBare({"unshare", "-Ur", "true"}).status != 0) GTEST_SKIP() << "no user name spaces here";
  EXPECT_EQ(ExpectSame({"unshare", "-Ur", "cat", kFile}).status, 0);
}

TEST_F(ProcessesTest, ProcessLimitOfZeroIsEnough) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Words argv = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                      "prlimit", "--nproc=0",     "cat",           kFile};
  if (RunBare({"setpriv", "--reuid=65534", "cat", AHEAD_LIBRARY}).status != 0)
    GTEST_SKIP() << "another user cannot reach the library";
  ExpectSame(argv);
}

TEST_F(ProcessesTest, ShellPipelinesOfManyProcessesPrintTheSame) {
  const Outcome outcome =
      ExpectSame({"sh", "-c",
                  "for i in 1 2 3 4 5; do sort \"$0\" | uniq | wc -l; (cat \"$0\" & wait) | md5sum; "
                  "head -n 3 \"$0\" | tail -n 1; done; exec sh -c 'exec md5sum < \"$0\"' \"$0\"",
                  kFile});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, EndsWith("-\n"));
}

}  // namespace
}  // namespace ahead::shim_test
