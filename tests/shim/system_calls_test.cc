// What the host asks of the kernel, seen from outside with strace: under the preload none of its calls is missing,
// doubled, changed or out of order, and what comes on top is only what the library is known to ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "tests/shim/host.h"
#include "tests/shim/system_call_log.h"

namespace ahead::shim_test {
namespace {

constexpr size_t kTextBytes = 1'000'000;

class SystemCallsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RunBare({"strace", "-o", "/dev/null", "true"}).status != 0)
      GTEST_SKIP() << "strace is missing or may not trace";
  }

  // Returns the calls from the first one that names the file, without what differs between two bare runs: addresses,
  // random bytes, numbers of children, when signals come, what strace finds behind an array.
  std::vector<std::string> CallsOf(const Words& host, const Words& variables) {
    const std::string log = folder_.Path("log");
    Words argv = {"strace", "-o", log};
    for (const std::string& variable : variables) argv.insert(argv.end(), {"-E", variable});
    argv.insert(argv.end(), host.begin(), host.end());
    EXPECT_NE(RunBare(argv).status, 127);
    std::ifstream lines(log);
    std::vector<std::string> calls;
    const std::regex address("0x[0-9a-f]{6,}");
    const std::regex chance(R"((getrandom|brk)\(.*|---.*)");
    const std::regex child(R"((clone3?|vfork|wait4)\(.*)");
    const std::regex wild_vector(R"(readv\(.* = -1 EINVAL .*)");
    bool began = false;
    for (std::string line; std::getline(lines, line);) {
      began = began || (line.rfind("openat(", 0) == 0 && line.find(host[1]) != std::string::npos);
      if (!began || std::regex_match(line, chance)) continue;
      if (std::regex_match(line, child)) line.resize(line.find('('));
      if (std::regex_match(line, wild_vector)) line = "readv = -1 EINVAL";
      calls.push_back(std::regex_replace(line, address, "ADDRESS"));
    }
    return calls;
  }

  void ExpectOnlyOursOnTop(const Words& host) {
    const std::vector<std::string> bare = CallsOf(host, {});
    const std::vector<std::string> preloaded = CallsOf(host, {"LD_PRELOAD=" AHEAD_LIBRARY});
    ASSERT_FALSE(bare.empty());
    size_t next = 0;
    for (const std::string& call : preloaded) {
      if (next < bare.size() && call == bare[next])
        ++next;
      else
        ASSERT_TRUE(IsOwnCall(call)) << call << "\nexpected: " << (next < bare.size() ? bare[next] : "end");
    }
    EXPECT_EQ(next, bare.size()) << "missing: " << bare[next];
  }

  TemporaryFolder folder_;
  const std::string text_ = folder_.WriteText("text", kTextBytes);
};

TEST_F(SystemCallsTest, CallsThatFailAreMadeOnceAndUnchanged) { ExpectOnlyOursOnTop({Host("errno_table"), text_}); }

TEST_F(SystemCallsTest, EachWayInMakesItsOwnCalls) { ExpectOnlyOursOnTop({Host("entry_points"), text_}); }

TEST_F(SystemCallsTest, StdioMakesItsOwnCalls) { ExpectOnlyOursOnTop({Host("stdio_mixtures"), text_}); }

TEST_F(SystemCallsTest, BackwardReaderMakesItsOwnCalls) { ExpectOnlyOursOnTop({Host("backward"), text_}); }

TEST_F(SystemCallsTest, SmallFileCostsALookAndNoTables) {
  const std::string small = folder_.WriteText("small", 3000);
  const std::regex allowed(R"((statx|lseek|sigaltstack|prctl)\(.*)");
  const std::vector<std::string> bare = CallsOf({"/bin/cat", small}, {});
  const std::vector<std::string> preloaded = CallsOf({"/bin/cat", small}, {"LD_PRELOAD=" AHEAD_LIBRARY});
  ASSERT_FALSE(bare.empty());
  EXPECT_LE(preloaded.size(), bare.size() + 5);
  for (const std::string& call : preloaded) {
    if (std::find(bare.begin(), bare.end(), call) != bare.end()) continue;
    EXPECT_TRUE(std::regex_match(call, allowed)) << call;
  }
}

TEST_F(SystemCallsTest, SwitchedOffAddsNothing) {
  const Words host = {Host("entry_points"), text_};
  EXPECT_EQ(CallsOf(host, {}), CallsOf(host, {"LD_PRELOAD=" AHEAD_LIBRARY, "AHEAD_OFF=1"}));
}

// Case A16: after a refusal it stops asking.
TEST_F(SystemCallsTest, RefusedReadaheadIsNotRepeated) {
  if (RunBare({Host("deny"), "--", "true"}).status != 0) GTEST_SKIP() << "no system call filter may be set here";
  const std::string log = folder_.Path("log");
  const std::string file = folder_.WriteText("file", 4 << 20);
  ASSERT_EQ(RunBare({"strace", "-f", "-e", "trace=readahead", "-o", log, "-E", "LD_PRELOAD=" AHEAD_LIBRARY,
                     Host("deny"), "readahead=22", "--", Host("backward"), file})
                .status,
            0);
  std::ifstream lines(log);
  int failed = 0;
  for (std::string line; std::getline(lines, line);) failed += line.find("EINVAL") != std::string::npos;
  EXPECT_LT(failed, 5);
}

TEST_F(SystemCallsTest, PipesAndProcfsAreNeverReadAhead) {
  const std::string log = folder_.Path("log");
  const std::string script =
      "cat /proc/cpuinfo /proc/self/status > /dev/null; seq 20000 | cat | cat > /dev/null; "
      "dd if=/dev/zero of=/dev/null count=1000 2> /dev/null";
  ASSERT_EQ(RunBare({"strace", "-f", "-e", "trace=readahead,fadvise64,madvise", "-o", log, "-E",
                     "LD_PRELOAD=" AHEAD_LIBRARY, "sh", "-c", script})
                .status,
            0);
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(line.find("readahead("), std::string::npos) << line;
}

}  // namespace
}  // namespace ahead::shim_test
