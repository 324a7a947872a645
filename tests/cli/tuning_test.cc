// The arithmetic of `ahead tune`: frontiers, rounds, grids, and what is recommended.
#include "sim/tuning.h"

#include <gmock/gmock.h>

#include "cli/tuning_grid.h"
#include "sim/patterns.h"

namespace ahead {
namespace {

using sim::HalvingRound;
using sim::Standing;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FrontierTest, OneBeatsAnotherThatIsNowhereBetterAndSomewhereWorse) {
  const Standing base{1, 100_B, 100_B};
  EXPECT_TRUE(Beats({0.9, 100_B, 100_B}, base));
  EXPECT_TRUE(Beats({1, 99_B, 100_B}, base));
  EXPECT_FALSE(Beats(base, base));
  EXPECT_FALSE(Beats({0.9, 101_B, 100_B}, base));
}

TEST(FrontierTest, LayersArePeeledFromTheBest) {
  const std::vector<Standing> standings = {
      {1.0, 0_B, 10_B},   // frontier: no waste
      {0.5, 50_B, 10_B},  // frontier: fastest
      {0.6, 60_B, 10_B},  // beaten by 1
      {0.6, 70_B, 20_B},  // beaten by 1 and 2
      {0.5, 50_B, 10_B},  // as 1
  };
  EXPECT_THAT(sim::LayersOf(standings), ElementsAre(0, 0, 1, 2, 0));
}

TEST(FrontierTest, BestGoInwardsFromTheFrontierAndEqualOnesComeLater) {
  const std::vector<Standing> standings = {
      {0.9, 0_B, 10_B}, {0.5, 50_B, 10_B}, {0.5, 50_B, 10_B}, {0.6, 60_B, 10_B}, {0.7, 20_B, 10_B}};
  EXPECT_THAT(sim::BestOf(standings, 1), ElementsAre(1));
  EXPECT_THAT(sim::BestOf(standings, 3), ElementsAre(0, 1, 4));
  EXPECT_THAT(sim::BestOf(standings, 4), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(sim::BestOf(standings, 9), ElementsAre(0, 1, 2, 3, 4));
}

TEST(HalvingTest, SettingsAreHalvedWhileCellsAreDoubled) {
  EXPECT_THAT(sim::PlanHalving(72, 156, 8),
              ElementsAre(HalvingRound{72, 10}, HalvingRound{36, 20}, HalvingRound{18, 39}, HalvingRound{9, 78},
                          HalvingRound{8, 156}));
  EXPECT_EQ(sim::CellsToRun(72, 156, 8), 72u * 10 + 36 * 10 + 18 * 19 + 9 * 39 + 8 * 78);
}

TEST(HalvingTest, FewSettingsOrCellsNeedFewRounds) {
  EXPECT_THAT(sim::PlanHalving(8, 156, 8), ElementsAre(HalvingRound{8, 156}));
  EXPECT_THAT(sim::PlanHalving(3, 156, 8), ElementsAre(HalvingRound{3, 156}));
  EXPECT_THAT(sim::PlanHalving(64, 2, 8), ElementsAre(HalvingRound{64, 1}, HalvingRound{8, 2}));
  EXPECT_THAT(sim::PlanHalving(64, 1, 8), ElementsAre(HalvingRound{64, 1}));
}

sim::Tuning TuningOf(const std::vector<Standing>& standings) {
  sim::Tuning tuning;
  for (const Standing& standing : standings) tuning.tuned.push_back({tuning.tuned.size(), standing, 0});
  return tuning;
}

TEST(RecommendTest, DefaultsStandWhereTheyAreWithinTwoPerCent) {
  EXPECT_EQ(sim::Recommend(TuningOf({{1, 9_B, 9_B}, {0.985, 0_B, 0_B}})), 0u);
  EXPECT_EQ(sim::Recommend(TuningOf({{1, 9_B, 9_B}, {0.975, 0_B, 0_B}})), 1u);
}

TEST(RecommendTest, OfThoseAboutAsFastTheLeastWastefulIsTaken) {
  EXPECT_EQ(sim::Recommend(TuningOf({{1, 0_B, 0_B}, {0.50, 90_B, 1_B}, {0.504, 10_B, 2_B}, {0.52, 0_B, 0_B}})), 2u);
  EXPECT_EQ(sim::Recommend(TuningOf({{1, 0_B, 0_B}, {0.50, 10_B, 2_B}, {0.50, 10_B, 1_B}})), 2u);
}

TEST(TuningGridTest, DefaultsComeFirstAndNothingComesTwice) {
  const auto grid = cli::MakeGrid({{"ratio", {"25", "50"}}, {"max", {"auto", "1MiB", "1024K"}}});
  std::vector<std::string> texts;
  for (const auto& setting : grid) texts.push_back(cli::Describe(setting));
  EXPECT_THAT(texts, ElementsAre("defaults", "ratio=25", "ratio=25 max=1MiB", "max=1MiB"));
  EXPECT_EQ(grid[2].options.ratio, 25);
  EXPECT_EQ(grid[2].options.max, 1 << 20);
  EXPECT_EQ(cli::MakeGrid(cli::DefaultGrid()).size(), 144u);
}

TEST(TuningGridTest, SettingBecomesACommandLine) {
  const auto grid = cli::MakeGrid({{"hit_rate", {"4"}}, {"max", {"8MiB"}}});
  EXPECT_EQ(cli::CommandLineOf(grid[1]), "ahead run --hit-rate 4 --max 8MiB -- COMMAND");
}

TEST(TuningGridTest, OptionsAreReadAndRefusedWithAReason) {
  const auto read = cli::ParseTunedOption("hit-rate=1,4");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "hit_rate");
  EXPECT_THAT(read->values, ElementsAre("1", "4"));
  const auto refusal = [](const std::string& text) {
    return std::string(cli::ParseTunedOption(text).status().message());
  };
  EXPECT_EQ(refusal("ratio=200"), "ratio: '200' is not a whole number from 0 to 100");
  EXPECT_THAT(refusal("ratio="), HasSubstr("'' is not"));
  EXPECT_THAT(refusal("ratoi=1"), HasSubstr("did you mean ratio?"));
  EXPECT_THAT(refusal("ratio"), HasSubstr("is not NAME=VALUE"));
  EXPECT_THAT(refusal("stats=x"), HasSubstr("with one of ratio, hit_rate, max"));
  EXPECT_THAT(refusal("off=1"), HasSubstr("is not NAME=VALUE"));
}

// A forward reader and a backward one, and two devices.
class TuneTest : public testing::Test {
 protected:
  TuneTest() {
    for (const int64_t step : {1, -1}) {
      sim::Workload work;
      work.files.push_back({"/f", 1, 2, 8_MiB, false});
      work.readers = work.threads = 1;
      for (int64_t i = 0; i < 512; ++i) {
        sim::WorkStep read;
        read.fresh = i == 0;
        read.range.begin = {(step > 0 ? i : 511 - i) * 16384};
        read.range.end = read.range.begin + 16_KiB;
        read.begin = read.end = Nanos{i};
        work.steps.push_back(read);
      }
      works_.push_back(work);
    }
    devices_ = {*sim::FindLabDevice("net-2ms"), *sim::FindLabDevice("net-20ms")};
  }

  std::vector<Options> Settings(std::initializer_list<int64_t> most) const {
    std::vector<Options> settings(1);
    for (const int64_t max : most) settings.emplace_back().max = max;
    return settings;
  }

  std::vector<sim::Workload> works_;
  std::vector<sim::LabDevice> devices_;
};

TEST_F(TuneTest, DefaultsAreMeasuredByThemselvesAndRunAllCells) {
  size_t calls = 0;
  const auto settings = Settings({128 << 10, 256 << 10, 512 << 10, 1 << 20});
  sim::TuningPlan plan;
  plan.least = 2;
  const sim::Tuning tuning = sim::Tune(works_, devices_, settings, plan, [&] { ++calls; });
  EXPECT_TRUE(tuning.is_complete);
  EXPECT_EQ(tuning.cells, 4u);
  ASSERT_EQ(tuning.tuned.size(), 2u);
  EXPECT_EQ(tuning.tuned[0].setting, 0u);
  EXPECT_EQ(tuning.tuned[0].standing.time, 1.0);
  EXPECT_EQ(calls, sim::CellsToRun(settings.size(), 4, 2));
}

TEST_F(TuneTest, TimeIsTheGeometricMeanOfRatiosToTheDefaults) {
  const auto settings = Settings({128 << 10});
  const sim::Tuning tuning = sim::Tune(works_, devices_, settings, {});
  double product = 1;
  for (const sim::Workload& work : works_) {
    for (const sim::LabDevice& device : devices_) {
      const auto elapsed = [&](const Options& options) {
        return static_cast<double>(
            sim::RunCell(work, device, {"", sim::LabPolicyKind::kAdaptive, options, {}}).elapsed.value);
      };
      product *= elapsed(settings[1]) / elapsed(settings[0]);
    }
  }
  ASSERT_EQ(tuning.tuned.size(), 2u);
  EXPECT_NEAR(std::pow(tuning.tuned[1].standing.time, 4), product, 1e-9 * product);
  EXPECT_GT(product, 1) << "128 KiB ahead cannot hide 20 ms";
}

TEST_F(TuneTest, SameSeedGivesTheSameWhateverTheNumberOfThreads) {
  const auto settings = Settings({128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20});
  const auto tune = [&](int threads) {
    sim::TuningPlan plan;
    plan.least = 2;
    plan.threads = threads;
    return sim::Tune(works_, devices_, settings, plan);
  };
  const sim::Tuning one = tune(1), four = tune(4);
  ASSERT_EQ(one.tuned.size(), four.tuned.size());
  for (size_t i = 0; i < one.tuned.size(); ++i) {
    EXPECT_EQ(one.tuned[i].setting, four.tuned[i].setting);
    EXPECT_EQ(one.tuned[i].standing, four.tuned[i].standing);
  }
}

TEST_F(TuneTest, StoppedInTheMiddleItTellsWhatAllHaveRun) {
  const auto settings = Settings({128 << 10, 256 << 10});
  std::atomic<bool> stop{false};
  size_t calls = 0;
  sim::TuningPlan plan;
  plan.threads = 1;
  const sim::Tuning tuning = sim::Tune(
      works_, devices_, settings, plan, [&] { stop = ++calls == 9; }, &stop);
  EXPECT_FALSE(tuning.is_complete);
  EXPECT_EQ(tuning.cells, 2u) << "nine runs are the defaults' four, two cells of the other two, and one more";
  EXPECT_EQ(tuning.tuned.size(), 3u);
}

TEST_F(TuneTest, StoppedEarlyItTellsOfTheDefaultsAlone) {
  std::atomic<bool> stop{false};
  sim::TuningPlan plan;
  plan.threads = 1;
  const sim::Tuning tuning = sim::Tune(
      works_, devices_, Settings({128 << 10, 256 << 10}), plan, [&] { stop = true; }, &stop);
  ASSERT_EQ(tuning.tuned.size(), 1u);
  EXPECT_EQ(tuning.tuned[0].setting, 0u);
  EXPECT_EQ(tuning.cells, 1u);
  EXPECT_FALSE(tuning.is_complete);
}

TEST_F(TuneTest, StoppedAtOnceItTellsNothing) {
  std::atomic<bool> stop{true};
  const sim::Tuning tuning = sim::Tune(works_, devices_, Settings({128 << 10}), {}, {}, &stop);
  EXPECT_TRUE(tuning.tuned.empty());
  EXPECT_EQ(sim::Recommend(tuning), 0u);
}

}  // namespace
}  // namespace ahead
