#include "cli/ab_arm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ahead::cli {
namespace {

using testing::HasSubstr;

TEST(AbArmTest, BareAloneIsTheCommandWithoutTheLibrary) {
  EXPECT_TRUE(ParseArm("bare")->is_bare);
  EXPECT_FALSE(ParseArm("barely")->is_bare);
  EXPECT_FALSE(ParseArm("off:off=1")->is_bare);
}

TEST(AbArmTest, OptionsFollowTheName) {
  const auto arm = ParseArm("x:ratio=100,hit-rate=2");
  ASSERT_TRUE(arm.ok());
  EXPECT_EQ(arm->name, "x");
  EXPECT_EQ(arm->options.Describe(), "ratio=100\nhit_rate=2\n");
}

TEST(AbArmTest, ValueMayHoldColonsEqualsAndEscapedCommas) {
  const auto arm = ParseArm("x:include=/a:/b=c\\,d,ratio=1");
  ASSERT_TRUE(arm.ok());
  EXPECT_EQ(arm->options.Get("include"), "/a:/b=c,d");
  EXPECT_EQ(arm->options.Get("ratio"), "1");
}

TEST(AbArmTest, WrongPartIsNamed) {
  const struct {
    const char* text;
    const char* said;
  } kCases[] = {
      {"", "has no name"},
      {":ratio=1", "has no name"},
      {"ratio=1", "has no name"},
      {"x:", "'' in 'x:' is not OPTION=VALUE"},
      {"x:ratio", "'ratio' in 'x:ratio' is not OPTION=VALUE"},
      {"x:ratio=1,,", "is not OPTION=VALUE"},
      {"x:ratio=", "'' is not a whole number from 0 to 100"},
      {"x:speed=1", "unknown option 'speed'"},
      {"bare:ratio=1", "takes no options"},
  };
  for (const auto& test : kCases) {
    const auto arm = ParseArm(test.text);
    ASSERT_FALSE(arm.ok()) << test.text;
    EXPECT_THAT(std::string(arm.status().message()), HasSubstr(test.said));
  }
}

}  // namespace
}  // namespace ahead::cli
