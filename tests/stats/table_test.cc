#include "stats/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "stats/table_reader.h"

namespace ahead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Published() {
  std::ifstream file(TEST_DATA "/events-v14.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.empty() || line[0] != '#') lines.push_back(line);
  return lines;
}

std::string LineOf(const std::string& text, const std::string& table, const std::string& row) {
  const size_t begin = text.find("[table " + table + "]");
  const size_t at = text.find("\n" + row + " ", begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(TableTest, CompatReproducesEveryPublishedLineButTheVariance) {
  const auto snapshot = ParseTables(Published());
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const std::vector<std::string> published = Lines(Published());
  const std::vector<std::string> printed = Lines(FormatTables(*snapshot, TableStyle::kV14));
  ASSERT_EQ(printed.size(), published.size());
  ASSERT_EQ(published.size(), 42u);
  for (size_t i = 0; i < published.size(); ++i)
    if (published[i].rfind("var_ra_size", 0) != 0) {
      EXPECT_EQ(printed[i], published[i]);
    }
}

TEST(TableTest, TheOldRowsAndColumnsComeFirstInTheirOldPlaces) {
  const auto snapshot = ParseTables(Published());
  const std::string text = FormatTables(*snapshot);
  for (const std::string& line : Lines(Published())) {
    if (line.rfind("[table summary]", 0) == 0) break;
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("onseek      none    stride    mapped   sibling\n"));
}

TEST(TableTest, HiddenRowsStayHidden) {
  const std::string text = FormatTables(Snapshot{});
  EXPECT_NE(LineOf(text, "requests", "io_block"), "");
  EXPECT_EQ(LineOf(text, "pages", "io_block"), "");
  EXPECT_EQ(LineOf(text.substr(0, text.find("[table pages]")), "requests", "readahead_hit"), "");
  EXPECT_NE(LineOf(text, "pages", "readahead_hit"), "");
}

TEST(TableTest, PagesThatCouldNotBeConfirmedAreMarkedInTheSameWidth) {
  Snapshot snapshot;
  snapshot.total.ledger.Add(Event::readahead, Class::state, 32);
  snapshot.total.ledger.Add(Event::readahead, Class::context, 16);
  const std::string sure = LineOf(FormatTables(snapshot), "pages", "readahead");
  snapshot.total.ledger.Add(Event::readahead_unsure, Class::state, 8);
  const std::string text = FormatTables(snapshot);
  const std::string unsure = LineOf(text, "pages", "readahead");
  EXPECT_EQ(sure,
            "readahead               48         0        32        16         0         0         0         0"
            "         0         0         0         0");
  EXPECT_EQ(unsure,
            "readahead              ~48         0       ~32        16         0         0         0         0"
            "         0         0         0         0");
  EXPECT_THAT(LineOf(text, "requests", "readahead"), Not(HasSubstr("~")));
  EXPECT_THAT(FormatTables(snapshot, TableStyle::kV14), Not(HasSubstr("~")));
}

TEST(TableTest, UndefinedCellsAreADashAndRatesAreRounded) {
  Snapshot snapshot;
  snapshot.total.ledger.Add(Event::readahead, Class::initial, 3);
  snapshot.total.ledger.Add(Event::readahead_hit, Class::initial, 2, 0);
  const std::string text = FormatTables(snapshot);
  EXPECT_EQ(LineOf(text, "summary", "ra_hit_rate").substr(0, 56),
            "ra_hit_rate            67%       67%         -         -");
}

TEST(TableTest, LongNumbersStayApart) {
  Snapshot snapshot;
  snapshot.total.ledger.Add(Event::cache_miss, Class::initial, 123456789012);
  const std::string text = FormatTables(snapshot);
  EXPECT_THAT(text, HasSubstr("cache_miss       123456789012 123456789012         0"));
  EXPECT_TRUE(ParseTables(text).ok());
}

TEST(TableTest, WhatIsPrintedCanBeReadBack) {
  Snapshot snapshot;
  uint64_t value = 1;
  for (size_t event = 0; event < kEventCount; ++event)
    for (size_t cls = 0; cls < kClassCount; ++cls) {
      const Event row = static_cast<Event>(event);
      const uint64_t requests = IsShown(row, TableKind::kRequests) ? value++ : 0;
      const uint64_t pages = IsShown(row, TableKind::kPages) ? value++ : 0;
      snapshot.total.ledger.cells[event][cls] = {requests, pages};
    }
  const auto read = ParseTables(FormatTables(snapshot) + FormatProcesses(snapshot));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->is_complete);
  for (size_t event = 0; event < kEventCount; ++event)
    for (size_t cls = 0; cls < kClassCount; ++cls) {
      EXPECT_EQ(read->total.ledger.cells[event][cls].requests, snapshot.total.ledger.cells[event][cls].requests);
      EXPECT_EQ(read->total.ledger.cells[event][cls].pages, snapshot.total.ledger.cells[event][cls].pages);
    }
}

TEST(TableReaderTest, SaysWhatIsWrongAndWhere) {
  const std::string header = "[table requests] total initial none\n";
  const std::string pages = "[table pages] total\n";
  const struct {
    std::string text;
    const char* message;
  } kCases[] = {
      {"", "no [table requests] found"},
      {header, "no [table pages] found"},
      {pages, "no [table requests] found"},
      {"hello\n", "line 1: 'hello' stands outside a table"},
      {"\x01\xff\n", "line 1: '\?\?' stands outside a table"},
      {"[table books]\n", "line 1: table 'books'; accepted: requests, pages, summary, processes"},
      {"[table requests", "line 1: ']' is missing after the name of a table"},
      {"[table requests] total later\n", "line 1: column 'later' is not a class of requests"},
      {header + "cache_miss 1 1\n", "line 2: cache_miss has 2 cells for 3 columns"},
      {header + "cache_hits 1 1 0\n", "line 2: row 'cache_hits' does not belong to this table"},
      {header + "readahead_hit 1 1 0\n", "line 2: row 'readahead_hit' does not belong to this table"},
      {header + "cache_miss 1 -1 0\n", "line 2: '-1' is not a whole number"},
      {header + "cache_miss 1 99999999999999999999 0\n", "line 2: '99999999999999999999' is not a whole number"},
      {header + "\n# note\ncache_miss 3 1 2\n", "line 4: cache_miss: total 3, but its classes make 1"},
  };
  for (const auto& each : kCases) {
    const auto read = ParseTables(each.text);
    EXPECT_FALSE(read.ok()) << each.text;
    EXPECT_EQ(std::string(read.status().message()), each.message);
  }
}

TEST(ProcessTableTest, ListsThoseThatReadMostAndCountsAll) {
  Snapshot snapshot;
  snapshot.total.processes = 30;
  snapshot.total.counters.read_bytes = 1 << 20;
  for (int i = 0; i < 12; ++i) {
    ProcessRecord record;
    record.pid = 100 + i;
    record.command = i == 11 ? "odd name\n" : "md5sum";
    record.is_running = i % 2 == 0;
    record.counts.counters.read_bytes = static_cast<uint64_t>(i) << 10;
    snapshot.processes.push_back(record);
  }
  const std::vector<std::string> lines = Lines(FormatProcesses(snapshot, 2));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1],
            "all 30                   -         6         0      1024         0         0         0         0");
  EXPECT_EQ(lines[2],
            "odd?name?              111        no         0        11         0         0         0         0");
  EXPECT_EQ(lines[3],
            "md5sum                 110       yes         0        10         0         0         0         0");
  EXPECT_EQ(lines[4], "");
}

}  // namespace
}  // namespace ahead
