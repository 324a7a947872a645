// What the engine makes of the patterns of the README's table, in simulated time: the same figures as on the slow disk,
// without noise. Limits are those that stage 1 promises (issue 2).
#include <gtest/gtest.h>

#include "sim/patterns.h"
#include "sim/score.h"

namespace ahead::sim {
namespace {

constexpr Class kClasses[] = {
#define AHEAD_CLASS(name) Class::name,
#include "core/events.def"
};

uint64_t Sum(const Ledger& ledger, Event event) {
  uint64_t pages = 0;
  for (const Class cls : kClasses) pages += cls == Class::none ? 0 : ledger.pages(event, cls);
  return pages;
}

double Of(Nanos best, Nanos time) { return static_cast<double>(best.value) / static_cast<double>(time.value); }

constexpr ByteCount kWhole = 256_MiB;   // as in the README's table
constexpr ByteCount kQuarter = 64_MiB;  // where figures do not matter

Comparison RunPattern(const char* name, Nanos latency, int32_t in_flight, ByteCount size, const Options& options = {}) {
  LabDevice device;
  device.parameters = NetParameters{latency, 500'000'000};
  device.in_flight = in_flight;
  return Compare(FindPattern(name)->make(size), device, options);
}

class EngineTest : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(InFlight, EngineTest, testing::Values(12, 64));

TEST_P(EngineTest, SequentialReaderReachesTheDisksLimit) {
  for (const char* name : {"seq-64k", "seq-4k"}) {
    const Comparison row = RunPattern(name, 2_ms, GetParam(), kWhole);
    EXPECT_GE(Of(row.limit, row.ahead.lab.elapsed), 0.95) << name;
    EXPECT_EQ(row.ahead.lab.wasted_bytes, ByteCount{}) << name;
    EXPECT_EQ(row.ahead.lab.bytes, 256_MiB) << name;
  }
}

TEST_P(EngineTest, RandomReaderCausesNoRequestOfOurs) {
  const Comparison row = RunPattern("random", 2_ms, GetParam(), kWhole);
  EXPECT_EQ(row.ahead.lab.requests, row.kernel.lab.requests);
  EXPECT_EQ(row.ahead.lab.bytes, row.kernel.lab.bytes);
  EXPECT_EQ(row.ahead.lab.elapsed, row.kernel.lab.elapsed);
  EXPECT_EQ(Sum(row.ahead.lab.ledger, Event::readahead), 0u);
}

TEST_P(EngineTest, HeadReaderFetchesAtMostTwoMebibytesMore) {
  const Comparison row = RunPattern("head", 2_ms, GetParam(), kWhole);
  EXPECT_LE(row.ahead.lab.bytes, 3_MiB);
  EXPECT_LT(row.ahead.lab.elapsed, row.none.lab.elapsed);
}

TEST_P(EngineTest, EachPatternIsCarriedByItsMethod) {
  const struct {
    const char* pattern;
    Class method;
  } kRows[] = {{"seq-64k", Class::state}, {"seq-4k", Class::state},       {"backward", Class::backward},
               {"stride", Class::stride}, {"stride-back", Class::stride}, {"interleave", Class::state},
               {"head", Class::initial}};
  for (const auto& row : kRows) {
    const Comparison result = RunPattern(row.pattern, 2_ms, GetParam(), kQuarter);
    EXPECT_GT(result.ahead.lab.ledger.requests(Event::readahead, row.method), 0u) << row.pattern;
    EXPECT_LT(result.ahead.lab.elapsed, result.none.lab.elapsed) << row.pattern;
  }
}

// What the ledger says was fetched was read or wasted, and the machine saw no other waste.
TEST_P(EngineTest, LedgerAgreesWithTheMachine) {
  for (const Pattern& pattern : Patterns()) {
    SCOPED_TRACE(pattern.name);
    const Comparison row = RunPattern(pattern.name, 2_ms, GetParam(), kQuarter);
    const uint64_t issued = Sum(row.ahead.lab.ledger, Event::readahead);
    const uint64_t hit = Sum(row.ahead.lab.ledger, Event::readahead_hit);
    const uint64_t wasted = Sum(row.ahead.lab.ledger, Event::readahead_waste);
    EXPECT_EQ(issued, hit + wasted);
    // What was given up may be read after all, but nothing goes to waste uncounted but what the kernel itself wastes.
    const ByteCount more = row.ahead.lab.wasted_bytes - row.kernel.lab.wasted_bytes;
    EXPECT_LE(more.value / 4096, static_cast<int64_t>(wasted + issued / 50));
  }
}

TEST_P(EngineTest, WatchingOnlyFetchesNothing) {
  Options options;
  options.ratio = 0;
  for (const Pattern& pattern : Patterns()) {
    const Comparison row = RunPattern(pattern.name, 2_ms, GetParam(), kQuarter, options);
    EXPECT_EQ(row.ahead.lab.requests, row.kernel.lab.requests) << pattern.name;
    EXPECT_EQ(row.ahead.lab.elapsed, row.kernel.lab.elapsed) << pattern.name;
  }
}

TEST(SimulatorTest, SameInputGivesSameOutput) {
  for (const Pattern& pattern : Patterns()) {
    const Comparison one = RunPattern(pattern.name, 2_ms, 12, kQuarter);
    const Comparison two = RunPattern(pattern.name, 2_ms, 12, kQuarter);
    EXPECT_EQ(one.ahead.lab.elapsed, two.ahead.lab.elapsed) << pattern.name;
    EXPECT_EQ(one.oracle.lab.elapsed, two.oracle.lab.elapsed) << pattern.name;
    EXPECT_EQ(DescribeEvents(one.ahead.lab.ledger), DescribeEvents(two.ahead.lab.ledger)) << pattern.name;
  }
}

// The yardstick: no engine beats it, it fetches no byte in vain where none lies between, and comes close to the disk's
// limit.
TEST(SimulatorTest, OracleIsACeilingNearTheDisksLimit) {
  for (const Pattern& pattern : Patterns()) {
    for (const Nanos latency : {200_us, 2_ms, 20_ms}) {
      for (const int32_t in_flight : {12, 64}) {
        SCOPED_TRACE(testing::Message() << pattern.name << " " << latency.value << " " << in_flight);
        const Comparison row = RunPattern(pattern.name, latency, in_flight, kQuarter);
        EXPECT_LE(row.oracle.lab.elapsed.value, row.ahead.lab.elapsed.value * 1001 / 1000);
        // Of 2,000 pages in so small a file many are neighbours; with them it fetches what lies between.
        if (pattern.name == std::string("random")) continue;
        EXPECT_EQ(row.oracle.lab.wasted_bytes, ByteCount{});
        EXPECT_GE(Of(row.limit + HostCosts{}.trip, row.oracle.lab.elapsed), 0.97);
        EXPECT_LE(Of(row.limit, row.oracle.lab.elapsed), 1.001);  // pieces are not all of equal size
      }
    }
  }
}

}  // namespace
}  // namespace ahead::sim
