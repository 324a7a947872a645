#include "cli/touched_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "cli/timed_run.h"
#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

using testing::ElementsAre;

bool MayTrace() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class OpenWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!MayTrace()) GTEST_SKIP() << "tracing is not allowed here";
  }

  // Runs a shell command in the folder; afterwards `touched_` holds what it read.
  TimedRun Watch(const std::string& shell_command) {
    const std::vector<std::string> words = {"/bin/sh", "-c", "cd " + folder_.path() + "; " + shell_command};
    const SignalScope signals({SIGCHLD});
    Environment environment = Environment::Inherited();
    OpenWatch watch;
    TimedRun run = RunTimed(
        [&](const Streams& streams) { return watch.Start(words[0], words, environment, signals, streams); }, signals);
    touched_ = watch.Files();
    RemoveSystemFiles(touched_, {"/bin/sh"});
    return run;
  }

  test::Folder folder_;
  std::vector<std::string> touched_;
};

TEST_F(OpenWatchTest, FilesReadByTheCommandAndItsChildrenAreSeen) {
  const std::string a = folder_.Write("a", "text");
  const std::string b = folder_.Write("below/b", "text");
  folder_.Write("unread", "text");
  folder_.Write("empty", "");
  const TimedRun run = Watch("cat a a empty; (cd below; cat b >/dev/null) & wait; stat unread >/dev/null; exit 4");
  EXPECT_THAT(touched_, ElementsAre(a, b));
  EXPECT_EQ(WEXITSTATUS(run.wait_status), 4);
  EXPECT_EQ(run.output.start, "texttext");
}

TEST_F(OpenWatchTest, FilesWrittenAndFilesGoneAreNotListed) {
  const std::string a = folder_.Write("a", "text");
  folder_.Write("out", "old");
  folder_.Write("temporary", "text");
  Watch("cat a >out; cat temporary; rm temporary");
  EXPECT_THAT(touched_, ElementsAre(a));
}

TEST_F(OpenWatchTest, ExecutableMappingsAreCode) {
  const std::string library = folder_ / "libahead.so";
  std::filesystem::copy_file(STAND_IN, library);
  const std::string a = folder_.Write("a", "text");
  Watch("LD_PRELOAD=" + library + " cat a");
  EXPECT_THAT(touched_, ElementsAre(a));
}

TEST_F(OpenWatchTest, ProcessThatRunsOnCanStillOpenFiles) {
  folder_.Write("a", "text");
  int gate[2], done[2];
  ASSERT_EQ(pipe(gate), 0);
  ASSERT_EQ(pipe(done), 0);
  // It waits until the gate is closed, after the command has ended, and holds `done` as long as it lives.
  const TimedRun run =
      Watch(absl::StrCat("(cat <&", gate[0], "; cat a >out) ", gate[1], ">&- ", done[0], ">&- & exit 3"));
  EXPECT_EQ(WEXITSTATUS(run.wait_status), 3);
  close(gate[1]);
  close(done[1]);
  char none;
  EXPECT_EQ(read(done[0], &none, 1), 0);
  close(gate[0]);
  close(done[0]);
  EXPECT_EQ(test::ReadFile(folder_ / "out"), "text");
}

TEST_F(OpenWatchTest, SignalsStillReachTheCommand) {
  const TimedRun run = Watch("trap 'echo caught' USR1; kill -USR1 $$; kill -TERM $$");
  EXPECT_EQ(run.output.start, "caught\n");
  ASSERT_TRUE(WIFSIGNALED(run.wait_status));
  EXPECT_EQ(WTERMSIG(run.wait_status), SIGTERM);
}

TEST(FilesNamedByTest, FilesAndTheContentsOfFoldersAreFound) {
  test::Folder folder;
  const std::string a = folder.Write("a", "x");
  const std::string b = folder.Write("below/deeper/b", "x");
  std::filesystem::create_symlink(a, folder / "below/link");
  folder.Write("elsewhere", "x");
  EXPECT_THAT(FilesNamedBy({folder / "elsewhere", "-n", a, folder / "below", "nonexistent"}), ElementsAre(a, b))
      << "the first word is the program";
}

TEST(RemoveSystemFilesTest, FilesOfTheSystemStayOutUnlessNamed) {
  const std::vector<std::string> all = {"/data/x", "/etc/passwd", "/usr/share/y"};
  std::vector<std::string> files = all;
  RemoveSystemFiles(files, {"/usr/bin/cat", "/data"});
  EXPECT_THAT(files, ElementsAre("/data/x"));
  files = all;
  RemoveSystemFiles(files, {"find", "/usr"});
  EXPECT_EQ(files, all);
}

}  // namespace
}  // namespace ahead::cli
