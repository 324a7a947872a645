#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ahead::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Words = std::vector<std::string>;

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    CLI::App* run = app_.add_subcommand("run");
    run->add_option("--hit-rate", value_);
    run->add_flag("--tables", flag_);
    app_.add_subcommand("stats");
  }
  Words Take(Words& words) { return TakeCommand(app_, {"run"}, words); }

  CLI::App app_;
  std::string value_;
  bool flag_ = false;
};

TEST_F(CommandLineTest, CommandBeginsAfterTheFirstSeparatorOnly) {
  Words words = {"run", "--hit-rate", "1", "--", "git", "log", "--", "file"};
  EXPECT_THAT(Take(words), ElementsAre("git", "log", "--", "file"));
  EXPECT_THAT(words, ElementsAre("run", "--hit-rate", "1"));
}

TEST_F(CommandLineTest, WithoutSeparatorCommandBeginsAtTheFirstWordThatIsNoOptionOrValue) {
  Words words = {"run", "--tables", "--hit-rate", "1", "ls", "-l"};
  EXPECT_THAT(Take(words), ElementsAre("ls", "-l"));
  EXPECT_THAT(words, ElementsAre("run", "--tables", "--hit-rate", "1"));
}

TEST_F(CommandLineTest, ValueInTheSameWordTakesNoOther) {
  Words words = {"run", "--hit-rate=1", "ls"};
  EXPECT_THAT(Take(words), ElementsAre("ls"));
}

TEST_F(CommandLineTest, UnderscoresInNamesBecomeDashesAndInValuesStay) {
  Words words = {"run", "--hit_rate=a_b", "--hit_rate", "c_d", "--", "--hit_rate"};
  EXPECT_THAT(Take(words), ElementsAre("--hit_rate"));
  EXPECT_THAT(words, ElementsAre("run", "--hit-rate=a_b", "--hit-rate", "c_d"));
}

TEST_F(CommandLineTest, ValueThatLooksLikeTheSeparatorIsAValue) {
  Words words = {"run", "--hit-rate", "--", "ls"};
  EXPECT_THAT(Take(words), ElementsAre("ls"));
  EXPECT_THAT(words, ElementsAre("run", "--hit-rate", "--"));
}

TEST_F(CommandLineTest, CommandMayBeMissing) {
  for (Words words : {Words{}, Words{"run"}, Words{"run", "--"}, Words{"run", "--hit-rate"}})
    EXPECT_THAT(Take(words), IsEmpty());
}

TEST_F(CommandLineTest, OtherSubcommandsKeepTheirWords) {
  Words words = {"stats", "file", "--", "x"};
  EXPECT_THAT(Take(words), IsEmpty());
  EXPECT_EQ(words.size(), 4);
}

}  // namespace
}  // namespace ahead::cli
