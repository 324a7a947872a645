// The library is not alone in a program: allocators, other preloads, libraries loaded later and the runtimes of
// sanitizers come before and after it, and must find what they find without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/shim/comparison.h"

namespace ahead::shim_test {
namespace {

using testing::HasSubstr;

const std::string kAhead = AHEAD_LIBRARY;

class NeighboursTest : public ComparisonTest {
 protected:
  // Compares the neighbour alone with both orders of the two.
  void ExpectSameBeside(const std::string& neighbour, const Words& argv) {
    const Outcome alone = RunBare(argv, {"LD_PRELOAD=" + neighbour});
    for (const std::string& both : {kAhead + ":" + neighbour, neighbour + ":" + kAhead}) {
      SCOPED_TRACE(argv[0] + " with " + both);
      const Outcome outcome = RunBare(argv, {"LD_PRELOAD=" + both});
      EXPECT_EQ(alone.out, outcome.out);
      EXPECT_EQ(alone.err, outcome.err);
      EXPECT_EQ(alone.status, outcome.status);
    }
  }
};

// Case A1: an allocator that maps its first memory calls hooks before anything is ready.
class AllocatorsTest : public NeighboursTest, public testing::WithParamInterface<const char*> {};

TEST_P(AllocatorsTest, ComeBeforeAndAfterUs) {
  const std::string allocator = GetParam();
  if (RunBare({"true"}, {"LD_PRELOAD=" + allocator}).err != "") GTEST_SKIP() << allocator << " is not installed";
  const std::string file = disk_.is_mounted() ? disk_.Path("text") : text_;
  ExpectSameBeside(allocator, {"ls", "/"});
  ExpectSameBeside(allocator, {"md5sum", file});
  ExpectSameBeside(allocator, {"sort", "--parallel=2", file});
  ExpectSameBeside(allocator, {"python3", "-c", "import sys; print(hash(open(sys.argv[1], 'rb').read()) != 0)", file});
  ExpectSameBeside(allocator, {"git", "--version"});
  ExpectSameBeside(allocator, {Host("kinds_of_children"), file});
  ExpectSameBeside(allocator, {Host("thread_churn"), file});
  ExpectSameBeside(allocator, {Host("early_reader"), file});
  ExpectSameBeside(allocator, {Host("late_work"), file});
  ExpectSameBeside(allocator, {Host("fork_storm"), file, "10"});
}

std::string NameOf(const testing::TestParamInfo<const char*>& allocator) {
  std::string name = allocator.param;
  return name.substr(3, name.find_first_of(".") - 3);
}

INSTANTIATE_TEST_SUITE_P(Each, AllocatorsTest,
                         testing::Values("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"), NameOf);

// Ours asks the kernel past all others: whichever comes first, the other one sees the host's calls and no more.
TEST_F(NeighboursTest, OtherPreloadsSeeTheHostsCallsOnly) {
  const Words argv = {Host("stdio_mixtures"), text_};
  ExpectSameBeside(AHEAD_COUNTING_PRELOAD, argv);
  ExpectSameBeside(AHEAD_COUNTING_PRELOAD, {Host("entry_points"), text_});
  ExpectSameBeside(AHEAD_COUNTING_PRELOAD, {Host("kinds_of_children"), text_});
  ExpectSameBeside(AHEAD_COUNTING_PRELOAD, {"cp", text_, "/dev/null"});
  EXPECT_THAT(RunBare(argv, {"LD_PRELOAD=" + kAhead + ":" AHEAD_COUNTING_PRELOAD}).err, HasSubstr("opens "));
}

TEST_F(NeighboursTest, TheLibraryGivenTwiceIsOne) {
  ExpectSameAs({Host("entry_points"), text_}, {}, {"LD_PRELOAD=" + kAhead + ":" + kAhead});
}

TEST_F(NeighboursTest, LibrariesLoadedLaterReadInAnyNameSpace) {
  EXPECT_THAT(ExpectSame({Host("loader_storm"), kFile, AHEAD_PLUGIN}).out,
              HasSubstr("read is there: 1, next: 1, wrong 0\n"));
}

// A sanitizer's runtime insists on being first. The address sanitizer can be told not to; the thread sanitizer's is
// part of the program and finds the functions behind ours.
class SanitizedHostsTest : public NeighboursTest, public testing::WithParamInterface<const char*> {};

TEST_P(SanitizedHostsTest, ReadUnderThePreload) {
  const std::string kind = GetParam();
  const Words variables = {"ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
  // The thread sanitizer cannot stand raw clones, threads that end without it, and at times signals that are waited
  // for.
  const Words names = kind == "thread" ? Words{"entry_points", "stdio_mixtures"}
                                       : Words{"entry_points", "kinds_of_children", "thread_churn"};
  for (const std::string& name : names) {
    const std::string host = Host(name + "-" + kind);
    if (!std::filesystem::exists(host)) GTEST_SKIP() << "the compiler has no " << kind << " sanitizer";
    SCOPED_TRACE(host);
    const std::string file = disk_.is_mounted() ? disk_.Path("text") : text_;
    Words preloaded = variables;
    preloaded.push_back("LD_PRELOAD=" + kAhead);
    ExpectSameAs({host, file}, variables, preloaded);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, SanitizedHostsTest, testing::Values("address", "thread", "undefined"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace ahead::shim_test
