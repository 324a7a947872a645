// FADV_RANDOM lies on the open file description: is it given once to a file that is read at random, and taken back
// before another program has the description? Seen from outside with strace, on a slow disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/shim/slow_disk.h"
#include "tests/shim/system_call_log.h"

namespace ahead::shim_test {
namespace {

// So large that no two of the reads lie side by side.
constexpr size_t kFileBytes = size_t{4} << 30;

using testing::ElementsAre;
using testing::IsEmpty;

enum class Call { kRandom, kNormal, kExec, kSend };

std::ostream& operator<<(std::ostream& out, Call call) {
  return out << (call == Call::kRandom   ? "RANDOM"
                 : call == Call::kNormal ? "NORMAL"
                 : call == Call::kExec   ? "exec"
                                         : "send");
}

class HandingOnTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "strace is missing or may not trace";
    std::ofstream(disk_.Source("file")).close();
    std::filesystem::resize_file(disk_.Source("file"), kFileBytes);
    AHEAD_MOUNT_OR_SKIP(disk_, {"--latency", "200us"});
  }

  // Runs the host and returns, in their order: what it and its children told the kernel of their reads, and each start
  // of another program that has the descriptor or sending of it.
  std::vector<Call> CallsOf(const std::string& way, const Words& options = {}) {
    const std::string log = folder_.Path("log");
    Words argv = {"strace", "-f",
                  "-o",     log,
                  "-e",     "trace=fadvise64,execve,execveat,sendmsg,sendmmsg",
                  "-E",     "LD_PRELOAD=" AHEAD_LIBRARY};
    for (const std::string& option : options) argv.insert(argv.end(), {"-E", option});
    argv.insert(argv.end(), {Host("handing_on"), disk_.Shown("file"), way});
    EXPECT_EQ(RunBare(argv).status, 0) << way;
    std::ifstream lines(log);
    std::vector<Call> calls;
    bool is_started = false;
    for (std::string line; std::getline(lines, line);) {
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      if (has("POSIX_FADV_RANDOM")) calls.push_back(Call::kRandom);
      if (has("POSIX_FADV_NORMAL")) calls.push_back(Call::kNormal);
      if (has(" sendmsg(") || has(" sendmmsg(")) calls.push_back(Call::kSend);
      if ((has(" execve(") || has(" execveat(")) && !has(" ENOENT ")) {
        if (is_started && (calls.empty() || calls.back() != Call::kExec)) calls.push_back(Call::kExec);
        is_started = true;
      }
    }
    return calls;
  }

  TemporaryFolder folder_;
  SlowDisk disk_{folder_};
};

TEST_F(HandingOnTest, RandomReadsAreAdvisedOnce) { EXPECT_THAT(CallsOf("none"), ElementsAre(Call::kRandom)); }

TEST_F(HandingOnTest, AdviceIsTakenBackBeforeAnotherProgramHasTheDescription) {
  for (const char* way :
       {"execve", "execv", "execvp", "execvpe", "execl", "execle", "execlp", "fexecve", "execveat", "fork", "vfork",
        "vfork-copy", "forkpty", "posix_spawn", "posix_spawnp", "system", "popen", "wordexp"})
    EXPECT_THAT(CallsOf(way), ElementsAre(Call::kRandom, Call::kNormal, Call::kExec)) << way;
}

TEST_F(HandingOnTest, ADescriptorThatIsCopiedForAChildIsNotAdvisedAgain) {
  EXPECT_THAT(CallsOf("spawn-copy"), ElementsAre(Call::kRandom, Call::kNormal, Call::kExec));
}

TEST_F(HandingOnTest, ADescriptorThatIsSentIsNotAdvisedAgain) {
  for (const char* way : {"sendmsg", "sendmmsg"})
    EXPECT_THAT(CallsOf(way), ElementsAre(Call::kRandom, Call::kSend, Call::kNormal)) << way;
}

TEST_F(HandingOnTest, AdviceStaysWhereTheDescriptorIsClosedByExec) {
  EXPECT_THAT(CallsOf("closed"), ElementsAre(Call::kRandom, Call::kExec));
}

TEST_F(HandingOnTest, WhatAnotherProgramHasAlreadyIsNotAdvised) {
  EXPECT_THAT(CallsOf("early"), ElementsAre(Call::kExec));
}

TEST_F(HandingOnTest, WhatAForkMayHandOnIsNotAdvised) {
  EXPECT_THAT(CallsOf("early-fork-copy"), ElementsAre(Call::kExec));
}

TEST_F(HandingOnTest, AfterAFilterOfSystemCallsNothingIsAskedAtAStartOfAProgram) {
  EXPECT_THAT(CallsOf("filtered"), ElementsAre(Call::kRandom, Call::kNormal, Call::kSend));
}

TEST_F(HandingOnTest, SwitchedOffNothingIsAdvised) { EXPECT_THAT(CallsOf("none", {"AHEAD_ADVICE=off"}), IsEmpty()); }

}  // namespace
}  // namespace ahead::shim_test
