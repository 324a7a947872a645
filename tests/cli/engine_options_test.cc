#include "cli/engine_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/options.h"

namespace ahead::cli {
namespace {

using testing::HasSubstr;

TEST(EngineOptionsTest, NameMayBeWrittenWithDashOrUnderscore) {
  EngineOptions options;
  EXPECT_EQ(options.Set("hit-rate", "3"), "");
  EXPECT_EQ(options.Get("hit_rate"), "3");
  EXPECT_EQ(options.Set("hit_rate", "4"), "");
  EXPECT_EQ(options.Get("hit-rate"), "4");
}

TEST(EngineOptionsTest, LastValueGivenIsExported) {
  EngineOptions options;
  options.Set("ratio", "3");
  options.Set("ratio", "5");
  Environment environment({"AHEAD_RATIO=1"});
  options.ExportTo(environment);
  EXPECT_EQ(environment.Get("AHEAD_RATIO"), "5");
}

TEST(EngineOptionsTest, RefusedValueIsNotKept) {
  EngineOptions options;
  EXPECT_THAT(options.Set("ratio", "1000"), HasSubstr("from 0 to 100"));
  EXPECT_EQ(options.Get("ratio"), "");
}

TEST(EngineOptionsTest, FilesBecomeAbsoluteAndKeepTheirPattern) {
  EngineOptions options;
  options.Set("stats", "counts.%p");
  EXPECT_EQ(options.Get("stats"), (std::filesystem::current_path() / "counts.%p").string());
  options.Set("trace", "/there");
  EXPECT_EQ(options.Get("trace"), "/there");
}

TEST(EngineOptionsTest, EveryRowHasAnOption) {
  CLI::App app;
  EngineOptions options;
  AddEngineOptions(app, options);
  EXPECT_EQ(app.get_options().size(), kOptionCount + 1) << "and --help";
}

TEST(EngineOptionsTest, VariablesOfTheEngineAreRemovedAndOthersStay) {
  Environment environment({"AHEAD_RATIO=1", "AHEAD_OFF=1", "HOME=/", "AHEAD_RATIONS=x"});
  RemoveVariables(environment);
  EXPECT_FALSE(environment.Get("AHEAD_RATIO"));
  EXPECT_FALSE(environment.Get("AHEAD_OFF"));
  EXPECT_EQ(environment.Get("HOME"), "/");
  EXPECT_EQ(environment.Get("AHEAD_RATIONS"), "x");
}

}  // namespace
}  // namespace ahead::cli
