#include "stats/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "nlohmann/json.hpp"

namespace ahead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Snapshot Sample() {
  Snapshot snapshot;
  snapshot.session_pid = 4711;
  snapshot.started_unix_ns = 1'500'000'000'000'000'000;
  snapshot.options = "ratio=50\n";
  snapshot.total.processes = 2;
  snapshot.total.counters.read_bytes = 4096;
  snapshot.total.ledger.Add(Event::readahead, Class::stride, 3);
  snapshot.total.ledger.Add(Event::readahead, Class::stride, 4);
  snapshot.total.ledger.Add(Event::readahead_hit, Class::stride, 7, 0);
  ProcessRecord record;
  record.pid = 12;
  record.command = "caf\xe9 \"x\"";  // not UTF-8
  record.counts.counters.read_bytes = 4096;
  snapshot.processes.push_back(record);
  return snapshot;
}

TEST(JsonTest, HoldsEveryRowAndClassUnderItsName) {
  const auto json = ToJson(Sample());
  EXPECT_EQ(json["requests"].size(), kEventCount - 1);
  EXPECT_EQ(json["pages"].size(), kEventCount - 1);
  for (const auto& table : {json["requests"], json["pages"], json["summary"]})
    for (const auto& row : table) EXPECT_EQ(row.size(), kColumnCount);
  EXPECT_EQ(json["pages"]["readahead"]["stride"], 7);
  EXPECT_EQ(json["pages"]["readahead"]["total"], 7);
  EXPECT_EQ(json["requests"]["readahead"]["none"], 0);
  EXPECT_EQ(json["summary"]["avg_ra_size"]["stride"], 3.5);
  EXPECT_TRUE(json["summary"]["avg_ra_size"]["none"].is_null());
  EXPECT_EQ(json["session"], 4711);
  EXPECT_EQ(json["started_unix_s"], 1.5e9);
  EXPECT_TRUE(json["reset_unix_s"].is_null());
  EXPECT_EQ(json["process_count"], 2);
  EXPECT_EQ(json["counters"]["read_bytes"], 4096);
  EXPECT_EQ(json["processes"][0]["pid"], 12);
  EXPECT_EQ(json["processes"][0]["running"], false);
  EXPECT_THAT(json.dump(), HasSubstr("\"command\":\"caf\xef\xbf\xbd \\\"x\\\"\"")) << "any command can be written";
}

TEST(JsonTest, ATextHasTablesOnly) {
  Snapshot text;
  text.is_complete = false;
  std::set<std::string> keys;
  const auto json = ToJson(text);
  for (const auto& [key, value] : json.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"requests", "pages", "summary"}));
}

TEST(JsonTest, V14HoldsTheOldRowsAndColumnsOnly) {
  const auto json = ToJson(Sample(), TableStyle::kV14);
  EXPECT_EQ(json["requests"].size(), kV14EventCount - 1);
  EXPECT_EQ(json["requests"]["readahead"].size(), kV14ColumnCount);
  EXPECT_FALSE(json["requests"]["readahead"].contains("stride"));
}

TEST(CsvTest, EachLineIsOneCell) {
  std::istringstream lines(FormatCsv(Sample(), TableStyle::kAhead, "1.50,total,"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(std::regex_match(line, std::regex("1\\.50,total,[a-z]+,[a-z_]+,[a-z]+,[0-9.e+-]*"))) << line;
  EXPECT_EQ(count, (2 * (kEventCount - 1) + kSummaryRowCount) * kColumnCount + 1 + 6);
  EXPECT_THAT(FormatCsv(Sample()), HasSubstr("\npages,readahead,stride,7\n"));
  EXPECT_THAT(FormatCsv(Sample()), HasSubstr("\nsummary,avg_ra_size,initial,\n"));
  EXPECT_THAT(FormatCsv(Sample()), HasSubstr("\ncounters,read_bytes,total,4096\n"));
}

TEST(OpenMetricsTest, EveryLineIsWellFormedAndFamiliesAreTogether) {
  std::istringstream lines(FormatOpenMetrics(Sample()));
  const std::regex comment("# (TYPE [a-z_]+ counter|HELP [a-z_]+ .+)");
  const std::regex sample("([a-z_]+)_total(\\{[a-z]+=\"[a-z_]+\"(,[a-z]+=\"[a-z_]+\")*\\})? [0-9]+");
  std::string family, last;
  std::set<std::string> families, samples;
  for (std::string line; std::getline(lines, line); last = line) {
    std::smatch match;
    if (line.rfind("# TYPE ", 0) == 0) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << line;
    }
    if (line == "# EOF" || std::regex_match(line, comment)) continue;
    ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
    EXPECT_EQ(match[1], family) << line;
    EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
  EXPECT_EQ(last, "# EOF");
  EXPECT_TRUE(samples.count("ahead_events_total{event=\"readahead\",class=\"stride\",unit=\"pages\"}"));
  EXPECT_THAT(FormatOpenMetrics(Sample()), HasSubstr("\nahead_readahead_square_pages_total{class=\"stride\"} 25\n"));
  EXPECT_THAT(FormatOpenMetrics(Sample()), Not(HasSubstr("class=\"total\"")));
}

}  // namespace
}  // namespace ahead
