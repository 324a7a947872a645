// The manual page names every subcommand and every option that there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/ab.h"
#include "cli/record.h"
#include "cli/replay.h"
#include "cli/run.h"
#include "cli/score.h"
#include "cli/stats.h"
#include "cli/trace.h"
#include "cli/tune.h"
#include "tests/cli/process.h"

namespace ahead::cli {
namespace {

// Words as roff has them.
std::string Roff(const std::string& word) {
  std::string escaped;
  for (const char c : word) escaped += c == '-' ? "\\-" : std::string(1, c);
  return escaped;
}

TEST(ManualTest, NamesEverySubcommandAndOption) {
  CLI::App app;
  std::vector<std::string> command;
  int status = 0;
  AddRunCommand(app, command, status);
  AddAbCommand(app, command, status);
  AddStatsCommand(app, status);
  AddRecordCommand(app, command, status);
  AddTraceCommand(app, status);
  AddReplayCommand(app, status);
  AddScoreCommand(app, status);
  AddTuneCommand(app, status);
  const std::string manual = test::ReadFile(AHEAD_SOURCE "/docs/man/ahead.1");
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    const size_t section = manual.find("\n.SS ahead " + subcommand->get_name() + "\n");
    ASSERT_NE(section, std::string::npos) << subcommand->get_name();
    const size_t next = std::min(manual.find("\n.S", section + 1), manual.size());
    const size_t shared = manual.find("\n.SH \"ENGINE OPTIONS\"");
    for (const CLI::Option* option : subcommand->get_options())
      for (const std::string& name : option->get_lnames()) {
        if (name == "help" || name == "version") continue;
        const bool is_engine = option->get_group() == "Engine";
        const std::string part = is_engine ? manual.substr(shared) : manual.substr(section, next - section);
        EXPECT_THAT(part, testing::HasSubstr(Roff("--" + name))) << subcommand->get_name();
      }
  }
}

TEST(ManualTest, IsOfThisVersion) {
  EXPECT_THAT(test::ReadFile(AHEAD_SOURCE "/docs/man/ahead.1"), testing::HasSubstr("\"ahead " VERSION "\""));
}

}  // namespace
}  // namespace ahead::cli
