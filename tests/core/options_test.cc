#include "core/options.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace ahead {
namespace {

size_t Index(const std::string& name) {
  for (size_t i = 0; i < kOptionCount; ++i)
    if (OptionAt(i).name == name) return i;
  ADD_FAILURE() << "no option " << name;
  return 0;
}

struct Case {
  const char* name;
  const char* text;
  bool accepted;
  int64_t value;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name << '=' << c.text; }

class SetOptionTest : public testing::TestWithParam<Case> {};

TEST_P(SetOptionTest, AcceptsWhatLiesInTheRangeAndNothingElse) {
  const Case& c = GetParam();
  Options options;
  options.max = options.ratio = -7;
  EXPECT_EQ(SetOption(options, Index(c.name), c.text), c.accepted) << c.text;
  EXPECT_EQ(std::string(c.name) == "max" ? options.max : options.ratio, c.accepted ? c.value : -7);
}

INSTANTIATE_TEST_SUITE_P(Table, SetOptionTest,
                         testing::Values(Case{"ratio", "0", true, 0}, Case{"ratio", "100", true, 100},
                                         Case{"ratio", "101", false, 0}, Case{"ratio", "-1", false, 0},
                                         Case{"ratio", "", false, 0}, Case{"ratio", "5x", false, 0},
                                         Case{"ratio", "5K", false, 0}, Case{"ratio", " 5", false, 0},
                                         Case{"ratio", "99999999999999999999", false, 0}, Case{"max", "auto", true, 0},
                                         Case{"max", "1MiB", true, 1 << 20}, Case{"max", "1M", true, 1 << 20},
                                         Case{"max", "131072", true, 131072}, Case{"max", "131071", false, 0},
                                         Case{"max", "33GiB", false, 0}, Case{"max", "9223372036854775807G", false, 0},
                                         Case{"max", "1Mx", false, 0}));

TEST(OptionsTest, EveryDefaultLiesInItsOwnRange) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    const OptionRow& row = OptionAt(i);
    if (row.kind == OptionKind::kText) continue;
    const bool is_auto = row.kind == OptionKind::kBytes && row.default_value == 0;
    EXPECT_TRUE(is_auto || (row.min <= row.default_value && row.default_value <= row.max)) << row.name;
  }
}

TEST(OptionsTest, VariablesAreTheNamesInCapitals) {
  EXPECT_STREQ(OptionAt(Index("hit_rate")).variable, "AHEAD_HIT_RATE");
}

TEST(OptionsTest, NamedValuesAreTakenAndNothingElse) {
  Options options;
  EXPECT_EQ(options.advice, 1);
  EXPECT_TRUE(SetOption(options, Index("advice"), "off"));
  EXPECT_EQ(options.advice, 0);
  for (const char* text : {"", "0", "1", "on", "offx", "AUTO", "aut"}) {
    EXPECT_FALSE(SetOption(options, Index("advice"), text)) << text;
    EXPECT_EQ(options.advice, 0);
  }
  EXPECT_TRUE(SetOption(options, Index("advice"), "auto"));
  EXPECT_EQ(options.advice, 1);
}

TEST(OptionsTest, SaysWhatIsAccepted) {
  char text[128];
  EXPECT_STREQ(DescribeAccepted(Index("ratio"), text, sizeof text), "a whole number from 0 to 100");
  EXPECT_STREQ(DescribeAccepted(Index("advice"), text, sizeof text), "auto or off");
  EXPECT_STREQ(DescribeAccepted(Index("max"), text, sizeof text),
               "bytes from 128KiB to 32MiB, with a suffix K, M or G, or auto");
  EXPECT_STREQ(DescribeAccepted(Index("max"), text, 6), "bytes");
}

TEST(OptionsTest, TextOptionsKeepThePointerAndRefuseNothingness) {
  Options options;
  const char* path = "/tmp/x";
  EXPECT_TRUE(SetOption(options, Index("stats"), path));
  EXPECT_EQ(options.stats_text, path);
  EXPECT_FALSE(SetOption(options, Index("stats"), ""));
}

}  // namespace
}  // namespace ahead
