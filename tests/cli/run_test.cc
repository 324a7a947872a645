// `ahead run` as the caller of a command and as the command see it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class RunTest : public testing::Test {
 protected:
  Ended Ahead(std::vector<std::string> words) const {
    words.insert(words.begin(), {installed_.ahead(), "run"});
    return RunProgram(words);
  }
  // The value of a variable in a command under `ahead run`; `options` go to `ahead run`.
  std::string Variable(const std::string& name, std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--", "/bin/sh", "-c", "printf '%s' \"$" + name + "\""});
    return Ahead(options).output;
  }
  // One line on stderr, nothing on stdout, status 125, command not run.
  void ExpectRefused(const std::vector<std::string>& words, const std::string& said) const {
    const Ended ended = Ahead(words);
    EXPECT_TRUE(ended.exited_with(125)) << ended.wait_status;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.errors, "ahead run: " + said + "\n");
  }

  Installation installed_;
  Folder folder_;
};

TEST_F(RunTest, StatusIsTheCommandsOwn) {
  for (const int status : {0, 1, 3, 125, 126, 127, 255})
    EXPECT_TRUE(Ahead({"--", "/bin/sh", "-c", "exit " + std::to_string(status)}).exited_with(status)) << status;
}

TEST_F(RunTest, DeathBySignalIsStatus128PlusItsNumber) {
  for (const int number : {SIGKILL, SIGTERM, SIGSEGV, SIGINT, SIGHUP})
    EXPECT_TRUE(Ahead({"--", "/bin/sh", "-c", "kill -" + std::to_string(number) + " $$"}).exited_with(128 + number))
        << number;
}

TEST_F(RunTest, StatusOfACommandThatCannotBeStartedIsAShells) {
  const std::string not_executable = folder_.Write("not-executable", "text");
  const std::string no_interpreter = folder_.Write("no-interpreter", "#!/nonexistent/interpreter\n", 0755);
  const std::string garbage = folder_.Write("garbage",
                                            std::string("\x7f"
                                                        "ELF garbage\0\n",
                                                        13),
                                            0755);
  for (const std::string& command : {not_executable, no_interpreter, garbage, std::string("/"), *&folder_.path(),
                                     std::string("/nonexistent/command"), std::string("no-such-command-anywhere"),
                                     std::string("/etc/passwd/below-a-file")}) {
    const Ended ended = Ahead({"--", command});
    const Ended shell = RunProgram({"/bin/bash", "-c", "\"$0\"", command});
    EXPECT_EQ(WEXITSTATUS(ended.wait_status), WEXITSTATUS(shell.wait_status)) << command << "\n" << shell.errors;
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, HasSubstr(command));
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
  }
}

TEST_F(RunTest, ScriptWithoutInterpreterIsRunByTheShell) {
  const std::string script = folder_.Write("script", "echo \"$1\"; exit 5\n", 0755);
  const Ended ended = Ahead({"--", script, "argument"});
  EXPECT_EQ(ended.output, "argument\n");
  EXPECT_TRUE(ended.exited_with(5));
}

TEST_F(RunTest, ArgumentsArriveWordForWord) {
  const std::vector<std::string> words = {"", "a b", "[a,b]", "--", "--ratio", "-h", "--help", "x=y", "'", "\\"};
  std::vector<std::string> command = {"--", "/usr/bin/printf", "%s\n"};
  command.insert(command.end(), words.begin(), words.end());
  std::string expected;
  for (const std::string& word : words) expected += word + "\n";
  EXPECT_EQ(Ahead(command).output, expected);
}

TEST_F(RunTest, CommandMayFollowTheOptionsWithoutSeparator) {
  const Ended ended = Ahead({"--hit-rate", "2", "--max=1MiB", "/bin/echo", "--ratio", "-n"});
  EXPECT_EQ(ended.output, "--ratio -n\n");
}

TEST_F(RunTest, CommandStartsInTheStateOfItsCaller) {
  const auto prepare = [] {
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTSTP, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGALRM);
    sigprocmask(SIG_BLOCK, &some, nullptr);
    // An inherited descriptor of the caller's, far from the low numbers, and a low one that is free.
    dup2(0, 77);
  };
  // The pipes differ by number only; compare without it.
  const auto state = [&](const std::vector<std::string>& words) {
    std::string text = Process(words, prepare).Finish().output;
    for (size_t at; (at = text.find("pipe:[")) != std::string::npos;) text.erase(at, text.find(']', at) + 1 - at);
    return text;
  };
  const std::string bare = state({SUBJECT, "state"});
  EXPECT_THAT(bare, HasSubstr("signal 10 blocked default"));
  EXPECT_THAT(bare, HasSubstr("signal 17 open ignored"));
  EXPECT_THAT(bare, HasSubstr("descriptor 77 "));
  EXPECT_EQ(state({installed_.ahead(), "run", "--", SUBJECT, "state"}), bare);
}

TEST_F(RunTest, LackOfProcessesIsAheadsOwnFailure) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user who has no processes left";
  std::filesystem::permissions(installed_.prefix(), std::filesystem::perms(0755));
  const Ended ended = Process({installed_.ahead(), "run", "--", "/bin/echo", "ran"}, [] {
                        const rlimit none = {0, 0};
                        // The search for leaks at the end needs a process.
                        setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
                        setrlimit(RLIMIT_NPROC, &none);
                        if (setgid(65534) != 0 || setuid(65534) != 0) _exit(99);
                      }).Finish();
  if (ended.exited_with(99)) GTEST_SKIP() << "another user cannot reach the temporary folder";
  EXPECT_TRUE(ended.exited_with(125)) << ended.wait_status;
  EXPECT_EQ(ended.errors, "ahead run: cannot start a process: Resource temporarily unavailable\n");
}

TEST_F(RunTest, StandardDescriptorThatIsClosedStaysClosedAndIsNotTakenByOurs) {
  // What ahead says would be written into the segment, were it descriptor 2.
  const std::string script = "ls /proc/self/fd | wc -l; echo $AHEAD_SESSION";
  const auto close_errors = [] { close(2); };
  const std::string bare = Process({"/bin/sh", "-c", script}, close_errors).Finish().output;
  const std::string under =
      Process({installed_.ahead(), "run", "--", "/bin/sh", "-c", script}, close_errors).Finish().output;
  EXPECT_EQ(under.substr(0, under.find('\n')), bare.substr(0, bare.find('\n')));
  EXPECT_THAT(under, Not(EndsWith("/fd/2\n")));
  EXPECT_THAT(under, HasSubstr("/fd/"));
}

TEST_F(RunTest, LibraryIsLoadedOnceAndInFront) {
  EXPECT_EQ(Variable("LD_PRELOAD"), installed_.library());
  EXPECT_EQ(Variable("STAND_IN_LOADED"), "1");
}

TEST_F(RunTest, ExistingPreloadIsKept) {
  const std::string other = folder_ / "other.so";
  std::filesystem::copy_file(STAND_IN, other);
  const auto preload_under = [&](const std::string& existing) {
    return Process({installed_.ahead(), "run", "--", "/bin/sh", "-c", "printf '%s' \"$LD_PRELOAD\""},
                   [&] {
                     setenv("LD_PRELOAD", existing.c_str(), 1);
                     setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
                   })
        .Finish()
        .output;
  };
  EXPECT_EQ(preload_under(other), installed_.library() + ":" + other);
  EXPECT_EQ(preload_under(other + ":" + installed_.library()), other + ":" + installed_.library());
}

TEST_F(RunTest, RunInsideARunLoadsTheLibraryOnceAndHasItsOwnSession) {
  const std::string print = folder_.Write("print", "#!/bin/sh\necho \"$LD_PRELOAD $AHEAD_SESSION\"\n", 0755);
  const Ended ended = Process({installed_.ahead(), "run", "--", "/bin/sh", "-c",
                               print + "; " + installed_.ahead() + " run -- /bin/sh -c '" + print + "'"},
                              [] { setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1); })
                          .Finish();
  std::istringstream words(ended.output);
  std::string outer_preload, outer_session, inner_preload, inner_session;
  words >> outer_preload >> outer_session >> inner_preload >> inner_session;
  EXPECT_EQ(inner_preload, installed_.library());
  EXPECT_EQ(inner_preload, outer_preload);
  EXPECT_THAT(inner_session, testing::StartsWith("/proc/"));
  EXPECT_NE(inner_session, outer_session);
}

TEST_F(RunTest, SessionIsReadableWhileTheCommandRuns) {
  const Ended ended = Ahead({"--", "/bin/sh", "-c", "readlink $AHEAD_SESSION; head -c 8 $AHEAD_SESSION | wc -c"});
  EXPECT_EQ(ended.output, "/memfd:ahead-session (deleted)\n8\n");
}

TEST_F(RunTest, OptionsBecomeVariables) {
  EXPECT_EQ(Variable("AHEAD_HIT_RATE", {"--hit-rate", "3"}), "3");
  EXPECT_EQ(Variable("AHEAD_HIT_RATE", {"--hit_rate=3"}), "3");
  EXPECT_EQ(Variable("AHEAD_MAX", {"--max", "4MiB"}), "4MiB");
  EXPECT_EQ(Variable("AHEAD_INCLUDE", {"--include", "[ab]*:/data/*"}), "[ab]*:/data/*");
  EXPECT_EQ(Variable("AHEAD_RATIO"), "");
}

TEST_F(RunTest, OptionOutranksVariable) {
  const Ended ended =
      Process({installed_.ahead(), "run", "--ratio", "20", "--", "/bin/sh", "-c", "echo $AHEAD_RATIO"}, [] {
        setenv("AHEAD_RATIO", "30", 1);
      }).Finish();
  EXPECT_EQ(ended.output, "20\n");
}

TEST_F(RunTest, BadValueIsRefusedWithTheAcceptedRange) {
  ExpectRefused({"--ratio", "101", "--", "/bin/echo", "ran"}, "--ratio: '101' is not a whole number from 0 to 100");
  ExpectRefused({"--ratio", "", "--", "/bin/echo", "ran"}, "--ratio: '' is not a whole number from 0 to 100");
  ExpectRefused({"--ratio", "-1", "--", "/bin/echo", "ran"}, "--ratio: '-1' is not a whole number from 0 to 100");
  ExpectRefused({"--max=4MB5", "--", "/bin/echo", "ran"},
                "--max: '4MB5' is not bytes from 128KiB to 32MiB, with a suffix K, M or G, or auto");
}

TEST_F(RunTest, BadVariableIsRefusedByName) {
  const Ended ended = Process({installed_.ahead(), "run", "--", "/bin/echo", "ran"}, [] {
                        setenv("AHEAD_HIT_RATE", "seventeen", 1);
                      }).Finish();
  EXPECT_TRUE(ended.exited_with(125));
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors,
            "ahead run: environment variable AHEAD_HIT_RATE: 'seventeen' is not a whole number from 0 to 16\n");
}

TEST_F(RunTest, UnknownOptionIsRefusedAndTheNearestNamed) {
  ExpectRefused({"--ratoi", "5", "--", "/bin/echo", "ran"},
                "unknown option --ratoi; did you mean --ratio? (see --help)");
  ExpectRefused({"--hitrate=5", "--", "/bin/echo"}, "unknown option --hitrate; did you mean --hit-rate? (see --help)");
  ExpectRefused({"--colour", "--", "/bin/echo"}, "unknown option --colour (see --help)");
}

TEST_F(RunTest, MissingCommandIsRefused) {
  EXPECT_TRUE(Ahead({}).exited_with(125));
  EXPECT_TRUE(Ahead({"--"}).exited_with(125));
  EXPECT_THAT(Ahead({"--ratio", "5"}).errors, HasSubstr("COMMAND"));
}

TEST_F(RunTest, MissingLibraryIsSaidWithThePlacesTried) {
  std::filesystem::remove(installed_.library());
  const Ended ended = Ahead({"--", "/bin/echo", "ran"});
  EXPECT_TRUE(ended.exited_with(125));
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr(installed_.library()));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
}

TEST_F(RunTest, OffRunsTheCommandEvenWithoutTheLibrary) {
  std::filesystem::remove(installed_.library());
  EXPECT_EQ(Ahead({"--off", "1", "--", "/bin/echo", "ran"}).output, "ran\n");
}

TEST_F(RunTest, LibraryPathThatCannotBePreloadedIsRefused) {
  const std::string spaced = folder_ / "with space";
  std::filesystem::copy(std::filesystem::path(installed_.ahead()).parent_path().parent_path(), spaced,
                        std::filesystem::copy_options::recursive);
  const Ended ended = RunProgram({spaced + "/bin/ahead", "run", "--", "/bin/echo", "ran"});
  EXPECT_TRUE(ended.exited_with(125));
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("LD_PRELOAD cannot name '" + spaced + "/lib/ahead/libahead.so'"));
}

TEST_F(RunTest, StatisticsFileIsThereBeforeTheCommandAndItsPathAbsolute) {
  const Ended ended = Process({installed_.ahead(), "run", "--stats", "counts", "--", "/bin/sh", "-c",
                               "cd /; echo $AHEAD_STATS; stat -c %a $AHEAD_STATS"},
                              [&] { EXPECT_EQ(chdir(folder_.path().c_str()), 0); })
                          .Finish();
  EXPECT_EQ(ended.output, folder_ / "counts" + "\n600\n");
}

TEST_F(RunTest, RelativePathsInTheEnvironmentAreMadeAbsolute) {
  const Ended ended =
      Process({installed_.ahead(), "run", "--", "/bin/sh", "-c", "echo $AHEAD_STATS $AHEAD_TRACE"}, [&] {
        setenv("AHEAD_STATS", "counts", 1);
        setenv("AHEAD_TRACE", "sub/%p.trace", 1);
        if (chdir(folder_.path().c_str()) != 0) _exit(99);
      }).Finish();
  EXPECT_EQ(ended.output, folder_ / "counts" + " " + folder_ / "sub/%p.trace" + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "counts"));
}

TEST_F(RunTest, PercentSignInTheCurrentFolderIsNotOneOfThePattern) {
  std::filesystem::create_directories(folder_ / "50%p");
  const Ended ended = Process({installed_.ahead(), "run", "--tables", "--stats", "counts", "--", "/bin/true"}, [&] {
                        if (chdir((folder_ / "50%p").c_str()) != 0) _exit(99);
                      }).Finish();
  EXPECT_THAT(ended.errors, testing::StartsWith("[table requests]"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "50%p/counts"));
}

TEST_F(RunTest, PreloadTooLongForTheKernelIsRefusedInWords) {
  const Ended ended = Process({installed_.ahead(), "run", "--", "/bin/echo", "ran"}, [] {
                        const std::string blanks(32 * static_cast<size_t>(sysconf(_SC_PAGESIZE)) - 40, ' ');
                        setenv("LD_PRELOAD", ("/nonexistent.so" + blanks).c_str(), 1);
                        setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
                      }).Finish();
  EXPECT_TRUE(ended.exited_with(125)) << ended.wait_status;
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("LD_PRELOAD with libahead.so in it would take"));
}

TEST_F(RunTest, StatisticsFileThatIsSomethingElseIsRefusedAndLeftAlone) {
  const std::string mine = folder_.Write("mine", "my own text, not statistics");
  const Ended ended = Ahead({"--stats", mine, "--", "/bin/echo", "ran"});
  EXPECT_TRUE(ended.exited_with(125));
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr(mine));
  EXPECT_EQ(ReadFile(mine), "my own text, not statistics");
}

TEST_F(RunTest, TablesGoToStderrAfterTheCommand) {
  const Ended ended = Ahead({"--tables", "--", "/bin/sh", "-c", "echo out; echo err >&2; exit 4"});
  EXPECT_TRUE(ended.exited_with(4));
  EXPECT_EQ(ended.output, "out\n");
  EXPECT_THAT(ended.errors, testing::StartsWith("err\n[table requests]"));
  EXPECT_THAT(ended.errors, HasSubstr("[table pages]"));
  EXPECT_THAT(ended.errors, HasSubstr("[table summary]"));
}

TEST_F(RunTest, HelpAndVersionAreForEveryCommand) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{}, {"run"}, {"ab"}, {"stats"}, {"record"}, {"replay"}}) {
    std::vector<std::string> words = {installed_.ahead()};
    words.insert(words.end(), command.begin(), command.end());
    words.push_back("--help");
    const Ended help = RunProgram(words);
    EXPECT_TRUE(help.exited_with(0));
    EXPECT_THAT(help.output, HasSubstr("Usage: ahead"));
    words.back() = "--version";
    const Ended version = RunProgram(words);
    EXPECT_TRUE(version.exited_with(0));
    EXPECT_EQ(version.output, "ahead " VERSION "\n");
  }
}

TEST_F(RunTest, UnknownCommandIsBadUsage) {
  const Ended ended = RunProgram({installed_.ahead(), "rnu"});
  EXPECT_TRUE(ended.exited_with(2));
  EXPECT_EQ(ended.errors, "ahead: unknown command 'rnu'; did you mean run?\n");
  EXPECT_TRUE(RunProgram({installed_.ahead()}).exited_with(2));
}

}  // namespace
}  // namespace ahead::test
