// The arithmetic of `ahead score`, on tables made by hand.
#include "cli/score_table.h"

#include <gmock/gmock.h>

#include "cli/progress.h"
#include "cli/score_difference.h"
#include "sim/gain.h"

namespace ahead::cli {
namespace {

using testing::HasSubstr;
using testing::Optional;

ScoreCell Cell(const std::string& policy, Nanos elapsed, int64_t bytes = 1000, int64_t requests = 10) {
  ScoreCell cell;
  cell.policy = policy;
  cell.score.elapsed = elapsed;
  cell.score.bytes = {bytes};
  cell.score.requests = requests;
  cell.score.reads = 5;
  return cell;
}

ScoreRow Row(const std::string& trace, std::vector<ScoreCell> cells, bool is_predictable = true) {
  ScoreRow row;
  row.trace = trace;
  row.device = "net";
  row.is_predictable = is_predictable;
  row.cells = std::move(cells);
  return row;
}

TEST(ShareOfGainTest, IsOneForTheOracleAndNoneForTheKernel) {
  EXPECT_THAT(sim::ShareOfGain(100_ms, 20_ms, 20_ms), Optional(1.0));
  EXPECT_THAT(sim::ShareOfGain(100_ms, 100_ms, 20_ms), Optional(0.0));
  EXPECT_THAT(sim::ShareOfGain(100_ms, 40_ms, 20_ms), Optional(0.75));
  EXPECT_THAT(sim::ShareOfGain(100_ms, 140_ms, 20_ms), Optional(-0.5));
}

TEST(ShareOfGainTest, ThereIsNoneWhereTheOracleGainsLessThanTwoPerCent) {
  EXPECT_THAT(sim::ShareOfGain(1000_ms, 990_ms, 980_ms), Optional(0.5));
  EXPECT_EQ(sim::ShareOfGain(1000_ms, 990_ms, 981_ms), std::nullopt);
  EXPECT_EQ(sim::ShareOfGain(1000_ms, 990_ms, 1100_ms), std::nullopt);
  EXPECT_EQ(sim::ShareOfGain(0_ms, 0_ms, 0_ms), std::nullopt);
}

TEST(ScoreTableTest, SummaryIsOverSharesOfPredictableAndRatiosOfOtherTraces) {
  ScoreTable table;
  table.rows.push_back(Row("a", {Cell("kernel", 100_ms), Cell("adaptive", 20_ms), Cell("oracle", 20_ms)}));
  table.rows.push_back(Row("b", {Cell("kernel", 100_ms), Cell("adaptive", 60_ms), Cell("oracle", 20_ms)}));
  table.rows.push_back(
      Row("nothing to gain", {Cell("kernel", 100_ms), Cell("adaptive", 200_ms), Cell("oracle", 99_ms)}));
  table.rows.push_back(
      Row("other", {Cell("kernel", 100_ms), Cell("adaptive", 103_ms, 1500, 12), Cell("oracle", 20_ms)}, false));
  const std::vector<PolicySummary> summaries = Summarize(table);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].policy, "adaptive");
  EXPECT_EQ(summaries[0].shares, 2u);
  EXPECT_DOUBLE_EQ(summaries[0].mean_share, 0.75);
  EXPECT_DOUBLE_EQ(summaries[0].worst_share, 0.5);
  EXPECT_EQ(summaries[0].worst_row, "b on net");
  EXPECT_EQ(summaries[0].others, 1u);
  EXPECT_DOUBLE_EQ(summaries[0].worst_time, 1.03);
  EXPECT_DOUBLE_EQ(summaries[0].worst_requests, 1.2);
  EXPECT_DOUBLE_EQ(summaries[0].worst_bytes, 1.5);
  EXPECT_EQ(summaries[0].bytes, 4500_B);
}

TEST(ScoreTableTest, SavedTableIsReadAsItWas) {
  ScoreTable table;
  ScoreCell cell = Cell("adaptive", 20_ms);
  cell.score.digest = 0xfedcba9876543210;
  cell.score.wasted_bytes = 7_B;
  cell.score.peak_ahead = 8_B;
  cell.score.decisions = 9;
  table.rows.push_back(Row("a \"b\"", {Cell("kernel", 100_ms), cell}, false));
  table.rows[0].least_bytes = 77_B;
  const auto read = ScoreTableFrom(JsonOf(table).dump());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->rows.size(), 1u);
  EXPECT_EQ(read->rows[0].trace, "a \"b\"");
  EXPECT_FALSE(read->rows[0].is_predictable);
  EXPECT_EQ(read->rows[0].least_bytes, 77_B);
  EXPECT_EQ(read->rows[0].Find("adaptive")->digest, 0xfedcba9876543210);
  EXPECT_EQ(Compare(table, *read).same, 2u);
}

TEST(ScoreTableTest, WhatIsNoTableIsRefused) {
  for (const char* text : {"", "[]", "{\"format\":\"other\"}", "{\"format\":\"ahead-score\",\"version\":2,\"rows\":[]}",
                           "{\"format\":\"ahead-score\",\"version\":1,\"rows\":[{\"trace\":1}]}"})
    EXPECT_FALSE(ScoreTableFrom(text).ok()) << text;
}

TEST(ScoreTableTest, TableAndMarkdownHoldAllRows) {
  ScoreTable table;
  table.rows.push_back(Row("a", {Cell("kernel", 100_ms), Cell("adaptive", 60_ms), Cell("oracle", 20_ms)}));
  const std::string text = FormatScores(table, ColumnForm::kPlain);
  EXPECT_THAT(text, HasSubstr("a      net     adaptive   60.00 ms   0.50"));
  EXPECT_THAT(FormatScores(table, ColumnForm::kMarkdown),
              HasSubstr("\n| a | net | adaptive | 60.00 ms | 0.50 | 0 | 10 |"));
}

TEST(ScoreTableTest, BriefHasALineATraceTheWorstFirst) {
  ScoreTable table;
  table.rows.push_back(Row("good", {Cell("kernel", 100_ms), Cell("adaptive", 20_ms), Cell("oracle", 20_ms)}));
  table.rows.push_back(Row("bad", {Cell("kernel", 100_ms), Cell("adaptive", 140_ms), Cell("oracle", 20_ms)}));
  table.rows.push_back(Row("bad", {Cell("kernel", 100_ms), Cell("adaptive", 108_ms), Cell("oracle", 99_ms)}));
  table.rows.back().device = "hdd";
  table.rows.push_back(
      Row("other", {Cell("kernel", 100_ms), Cell("adaptive", 103_ms, 1500), Cell("oracle", 20_ms)}, false));
  const std::string text = FormatBrief(table, ColumnForm::kPlain);
  EXPECT_THAT(text, testing::StartsWith("adaptive, share of the oracle's gain over the kernel:\n\n"
                                        "trace    net          hdd\n"
                                        "bad    -0.50  time x 1.08\n"
                                        "good    1.00\n\n"
                                        "adaptive, other traces, time and bytes beside the kernel's:\n\n"
                                        "trace         net  hdd\n"
                                        "other  1.03, 1.50\n\n"));
  EXPECT_THAT(text, HasSubstr("Shares of the oracle's gain over predictable traces"));
}

TEST(ScoreDifferenceTest, MoreThanOnePerCentIsALossOrAGain) {
  ScoreTable before, after;
  before.rows.push_back(Row("a", {Cell("1", 1000_ms), Cell("2", 1000_ms), Cell("3", 1000_ms), Cell("4", 1000_ms),
                                  Cell("5", 1000_ms), Cell("gone", 1_ms)}));
  after.rows.push_back(Row("a", {Cell("1", 1000_ms), Cell("2", 1010_ms), Cell("3", 1011_ms), Cell("4", 900_ms),
                                 Cell("5", 900_ms, 1011), Cell("new", 1_ms)}));
  const ScoreDifference difference = Compare(before, after);
  EXPECT_EQ(difference.same, 1u);
  EXPECT_EQ(difference.only_before, 1u);
  EXPECT_EQ(difference.only_after, 1u);
  ASSERT_EQ(difference.cells.size(), 4u);
  EXPECT_FALSE(difference.cells[0].is_loss());
  EXPECT_FALSE(difference.cells[0].is_gain());
  EXPECT_TRUE(difference.cells[1].is_loss());
  EXPECT_TRUE(difference.cells[2].is_gain());
  EXPECT_TRUE(difference.cells[3].is_loss()) << "faster, but with more bytes";
  EXPECT_EQ(difference.Losses(), 2u);
  EXPECT_DOUBLE_EQ(difference.cells[2].time(), -0.1);
}

TEST(ScoreDifferenceTest, TextTellsOtherDecisionsAndSharesBeforeAndNow) {
  ScoreTable before, after;
  before.rows.push_back(Row("a", {Cell("kernel", 100_ms), Cell("adaptive", 60_ms), Cell("oracle", 20_ms)}));
  after = before;
  after.rows[0].cells[1].score.digest = 5;
  after.rows[0].cells[1].score.elapsed = 40_ms;
  const std::string text = FormatDifference(before, after, Compare(before, after));
  EXPECT_THAT(text, HasSubstr("gained  a      net     adaptive*  -33.33%  +0.00%  60.00 ms  40.00 ms"));
  EXPECT_THAT(text, HasSubstr("2 cells the same, 1 not: 1 gained, 0 lost"));
  EXPECT_THAT(text, HasSubstr("mean 0.750, worst 0.750 (a on net); before: mean 0.500, worst 0.500 (a on net)"));
}

TEST(ScoreDifferenceTest, LossesComeFirstAlsoThoseThatAreFaster) {
  ScoreTable before, after;
  before.rows.push_back(Row("a", {Cell("gain", 100_ms), Cell("little", 1000_ms), Cell("bytes", 100_ms)}));
  after.rows.push_back(Row("a", {Cell("gain", 50_ms), Cell("little", 1001_ms), Cell("bytes", 50_ms, 2000)}));
  const std::string text = FormatDifference(before, after, Compare(before, after));
  EXPECT_LT(text.find("LOST"), text.find("little"));
  EXPECT_LT(text.find("little"), text.find("gained"));
}

TEST(ProgressTest, TimeLeftIsGuessedFromWhatIsDone) {
  EXPECT_EQ(DescribeProgress("cells", 0, 10, 5_s), "0/10 cells");
  EXPECT_EQ(DescribeProgress("cells", 2, 10, 5_s), "2/10 cells, about 20 s left");
  EXPECT_EQ(DescribeProgress("cells", 1, 100, 10_s), "1/100 cells, about 16 min left");
  EXPECT_EQ(DescribeProgress("cells", 10, 10, 5_s), "10/10 cells");
}

}  // namespace
}  // namespace ahead::cli
