#include "stats/summary.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ahead {
namespace {

constexpr size_t kTotal = 0;
constexpr size_t Column(Class cls) { return 1 + static_cast<size_t>(cls); }

const SummaryRow& Row(const std::array<SummaryRow, kSummaryRowCount>& rows, const std::string& name) {
  for (const SummaryRow& row : rows)
    if (row.name == name) return row;
  ADD_FAILURE() << "no row " << name;
  return rows[0];
}

TEST(SummaryTest, WithoutAnyEventEverythingIsUndefined) {
  for (const SummaryRow& row : Summarise(Ledger{}, TableStyle::kAhead, true))
    for (const auto& cell : row.cells) EXPECT_FALSE(cell.has_value()) << row.name;
}

TEST(SummaryTest, DividesTruly) {
  Ledger ledger{};
  ledger.Add(Event::readahead, Class::state, 3);
  ledger.Add(Event::readahead, Class::state, 4);
  ledger.Add(Event::random_read, Class::state, 1);
  ledger.Add(Event::readahead_hit, Class::state, 5, 0);
  ledger.Add(Event::lookahead, Class::state, 2);
  ledger.Add(Event::lookahead, Class::state, 3);
  ledger.Add(Event::lookahead_hit, Class::state, 2);
  const auto rows = Summarise(ledger, TableStyle::kAhead, true);
  const size_t column = Column(Class::state);
  EXPECT_DOUBLE_EQ(Row(rows, "random_rate").cells[column].value(), 100.0 / 3);
  EXPECT_DOUBLE_EQ(Row(rows, "ra_hit_rate").cells[column].value(), 500.0 / 7);
  EXPECT_DOUBLE_EQ(Row(rows, "la_hit_rate").cells[column].value(), 50);
  EXPECT_DOUBLE_EQ(Row(rows, "var_ra_size").cells[column].value(), 0.25);
  EXPECT_DOUBLE_EQ(Row(rows, "avg_ra_size").cells[column].value(), 3.5);
  EXPECT_DOUBLE_EQ(Row(rows, "avg_la_size").cells[column].value(), 2.5);
  EXPECT_EQ(Row(rows, "avg_ra_size").cells[column], Row(rows, "avg_ra_size").cells[kTotal]);
}

TEST(SummaryTest, TheTotalLeavesNoneOutAndTakesNewClassesIn) {
  Ledger ledger{};
  ledger.Add(Event::readahead, Class::none, 100);
  ledger.Add(Event::readahead, Class::stride, 7);
  ledger.Add(Event::readahead, Class::initial, 2);
  EXPECT_EQ(CellOf(ledger, TableKind::kPages, Event::readahead, kTotal, TableStyle::kAhead), 9u);
  EXPECT_EQ(CellOf(ledger, TableKind::kPages, Event::readahead, kTotal, TableStyle::kV14), 2u);
  EXPECT_EQ(CellOf(ledger, TableKind::kPages, Event::readahead, Column(Class::none), TableStyle::kAhead), 100u);
}

TEST(SummaryTest, HitsFromBeforeAResetDoNotMakeMoreThanAll) {
  Ledger ledger{};
  ledger.Add(Event::readahead, Class::state, 10);
  ledger.Add(Event::readahead_hit, Class::state, 25, 0);
  const auto rows = Summarise(ledger, TableStyle::kAhead, true);
  EXPECT_DOUBLE_EQ(Row(rows, "ra_hit_rate").cells[kTotal].value(), 100);
}

TEST(SummaryTest, NoRateOfAnyCountsLeavesTheScale) {
  std::mt19937 random(20260101);
  for (int i = 0; i < 2000; ++i) {
    Ledger ledger{};
    for (int n = 0; n < 12; ++n)
      ledger.Add(static_cast<Event>(random() % kEventCount), static_cast<Class>(random() % kClassCount), random() % 50,
                 random() % 3);
    for (const SummaryRow& row : Summarise(ledger, TableStyle::kAhead, true))
      for (const auto& cell : row.cells)
        if (cell) {
          EXPECT_GE(*cell, 0) << row.name;
          if (row.unit == SummaryUnit::kPercent) {
            EXPECT_LE(*cell, 100) << row.name;
          }
        }
  }
}

TEST(SummaryTest, V14RoundsDownAndMakesDenominatorsOdd) {
  Ledger ledger{};
  ledger.Add(Event::readahead, Class::onseek, 122, 30);
  ledger.Add(Event::readahead_hit, Class::onseek, 61, 0);
  ledger.Add(Event::lookahead_hit, Class::onseek, 0, 2);
  const auto rows = Summarise(ledger, TableStyle::kV14, true);
  const size_t column = Column(Class::onseek);
  EXPECT_EQ(Row(rows, "ra_hit_rate").cells[column].value(), 49);
  EXPECT_EQ(Row(rows, "la_hit_rate").cells[column].value(), 200);
  EXPECT_EQ(Row(rows, "avg_la_size").cells[column].value(), 0);
}

TEST(SummaryTest, V14VarianceIsAboutTheMeanRoundedDown) {
  Ledger ledger{};
  for (const uint64_t pages : {4u, 8u, 8u}) ledger.Add(Event::readahead, Class::state, pages);
  // Q = 144, P = 20, n = 3, mean rounded down 6: (144 - 120) / 3.
  EXPECT_EQ(Row(Summarise(ledger, TableStyle::kV14, true), "var_ra_size").cells[kTotal].value(), 8);
  EXPECT_NEAR(Row(Summarise(ledger, TableStyle::kAhead, true), "var_ra_size").cells[kTotal].value(), 32.0 / 9, 1e-9);
}

TEST(SummaryTest, WithoutSquaresTheVarianceIsUndefined) {
  Ledger ledger{};
  ledger.Add(Event::readahead, Class::state, 4);
  for (const TableStyle style : {TableStyle::kAhead, TableStyle::kV14})
    EXPECT_FALSE(Row(Summarise(ledger, style, false), "var_ra_size").cells[kTotal].has_value());
}

}  // namespace
}  // namespace ahead
