#include "cli/environment.h"

#include <gtest/gtest.h>

namespace ahead::cli {
namespace {

TEST(EnvironmentTest, NameThatBeginsLikeAnotherIsAnother) {
  const Environment environment({"PATHS=wrong", "PATH=right"});
  EXPECT_EQ(environment.Get("PATH"), "right");
  EXPECT_FALSE(environment.Get("PAT"));
}

TEST(EnvironmentTest, SettingReplacesInPlaceAndDropsDuplicates) {
  Environment environment({"A=1", "B=2", "A=3"});
  environment.Set("A", "x=y");
  char* const* entries = environment.pointers();
  EXPECT_STREQ(entries[0], "A=x=y");
  EXPECT_STREQ(entries[1], "B=2");
  EXPECT_EQ(entries[2], nullptr);
}

TEST(EnvironmentTest, NewVariableIsAddedAndUnsetOneIsGone) {
  Environment environment({"A=1", "A=2"});
  environment.Set("B", "");
  environment.Unset("A");
  EXPECT_FALSE(environment.Get("A"));
  EXPECT_EQ(environment.Get("B"), "");
}

}  // namespace
}  // namespace ahead::cli
