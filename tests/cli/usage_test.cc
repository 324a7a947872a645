#include "cli/usage.h"

#include <gtest/gtest.h>

namespace ahead::cli {
namespace {

TEST(UsageTest, NearestNameIsAMisspellingNotAnyName) {
  const std::vector<std::string> names = {"ratio", "hit-rate", "max", "memory"};
  EXPECT_EQ(NearestName("ratoi", names), "ratio");
  EXPECT_EQ(NearestName("hitrate", names), "hit-rate");
  EXPECT_EQ(NearestName("memroy", names), "memory");
  EXPECT_EQ(NearestName("verbose", names), "");
  EXPECT_EQ(NearestName("x", {}), "");
}

class UsageRefusalTest : public testing::Test {
 protected:
  UsageRefusalTest() {
    app_.require_subcommand(1);
    CLI::App* go = app_.add_subcommand("go");
    AddWholeNumber(*go, "--runs", runs_, 1, 9, "");
    AddChoice(*go, "--mode", mode_, {"fast", "slow"}, "");
  }
  // Returns what is said about the command line, or an empty text when it is accepted.
  std::string Refusal(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    try {
      app_.parse(words);
    } catch (const CLI::ParseError& error) {
      return ExplainRefusal(app_, error);
    }
    return "";
  }

  CLI::App app_;
  int64_t runs_ = 0;
  std::string mode_;
};

TEST_F(UsageRefusalTest, GoodValuesAreAccepted) {
  EXPECT_EQ(Refusal({"go", "--runs", "9", "--mode", "slow"}), "");
  EXPECT_EQ(runs_, 9);
  EXPECT_EQ(mode_, "slow");
}

TEST_F(UsageRefusalTest, NumberOutsideOrWithARestIsRefused) {
  for (const std::string value : {"0", "10", "-1", "1x", "x", "", "1.5", "99999999999999999999"})
    EXPECT_EQ(Refusal({"go", "--runs", value}), "--runs: '" + value + "' is not a whole number from 1 to 9");
}

TEST_F(UsageRefusalTest, WordThatIsNoChoiceIsRefusedWithTheChoices) {
  EXPECT_EQ(Refusal({"go", "--mode", "fats"}), "--mode: 'fats' is not one of fast, slow");
}

TEST_F(UsageRefusalTest, UnknownWordsAreNamed) {
  EXPECT_EQ(Refusal({"go", "--rnus", "3"}), "unknown option --rnus; did you mean --runs? (see --help)");
  EXPECT_EQ(Refusal({"go", "thing"}), "unexpected argument 'thing'");
  EXPECT_EQ(Refusal({"goo"}), "unknown command 'goo'; did you mean go?");
  EXPECT_EQ(Refusal({}), "no command given; it is one of go (see --help)");
}

}  // namespace
}  // namespace ahead::cli
