// `ahead score`, `ahead tune` and `ahead replay --model` as a user sees them, on small traces made by hand.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "stats/trace_file.h"
#include "tests/cli/contents.h"
#include "tests/cli/process.h"

namespace ahead::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LabCommandTest : public testing::Test {
 protected:
  // A trace of one file that is read in order (`step` 1) or backwards (-1).
  std::string TraceOf(const std::string& name, int64_t step) const {
    constexpr int64_t kReads = 256, kSize = 16384;
    ContentsBuilder built;
    const uint32_t file = built.File("/" + name, kReads * kSize);
    built.Event(TraceKind::kOpen, file).opened_here = true;
    for (int64_t i = 0; i < kReads; ++i) {
      built.now = built.now + 1_us;
      built.Read(file, (step > 0 ? i : kReads - 1 - i) * kSize, kSize).fresh = i == 0;
    }
    built.Event(TraceKind::kClose, file);
    const std::string path = folder_ / (name + ".trace");
    EXPECT_TRUE(WriteTrace(path, built.contents).ok());
    return path;
  }

  static Ended Ahead(std::vector<std::string> words) {
    words.insert(words.begin(), AHEAD);
    return RunProgram(words);
  }

  static nlohmann::json JsonOf(std::vector<std::string> words) {
    const Ended ended = Ahead(std::move(words));
    EXPECT_TRUE(ended.exited_with(0)) << ended.errors;
    return nlohmann::json::parse(ended.output);
  }

  Folder folder_;
};

TEST_F(LabCommandTest, DryReplayShowsAllPoliciesOnOneDevice) {
  const Ended ended = Ahead({"replay", "--model", "net-2ms", TraceOf("backward", -1)});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_EQ(ended.errors, "");
  EXPECT_THAT(ended.output, StartsWith("backward on net-2ms, 4.0 MiB at least\n"));
  for (const char* policy : {"\nnone ", "\nkernel ", "\nfixed ", "\nahead ", "\noracle "})
    EXPECT_THAT(ended.output, HasSubstr(policy));
}

TEST_F(LabCommandTest, DryReplayOfOnePolicyShowsWhatItIsMeasuredBy) {
  const auto json =
      JsonOf({"replay", "--model", "net-2ms", "--policy", "ahead", "--json", "-", TraceOf("backward", -1)});
  const auto& cells = json["rows"][0]["cells"];
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[1]["policy"], "ahead");
  // The kernel waits for each of 256 backward reads; the engine sees where they go.
  EXPECT_GT(cells[0]["waits"], 200);
  EXPECT_GT(cells[1]["share_of_gain"], 0.5);
  EXPECT_EQ(cells[2]["share_of_gain"], 1.0);
}

TEST_F(LabCommandTest, DryReplayTakesSettingsOfTheModelAndTheEngine) {
  const std::string trace = TraceOf("forward", 1);
  const auto elapsed = [&](const std::string& model, const std::string& ratio) {
    const auto json = JsonOf({"replay", "--model", model, "--policy", "ahead", "--ratio", ratio, "--json", "-", trace});
    return json["rows"][0]["cells"][1]["elapsed_ns"].get<int64_t>();
  };
  EXPECT_LT(elapsed("net:latency=1ms", "50"), elapsed("net:latency=10ms", "50"));
  EXPECT_LT(elapsed("net:latency=10ms", "50"), elapsed("net:latency=10ms", "0"));
}

TEST_F(LabCommandTest, DryReplayRefusesWhatIsForRealFiles) {
  const std::string trace = TraceOf("forward", 1);
  EXPECT_TRUE(Ahead({"replay", "--model", "net-2ms", "--cold", trace}).exited_with(2));
  EXPECT_TRUE(Ahead({"replay", "--model", "net-2ms", "--in-flight", "3", trace}).exited_with(2));
  EXPECT_TRUE(Ahead({"replay", "--policy", "kernel", trace}).exited_with(2));
  const Ended ended = Ahead({"replay", "--model", "floppy", trace});
  EXPECT_TRUE(ended.exited_with(2));
  EXPECT_THAT(ended.errors, HasSubstr("--model: 'floppy' is not one of net-0.2ms"));
}

TEST_F(LabCommandTest, ScoreHasACellForEachTraceDeviceAndPolicy) {
  TraceOf("forward", 1);
  TraceOf("backward", -1);
  folder_.Write("predictable.txt", "forward\n");
  const auto json = JsonOf({"score", "--format", "json", folder_.path()});
  ASSERT_EQ(json["rows"].size(), 12u);
  EXPECT_EQ(json["rows"][0]["trace"], "backward");
  EXPECT_EQ(json["rows"][0]["device"], "net-0.2ms");
  EXPECT_EQ(json["rows"][0]["is_predictable"], false);
  EXPECT_EQ(json["rows"][6]["is_predictable"], true);
  EXPECT_EQ(json["rows"][0]["least_bytes"], 4 << 20);
  for (const auto& row : json["rows"]) {
    EXPECT_EQ(row["cells"].size(), 6u);
    for (const auto& cell : row["cells"]) {
      EXPECT_EQ(cell["reads"], 256);
      EXPECT_GE(cell["bytes"], row["least_bytes"]);
    }
  }
}

TEST_F(LabCommandTest, ScoreTakesOneDeviceOrPolicyAnOptionAndTracesAfterThem) {
  const auto json = JsonOf({"score", "--format", "json", "--policy", "adaptive", "--device", "ssd", "--policy", "none",
                            TraceOf("forward", 1)});
  ASSERT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["rows"][0]["device"], "ssd");
  EXPECT_EQ(json["rows"][0]["cells"].size(), 4u);
}

TEST_F(LabCommandTest, ScoreOfOnePolicyHasItsShares) {
  const std::string trace = TraceOf("backward", -1);
  const auto json = JsonOf({"score", "--format", "json", "--policy", "adaptive", "--device", "net-2ms", trace});
  const auto& cells = json["rows"][0]["cells"];
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[1]["policy"], "adaptive");
  EXPECT_GT(cells[1]["share_of_gain"], 0.5);
}

TEST_F(LabCommandTest, ScoreSaysWhatIsMissingOfATrace) {
  ContentsBuilder built;
  const uint32_t file = built.File("/f", 8192);
  built.Read(file, 0, 4096);
  // That it failed is all there is to know of it.
  built.Read(file, 0, 4096).error = 5;
  const std::string path = folder_ / "some.trace";
  ASSERT_TRUE(WriteTrace(path, built.contents).ok());
  EXPECT_EQ(Ahead({"score", "--device", "ssd", path}).errors, "");
  built.Read(file, 4096, 4096).completed = false;
  built.contents.dropped_records = 7;
  ASSERT_TRUE(WriteTrace(path, built.contents).ok());
  EXPECT_EQ(Ahead({"score", "--device", "ssd", path}).errors,
            "ahead score: some: incomplete; 7 records did not fit; 1 reads did not end\n");
}

TEST_F(LabCommandTest, ScoreIsTheSameWhateverTheNumberOfThreads) {
  TraceOf("forward", 1);
  TraceOf("backward", -1);
  const std::string one = Ahead({"score", "--jobs", "1", folder_.path()}).output;
  EXPECT_EQ(Ahead({"score", "--jobs", "4", folder_.path()}).output, one);
  EXPECT_THAT(one, HasSubstr("backward  net-20ms"));
}

TEST_F(LabCommandTest, ScoreAgainstItselfGainsAndLosesNothing) {
  TraceOf("forward", 1);
  const std::string saved = folder_ / "saved";
  ASSERT_TRUE(Ahead({"score", "--save", saved, folder_.path()}).exited_with(0));
  const Ended ended = Ahead({"score", "--against", saved, "--fail-on-loss", folder_.path()});
  EXPECT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.output, StartsWith("36 cells the same, 0 not: 0 gained, 0 lost"));
}

TEST_F(LabCommandTest, LossFailsOnlyWhereItIsWanted) {
  TraceOf("forward", 1);
  const std::string saved = folder_ / "saved";
  ASSERT_TRUE(Ahead({"score", "--save", saved, folder_.path()}).exited_with(0));
  auto json = nlohmann::json::parse(ReadFile(saved));
  json["rows"][1]["cells"][3]["elapsed_ns"] = 1;
  folder_.Write("saved", json.dump());
  const Ended said = Ahead({"score", "--against", saved, folder_.path()});
  EXPECT_TRUE(said.exited_with(0));
  EXPECT_THAT(said.output, HasSubstr("LOST"));
  EXPECT_TRUE(Ahead({"score", "--against", saved, "--fail-on-loss", folder_.path()}).exited_with(1));
}

TEST_F(LabCommandTest, ScoreRefusesWhatItCannotUseInOneLine) {
  const auto expect = [](const Ended& ended, int status, const std::string& said) {
    EXPECT_TRUE(ended.exited_with(status)) << ended.wait_status;
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, HasSubstr(said));
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1);
  };
  expect(Ahead({"score", folder_.path()}), 1, "holds no *.trace");
  expect(Ahead({"score", folder_ / "missing"}), 1, "missing");
  expect(Ahead({"score", folder_.Write("x", "y")}), 1, "not a trace");
  const std::string trace = TraceOf("forward", 1);
  expect(Ahead({"score", "--against", folder_ / "missing", trace}), 1, "--against: cannot read");
  expect(Ahead({"score", "--against", trace, trace}), 1, "not a table of `ahead score --save`");
  expect(Ahead({"score", "--device", "floppy", trace}), 2, "--device: 'floppy' is not one of");
  expect(Ahead({"score", "--policy", "best", trace}), 2, "--policy: 'best' is not one of none, kernel");
  expect(Ahead({"score", "--fail-on-loss", trace}), 2, "--against");
}

TEST_F(LabCommandTest, TuneRecommendsWhatIsFaster) {
  TraceOf("forward", 1);
  TraceOf("backward", -1);
  const Ended ended = Ahead({"tune", "--option", "max=128KiB,auto", "--option", "ratio=50", "--device", "net-20ms",
                             folder_ / "forward.trace", folder_ / "backward.trace"});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_EQ(ended.errors, "") << "no progress where stderr is no terminal";
  EXPECT_THAT(ended.output, StartsWith("2 settings, 2 of 2 cells"));
  EXPECT_THAT(ended.output, HasSubstr("   1.000 "));
  EXPECT_THAT(ended.output, HasSubstr("The defaults are within 2 % of the best.\n"));
}

TEST_F(LabCommandTest, TuneTellsSettingsAsJsonAndTheSameEachTime) {
  TraceOf("backward", -1);
  const std::vector<std::string> words = {"tune",   "--format", "json",   "--option", "ratio=0,50",
                                          "--seed", "7",        "--jobs", "2",        folder_.path()};
  const auto json = JsonOf(words);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["settings"], 2);
  EXPECT_EQ(json["cells"], 6);
  EXPECT_TRUE(json["is_complete"]);
  EXPECT_EQ(json["recommended"], nullptr);
  EXPECT_EQ(JsonOf(words), json);
}

TEST_F(LabCommandTest, TuneSaysHowFarItIsOnlyOnStderr) {
  const Ended ended = Ahead({"tune", "--progress", "--device", "net-2ms", "--option", "ratio=0,50", TraceOf("f", 1)});
  ASSERT_TRUE(ended.exited_with(0)) << ended.errors;
  EXPECT_THAT(ended.errors, StartsWith("1/2 cells, about "));
  EXPECT_THAT(ended.errors, testing::EndsWith("2/2 cells\n"));
  EXPECT_THAT(ended.output, Not(HasSubstr("2/2")));
}

TEST_F(LabCommandTest, InterruptedTuneTellsWhatItKnows) {
  TraceOf("forward", 1);
  TraceOf("backward", -1);
  // Hours of work, if it were done.
  std::vector<std::string> words = {AHEAD, "tune", "--progress", "--option", "memory=128KiB"};
  std::string initials = "initial=", ratios = "ratio=";
  for (int i = 0; i < 300; ++i) initials += std::to_string(16384 + i) + (i < 299 ? "," : "");
  for (int i = 0; i <= 100; ++i) ratios += std::to_string(i) + (i < 100 ? "," : "");
  words.insert(words.end(), {"--option", initials, "--option", ratios, "--finalists", "100000", folder_.path()});
  Process tune(words);
  // It has begun when it says so.
  ASSERT_THAT(tune.ReadErrorLine(), HasSubstr(" cells, about "));
  kill(tune.pid(), SIGINT);
  const Ended ended = tune.Finish();
  EXPECT_TRUE(ended.exited_with(130)) << ended.wait_status;
  EXPECT_THAT(ended.output, HasSubstr("STOPPED before the end"));
  EXPECT_THAT(ended.output, HasSubstr("   1.000 "));
}

TEST_F(LabCommandTest, TuneRefusesWhatItCannotUse) {
  const std::string trace = TraceOf("forward", 1);
  EXPECT_TRUE(Ahead({"tune"}).exited_with(2));
  EXPECT_TRUE(Ahead({"tune", "--device", "floppy", trace}).exited_with(2));
  EXPECT_TRUE(Ahead({"tune", "--finalists", "1", trace}).exited_with(2));
  const Ended ended = Ahead({"tune", "--option", "ratio=101", trace});
  EXPECT_TRUE(ended.exited_with(2));
  EXPECT_THAT(ended.errors, HasSubstr("ratio: '101' is not a whole number from 0 to 100"));
  EXPECT_TRUE(Ahead({"tune", folder_ / "missing"}).exited_with(1));
}

}  // namespace
}  // namespace ahead::test
